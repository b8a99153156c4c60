"""The text stage beside converters to Markdown: pymupdf4llm on PDF pages, markitdown on everything else."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.documents import Documents
from benchmarks.figures import Figure
from desktop_rag.core.settings import Settings

_PAGES_OF_EACH = 2
_ROUNDS = 3
_NO_TEXT = {".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".heic"}


def _excerpts(documents: Documents, folder: Path) -> list[Path]:
    """Write some pages of each PDF, evenly spread, to a file of their own: both sides then read the very same."""
    import pymupdf

    written = []
    for path in documents.pdfs:
        with pymupdf.open(path) as document, pymupdf.open() as excerpt:
            count = document.page_count
            for number in sorted({count * (2 * i + 1) // (2 * _PAGES_OF_EACH) for i in range(_PAGES_OF_EACH)}):
                excerpt.insert_pdf(document, from_page=number, to_page=number)
            written.append(folder / path.name)
            excerpt.save(written[-1])
    return written


def _seconds(work: Callable[[Path], Any], path: Path) -> float:
    start = time.perf_counter()
    work(path)
    return time.perf_counter() - start


def _text_stage(settings: Settings) -> Callable[[Path], Any]:
    from desktop_rag.ingest.parse import parse

    return lambda path: parse(path.stem, path, None, settings.chunk_tokens, lambda _: None)


def _to_markdown(*, layout: bool) -> Callable[[Path], Any]:
    import pymupdf4llm

    def convert(path: Path) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            pymupdf4llm.use_layout(layout)
            pymupdf4llm.to_markdown(str(path), **({"use_ocr": False} if layout else {}))

    return convert


def measure_pages(documents: Documents, settings: Settings, folder: Path) -> list[Figure]:
    """Convert the same pages by ours and by pymupdf4llm, file by file in turns; ours is the median of some rounds."""
    paths = _excerpts(documents, folder)
    ours = _text_stage(settings)
    ours(paths[0])
    figures = []
    for layout, name in ((True, "pymupdf4llm with its layout model"), (False, "pymupdf4llm without layout model")):
        theirs = _to_markdown(layout=layout)
        theirs(paths[0])
        own_seconds = other_seconds = 0.0
        for path in paths:
            first = _seconds(ours, path)
            other_seconds += _seconds(theirs, path)
            own_seconds += median([first, _seconds(ours, path), _seconds(ours, path)])
        count = _count(paths)
        note = f"{count} pages, up to {_PAGES_OF_EACH} of each PDF; text recognition off on both sides"
        figures.append(
            Figure("text stage of a PDF page", own_seconds / count * 1000, other_seconds / count * 1000, "ms",
                   f"to_markdown of {name}", more_is_better=False, note=note)
        )  # fmt: skip
    return figures


def _count(paths: list[Path]) -> int:
    import pymupdf

    total = 0
    for path in paths:
        with pymupdf.open(path) as document:
            total += document.page_count
    return total


def measure_files(documents: Documents, settings: Settings) -> list[Figure]:
    """Convert every file that is neither PDF nor picture, by ours and by markitdown in turns."""
    if importlib.util.find_spec("markitdown") is None:
        print("markitdown is not installed (the extra 'bench'): the comparison with it is left out.")
        return []
    from markitdown import MarkItDown

    theirs, ours = MarkItDown(), _text_stage(settings)
    paths = sorted(p for p in documents.folder.rglob("*") if p.is_file() and p.suffix.lower() not in _NO_TEXT)
    figures = []
    own_total = other_total = 0.0
    for path in paths:
        ours(path)  # libraries load
        try:
            theirs.convert(path)
        except Exception as error:  # it reads fewer formats: such a file is left out for both
            print(f"markitdown cannot read {path.name} ({type(error).__name__}).")
            continue
        rounds = [(_seconds(ours, path), _seconds(theirs.convert, path)) for _ in range(_ROUNDS)]
        own, other = median(pair[0] for pair in rounds), median(pair[1] for pair in rounds)
        own_total, other_total = own_total + own, other_total + other
        name = f"text stage of a {path.suffix.lower()} file, {path.stat().st_size // 1000:,} kB"
        figures.append(Figure(name, own * 1000, other * 1000, "ms", "markitdown", more_is_better=False))
    note = "ours also lays out the print view, with the place of each line, and cuts the text into elements"
    total = Figure(f"text stage of {len(figures)} files that are not PDFs", own_total * 1000, other_total * 1000, "ms",
                   "markitdown", more_is_better=False, note=note)  # fmt: skip
    return [total, *figures]
