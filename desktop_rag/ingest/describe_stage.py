"""What a vision model sees in one figure, as it runs in a worker: a crash of llama.cpp costs that worker only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop_rag.core.types import BBox
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.parse import ParseFailure, part_failure
from desktop_rag.models.vision import Captioner, LlamaCaptioner

ENTRY = "desktop_rag.ingest.describe_stage:DescribeEntry"

_LONGEST_SIDE = 1024
"""Pixels: what vision models look at, and enough to read the labels of a chart."""

_MOST_DOTS_PER_POINT = 200 / 72


class DescribeEntry:
    """What a worker runs for each figure; keeps the model in memory from one to the next."""

    def __init__(self, captioner: Captioner | None = None) -> None:
        self._captioner = captioner

    def __call__(
        self,
        document: str,
        path: Path,
        password: str | None,
        max_tokens: int,
        on_pages: Callable[[int], None],
        part: Part,
    ) -> PartRead | ParseFailure:
        """Describe the figure of ``part``. A model or file that fails is a ParseFailure, never an exception."""
        try:
            picture = _picture(path, password, part)
            if self._captioner is None:
                if part.vision is None:
                    raise ValueError("no vision model was named")
                self._captioner = LlamaCaptioner(part.vision, part.threads)
            return PartRead((), 1, description=self._captioner.describe(picture))
        except Exception as error:
            return part_failure(error, path, "a figure")


def _picture(path: Path, password: str | None, part: Part) -> bytes:
    from desktop_rag.ingest.readers import find_reader
    from desktop_rag.ingest.readers.base import ShowsPages

    reader = find_reader(path)
    if not isinstance(reader, ShowsPages) or part.place is None:
        raise ValueError("there is no figure to look at")
    with reader.open_pages(path, password) as document:
        return crop(document[part.first - 1], part.place)


def crop(page: object, place: BBox) -> bytes:
    """Return a part of a pymupdf page as PNG, large enough to read and small enough for a vision model."""
    import pymupdf

    assert isinstance(page, pymupdf.Page)
    part = pymupdf.Rect(place.x0, place.y0, place.x1, place.y1) & page.rect
    scale = min(_MOST_DOTS_PER_POINT, _LONGEST_SIDE / max(part.width, part.height, 1.0))
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=part, colorspace=pymupdf.csRGB, alpha=False)
    return bytes(pixmap.tobytes("png"))
