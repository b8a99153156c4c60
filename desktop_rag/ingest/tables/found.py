"""What a found table is, for those who use it."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_rag.core.tables import column_names
from desktop_rag.core.types import BBox


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where a row stands: its page, the box around it, and one box per cell; None for a cell without words there."""

    page: int
    bbox: BBox
    cells: tuple[BBox | None, ...]


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table of a PDF file. ``page`` and ``bbox`` are those of its first part; it may go on over later pages.

    All rows have the same length. The first ``header_rows`` of them name the columns. A cell that was merged with its
    neighbours is repeated in each place that it covers. ``places[i]`` belongs to ``rows[i]``; boxes are in points on
    the page as shown. ``caption`` and ``unit`` are empty where there is none. ``said_again`` is where later pages print
    the header again; ``rows`` has it once.
    """

    page: int
    bbox: BBox
    rows: tuple[tuple[str, ...], ...]
    places: tuple[RowPlace, ...]
    header_rows: int
    caption: str = ""
    unit: str = ""
    caption_box: BBox | None = None
    said_again: tuple[RowPlace, ...] = ()

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages on which the table has rows, in order."""
        return tuple(sorted({place.page for place in self.places}))

    @property
    def header(self) -> tuple[str, ...]:
        """The full name of each column: its header rows from top to bottom, each different text once."""
        return column_names(self.rows, self.header_rows)

    def header_box(self, page: int) -> BBox | None:
        """Return where the names of the columns stand on ``page``; None on a page without them."""
        places = (*self.places[: self.header_rows], *self.said_again)
        boxes = [place.bbox for place in places if place.page == page]
        return BBox.around(boxes) if boxes else None

    @property
    def body(self) -> tuple[tuple[str, ...], ...]:
        """The rows below the header."""
        return self.rows[self.header_rows :]
