"""The plain pipeline that tutorials show: page text, 1,000-character chunks, sentence-transformers in float32."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

CHUNK_CHARACTERS = 1000


def read_pages(path: Path) -> list[str]:
    """Return the text of each page; a file that MuPDF cannot open, or that is locked, has none."""
    import pymupdf

    try:
        with pymupdf.open(path) as document:
            return [] if document.needs_pass else [page.get_text() for page in document]
    except (pymupdf.FileDataError, RuntimeError):
        return []


def cut(pages: Sequence[str]) -> Iterator[str]:
    """Yield the text in pieces of 1,000 characters that do not cross a page."""
    for page in pages:
        for start in range(0, len(page), CHUNK_CHARACTERS):
            piece = page[start : start + CHUNK_CHARACTERS].strip()
            if piece:
                yield piece


def load_model(path: Path, threads: int) -> Any:
    """Return the same weights as the program's, loaded the usual way."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    return SentenceTransformer(str(path), device="cpu")
