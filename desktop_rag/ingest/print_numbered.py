"""The sheets of documents whose pages are numbered beforehand: slides and the sheets of a workbook.

What belongs to a page stands on that page, however much it is: the page grows downwards, and to the right for tables.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from desktop_rag.core.types import BBox, Page
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.print_html import CSS, Columns
from desktop_rag.ingest.print_sheets import (
    FOOT,
    MARGIN,
    TOP,
    Band,
    Opening,
    Piece,
    PlacedRow,
    PrintedSheets,
    draw_footer,
    finished,
    place,
    placed_rows,
    story_of,
)

_ENDLESS = 1_000_000.0
_ROWS_A_STORY = 60
"""So many rows of a long table have their header in sight; fewer at once take longer to lay out."""

_TALL, _FEW = 5000.0, 8
"""On a tall page with few texts, only these are looked at: the text layer of a long table takes much memory."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The least size in points of a numbered page."""

    width: float
    height: float


class NumberedSheets:
    """Writes the pages 1, 2, … in order. A page is drawn when it ends, as only then its size is known."""

    def __init__(self, title: str) -> None:
        import pymupdf

        self._mupdf = pymupdf
        self._title = title
        self._buffer = io.BytesIO()
        self._writer = pymupdf.DocumentWriter(self._buffer)
        self._pages: list[Page] = []
        self._stories: list[Any] = []
        self._frame = Frame(0.0, 0.0)
        self._width = 0.0
        self._y = TOP
        self._openings: list[Opening] = []
        self._rows: list[PlacedRow] = []
        self._bands: dict[int, tuple[Band, ...]] = {}
        self._texts: list[Band] = []

    def begin_page(self, frame: Frame) -> None:
        """Begin the next page; it has at least the size of ``frame``."""
        self._frame, self._width, self._y = frame, frame.width, TOP

    def end_page(self) -> None:
        """Draw the page."""
        page = Page(self._number, self._width, max(self._frame.height, self._y + FOOT))
        device = self._writer.begin_page(self._mupdf.Rect(0, 0, page.width, page.height))
        for story in self._stories:
            story.draw(device)
        draw_footer(device, self._title, page)
        self._writer.end_page()
        if self._texts:
            few = page.height > _TALL and len(self._texts) <= _FEW
            self._bands[page.number] = tuple(self._texts) if few else ()
        self._pages.append(page)
        self._stories, self._texts = [], []

    def text(self, pieces: Sequence[Piece]) -> None:
        """Put ``pieces`` below what is there."""
        story = story_of(pieces)
        _, end, marks = place(story, BBox(MARGIN, self._y, self._frame.width - MARGIN, self._y + _ENDLESS))
        self._openings += [Opening(int(mark.identity[1:]), self._number, mark.bbox.y0) for mark in marks]
        self._texts.append((self._y, end + 2.0))
        self._stories.append(story)
        self._y = end + 2.0

    def table(self, key: int, grid: Grid, columns: Columns) -> None:
        """Put a table below what is there, with the header again over every few dozen rows."""
        right = MARGIN + columns.total
        self._width = max(self._width, right + MARGIN)
        self._openings.append(Opening(key, self._number, self._y))
        for first in range(0, len(grid.rows), _ROWS_A_STORY):
            html = columns.html(grid, grid.rows[first : first + _ROWS_A_STORY], first)
            story = self._mupdf.Story(html, user_css=CSS)
            _, end, marks = place(story, BBox(MARGIN, self._y, right, self._y + _ENDLESS))
            self._rows += placed_rows(key, self._number, marks, BBox(MARGIN, self._y, right, self._y + _ENDLESS))
            self._stories.append(story)
            self._y = end
        self._y += 9.0

    def finish(self) -> PrintedSheets:
        """Return everything; nothing can be added afterwards."""
        self._writer.close()
        pdf, lines = finished(self._buffer.getvalue(), self._title, self._bands)
        return PrintedSheets(pdf, tuple(self._pages), lines, tuple(self._openings), tuple(self._rows))

    @property
    def _number(self) -> int:
        return len(self._pages) + 1
