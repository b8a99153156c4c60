"""Pictures of pages for a model that looks at them, drawn in a worker: a page that trips up MuPDF costs one worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_rag.core.ledger import FileState
from desktop_rag.ingest.later import Part
from desktop_rag.ingest.parse import ParseFailure, part_failure

ENTRY = "desktop_rag.ingest.page_drawing:draw"

_LONGEST_SIDE = 1600
"""Pixels: what the known models look at is smaller, but for ColSmol, whose 2,048 say no more of an A4 page."""

_SHORTEST_SIDE = 64
"""A page that would be thinner is put on a white ground: models refuse pictures that are all length."""


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A page of ``width`` times ``height`` points, as ``columns`` times ``rows`` pixels of three bytes each.

    ``failure`` is why it could not be drawn; it has no pixels then.
    """

    number: int
    width: float
    height: float
    columns: int = 0
    rows: int = 0
    pixels: bytes = b""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class DrawnPages:
    """The pages of a part, in their order."""

    pages: tuple[DrawnPage, ...]


def draw(
    document: str,
    path: Path,
    password: str | None,
    max_tokens: int,
    on_pages: Callable[[int], None],
    part: Part,
) -> DrawnPages | ParseFailure:
    """Draw the pages of ``part``. A bad document is a ParseFailure, a bad page has its failure; neither raises."""
    from desktop_rag.ingest.readers import find_reader
    from desktop_rag.ingest.readers.base import ShowsPages

    try:
        reader = find_reader(path)
        if not isinstance(reader, ShowsPages):
            return ParseFailure(FileState.FAILED, f"{path.name} has no pages that can be drawn.", "")
        with reader.open_pages(path, password) as opened:
            last = min(part.last, opened.page_count)
            return DrawnPages(tuple(_drawn(opened, index, path.name) for index in range(part.first - 1, last)))
    except Exception as error:
        return part_failure(error, path, "a page")


def _drawn(document: Any, index: int, file: str) -> DrawnPage:
    import pymupdf

    try:
        page = document[index]
        width, height = max(1.0, page.rect.width), max(1.0, page.rect.height)
        scale = _LONGEST_SIDE / max(width, height)
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
    except (RuntimeError, ValueError, AttributeError, KeyError, OSError, pymupdf.mupdf.FzErrorBase) as error:
        failure = f"Page {index + 1} of {file} cannot be drawn ({type(error).__name__})."
        return DrawnPage(index + 1, 1.0, 1.0, failure=failure)
    return _on_ground(index + 1, width, height, pixmap)


def _on_ground(number: int, width: float, height: float, pixmap: Any) -> DrawnPage:
    """Return the picture, widened with white to the right or below where the page is a mere stripe."""
    columns, rows = max(pixmap.width, _SHORTEST_SIDE), max(pixmap.height, _SHORTEST_SIDE)
    if (columns, rows) == (pixmap.width, pixmap.height) and pixmap.stride == 3 * columns:
        return DrawnPage(number, width, height, columns, rows, bytes(pixmap.samples))
    samples, line = pixmap.samples_mv, 3 * pixmap.width
    white = b"\xff" * (3 * columns)
    starts = range(0, pixmap.stride * pixmap.height, pixmap.stride)
    lines = [bytes(samples[at : at + line]) + white[line:] for at in starts]
    pixels = b"".join(lines) + white * (rows - pixmap.height)
    grown = width * columns / max(1, pixmap.width), height * rows / max(1, pixmap.height)
    return DrawnPage(number, *grown, columns, rows, pixels)
