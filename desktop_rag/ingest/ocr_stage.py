"""The OCR stage of a few pages, as it runs in a worker: pages without usable text are recognised from their picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from desktop_rag.core.limits import CLEAR_CONFIDENCE
from desktop_rag.core.types import BBox, Page, ReadDocument
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.ocr import Picture, RecognisedLine, TextRecogniser
from desktop_rag.ingest.ocr_layout import box_of, lay_out, place, to_blocks
from desktop_rag.ingest.ocr_rapid import RapidRecogniser
from desktop_rag.ingest.parse import ParseFailure, part_failure
from desktop_rag.ingest.readers.pdf_fonts import LayerCheck
from desktop_rag.ingest.readers.pdf_glyphs import read_page
from desktop_rag.ingest.readers.pdf_parts import PageText, Paragraph

ENTRY = "desktop_rag.ingest.ocr_stage:OcrEntry"

_DOTS_PER_INCH = 200
_MOST_PIXELS = 16_000_000
_LONGEST_SIDE = 6_000
READABLE = 0.5
"""Lines that are less certain are left out: most of them are stains, rules and drawings."""

_MOST_UNCLEAR = 0.1
"""A page on which more than this share of the characters stands in lines that are not clear may have wrong words."""


class OcrEntry:
    """What a worker runs for each part; keeps the models in memory from one part to the next."""

    def __init__(self, recogniser: TextRecogniser | None = None) -> None:
        self._recogniser = recogniser

    def __call__(
        self,
        document: str,
        path: Path,
        password: str | None,
        max_tokens: int,
        on_pages: Callable[[int], None],
        part: Part,
    ) -> PartRead | ParseFailure:
        """Recognise the pages of ``part`` that need it. A bad document is a ParseFailure, never an exception."""
        from desktop_rag.ingest.chunks import chunk

        try:
            found = self._pages(path, password, part)
        except Exception as error:
            return part_failure(error, path, "a page")
        blocks = to_blocks({page.number: paragraphs for page, paragraphs, _ in found})
        elements = chunk(document, ReadDocument(part.title, tuple(page for page, _, _ in found), blocks), max_tokens)
        full = [sure for _, paragraphs, sure in found if paragraphs]
        return PartRead(elements, len(full), sum(not sure for sure in full))

    def _pages(self, path: Path, password: str | None, part: Part) -> list[tuple[Page, list[Paragraph], bool]]:
        from desktop_rag.ingest.readers import find_reader
        from desktop_rag.ingest.readers.base import ShowsPages

        reader = find_reader(path)
        if not isinstance(reader, ShowsPages):
            return []
        recogniser = self._recogniser = self._recogniser or RapidRecogniser(part.threads, engine="", pack=part.model)
        found = []
        with reader.open_pages(path, password) as document:
            layer = LayerCheck(document)
            for index in range(part.first - 1, min(part.last, document.page_count)):
                text = _text_of(document, index, layer)
                if text is not None and text.scanned:
                    page = Page(index + 1, text.width, text.height)
                    found.append((page, *_recognised(document[index], text, recogniser)))
        return found


def _text_of(document: Any, index: int, layer: LayerCheck) -> PageText | None:
    """Return what the reader saw on a page; None for one that is too damaged to be loaded."""
    try:
        return read_page(document[index], index + 1, layer)
    except (RuntimeError, ValueError, AttributeError, KeyError):
        return None


def _recognised(page: Any, text: PageText, recogniser: TextRecogniser) -> tuple[list[Paragraph], bool]:
    """Return the paragraphs of a page, and whether they are certain. What the text layer says is not said again."""
    picture, scale = page_picture(page)
    lines = [place(line, scale) for line in recogniser.recognise(picture)]
    known = [fragment.place for group in text.groups for fragment in group]
    lines = [line for line in lines if line.text and not _stands_in(box_of(line.corners), known)]
    readable = [line for line in lines if line.confidence >= READABLE]
    return lay_out(readable, text.width, text.height), _is_clear(lines)


def page_picture(page: Any, clip: BBox | None = None) -> tuple[Picture, float]:
    """Return the picture of a page, or a part of it, as shown, and its pixels per point: 200 dpi, less if huge."""
    import pymupdf

    part = page.rect if clip is None else pymupdf.Rect(clip.x0, clip.y0, clip.x1, clip.y1) & page.rect
    width, height = max(1.0, part.width), max(1.0, part.height)
    most = min((_MOST_PIXELS / (width * height)) ** 0.5, _LONGEST_SIDE / max(width, height))
    scale = min(_DOTS_PER_INCH / 72, most)
    matrix = pymupdf.Matrix(scale, scale)
    pixmap = page.get_pixmap(matrix=matrix, clip=part, colorspace=pymupdf.csRGB, alpha=False)
    samples = np.frombuffer(pixmap.samples_mv, dtype=np.uint8)
    rows = samples.reshape(pixmap.height, pixmap.stride)[:, : 3 * pixmap.width]
    rgb = rows.reshape(pixmap.height, pixmap.width, 3)
    return np.ascontiguousarray(rgb[:, :, ::-1]), pixmap.width / width


def _stands_in(box: BBox, places: Iterable[BBox]) -> bool:
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return any(p.x0 <= x <= p.x1 and p.y0 <= y <= p.y1 for p in places)


def _is_clear(lines: Sequence[RecognisedLine]) -> bool:
    unclear = sum(len(line.text) for line in lines if line.confidence < CLEAR_CONFIDENCE)
    return unclear <= _MOST_UNCLEAR * sum(len(line.text) for line in lines)
