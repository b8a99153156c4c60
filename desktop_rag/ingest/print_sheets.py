"""The sheets of a print view: where stories and tables are put on pages, and where each of them came to stand."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_rag.core.types import BBox, Page
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.print_html import CSS, Columns, footer_html
from desktop_rag.ingest.print_lines import Line, page_lines
from desktop_rag.ingest.print_pictures import PrintPicture, archive_of

WIDTH, HEIGHT = 595.0, 842.0
"""An A4 sheet in points."""

WIDEST = 1400.0
"""How wide a sheet may become for a table."""

MARGIN = 62.0
TOP, FOOT = 60.0, 64.0
"""How much room is left free above and below the text of a page."""

_BOTTOM = HEIGHT - FOOT
_REACH = 320.0
_KEPT_WHOLE = 135.0
_LEAST_ROOM = 34.0
_ROOM_FOR_TABLE = 90.0
_HEADER_HEIGHT, _LINE_HEIGHT = 24.0, 11.7


Band = tuple[float, float]
"""A stretch of a page between two heights."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of HTML whose outermost element has the id "b" and ``key``; headings stay with what follows.

    ``picture`` is the one that the HTML refers to.
    """

    key: int
    html: str
    heading: bool
    picture: PrintPicture | None = None


def story_of(pieces: Sequence[Piece]) -> Any:
    """Return the pieces as a story that can be laid out."""
    import pymupdf

    archive = archive_of(piece.picture for piece in pieces)
    return pymupdf.Story("".join(piece.html for piece in pieces), user_css=CSS, archive=archive)


@dataclass(frozen=True, slots=True)
class Opening:
    """The part ``key`` begins (or goes on) on ``page`` at the height ``y``."""

    key: int
    page: int
    y: float


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """Row ``row`` (from 0) of the table ``key`` stands on ``page`` in ``bbox``, its header in ``header``."""

    key: int
    row: int
    page: int
    bbox: BBox
    header: BBox | None = None


@dataclass(frozen=True, slots=True)
class PrintedSheets:
    """The finished PDF, its pages, the text lines of each page, and the places of parts and rows, in page order."""

    pdf: bytes
    pages: tuple[Page, ...]
    lines: tuple[tuple[Line, ...], ...]
    openings: tuple[Opening, ...]
    rows: tuple[PlacedRow, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """The element with the id ``identity`` was laid out in ``bbox``."""

    identity: str
    bbox: BBox


def place(story: Any, room: BBox) -> tuple[bool, float, list[Mark]]:
    """Fit a story into ``room``; return whether more of it is left, the height at which it ends, and its marks."""
    more, filled = story.place((room.x0, room.y0, room.x1, room.y1))
    marks: list[Mark] = []

    def note(position: Any) -> None:
        if position.id and position.open_close & 1:
            marks.append(Mark(position.id, BBox(*position.rect)))

    story.element_positions(note)
    return bool(more), float(filled[3]), marks


def placed_rows(key: int, page: int, marks: Sequence[Mark], room: BBox) -> list[PlacedRow]:
    """Return the rows that a table's marks tell of; what lies over the first of them in ``room`` is the header."""
    if not marks:
        return []
    first = min(mark.bbox.y0 for mark in marks)
    header = BBox(room.x0, room.y0, room.x1, first) if first > room.y0 + 2.0 else None
    boxes = [BBox(mark.bbox.x0, mark.bbox.y0, min(mark.bbox.x1, room.x1), mark.bbox.y1) for mark in marks]
    return [PlacedRow(key, int(mark.identity[1:]), page, box, header) for mark, box in zip(marks, boxes, strict=True)]


def draw_footer(device: Any, title: str, page: Page) -> None:
    """Write title and number at the foot of a page."""
    import pymupdf

    story = pymupdf.Story(footer_html(title, page.number), user_css=CSS)
    story.place((MARGIN, page.height - 42, page.width - MARGIN, page.height - 12))
    story.draw(device)


def finished(
    drawn: bytes, title: str, bands: Mapping[int, Sequence[Band]]
) -> tuple[bytes, tuple[tuple[Line, ...], ...]]:
    """Return the drawn PDF made small, and the lines of its pages.

    ``bands`` says for each page with text between which heights it stands; none are the whole page. The lines of tables
    are not needed, so pages that are not named have none.
    """
    import pymupdf

    with pymupdf.open("pdf", drawn) as document:
        lines = tuple(
            tuple(_lines(page, bands[page.number + 1])) if page.number + 1 in bands else () for page in document
        )
        document.subset_fonts()
        document.set_metadata({"title": title})
        return document.tobytes(garbage=3, deflate=True), lines


def _lines(page: Any, bands: Sequence[Band]) -> Iterator[Line]:
    import pymupdf

    bottom = page.rect.height - FOOT + 14
    if not bands:
        yield from page_lines(page.number + 1, page.get_text("dict", flags=0), bottom)
    for top, end in bands:
        clip = pymupdf.Rect(0, top, page.rect.width, end)
        layer = page.get_text("dict", flags=pymupdf.TEXT_MEDIABOX_CLIP, clip=clip)
        yield from page_lines(page.number + 1, layer, bottom)


class Sheets:
    """Writes pages one after the other. Each page ends with a footer of title and number."""

    def __init__(self, title: str) -> None:
        import pymupdf

        self._mupdf = pymupdf
        self._title = title
        self._buffer = io.BytesIO()
        self._writer = pymupdf.DocumentWriter(self._buffer)
        self._device: Any = None
        self._pages: list[Page] = []
        self._y = TOP
        self._openings: list[Opening] = []
        self._rows: list[PlacedRow] = []
        self._bands: dict[int, tuple[Band, ...]] = {}
        self._begin_page(WIDTH)

    def text(self, pieces: Sequence[Piece], *, before_table: bool) -> None:
        """Put ``pieces`` below what is there, over as many pages as they need."""
        self._want_width(WIDTH)
        headings = {f"b{piece.key}" for piece in pieces if piece.heading}
        story = story_of(pieces)
        more = True
        while more:
            if self._room < _LEAST_ROOM:
                self._next_page()
            bottom = self._break(story, headings, before_table)
            more = bottom <= self._y or self._draw_text(story, bottom)
            if more:
                self._next_page()

    def table(self, key: int, grid: Grid, columns: Columns) -> None:
        """Put a table below what is there: rows are not torn, and the header stands again on each page."""
        self._want_width(columns.total + 2 * MARGIN)
        table = _TableRun(key, grid, columns)
        while table.done < len(grid.rows):
            if self._room < _LEAST_ROOM * 2:
                self._next_page()
            if not self._draw_rows(table):
                if self._fresh:
                    self._draw_tall_row(table)
                else:
                    self._next_page()

    def finish(self) -> PrintedSheets:
        """Close the last page and return everything; nothing can be added afterwards."""
        self._end_page()
        self._writer.close()
        pdf, lines = finished(self._buffer.getvalue(), self._title, self._bands)
        return PrintedSheets(pdf, tuple(self._pages), lines, tuple(self._openings), tuple(self._rows))

    @property
    def _room(self) -> float:
        return _BOTTOM - self._y

    @property
    def _fresh(self) -> bool:
        return self._y <= TOP

    def _begin_page(self, width: float) -> None:
        self._pages.append(Page(len(self._pages) + 1, width, HEIGHT))
        self._device = self._writer.begin_page(self._mupdf.Rect(0, 0, width, HEIGHT))
        self._y = TOP

    def _end_page(self) -> None:
        draw_footer(self._device, self._title, self._pages[-1])
        self._writer.end_page()

    def _next_page(self) -> None:
        width = self._pages[-1].width
        self._end_page()
        self._begin_page(width)

    def _want_width(self, width: float) -> None:
        """Begin a page of another width where the present one is too narrow, or wider than anything needs it."""
        wanted = max(WIDTH, width)
        if self._pages[-1].width == wanted:
            return
        if self._fresh and len(self._pages) == 1:
            self._pages.clear()
            self._restart(wanted)
            return
        self._end_page()
        self._begin_page(wanted)

    def _restart(self, width: float) -> None:
        self._buffer = io.BytesIO()
        self._writer = self._mupdf.DocumentWriter(self._buffer)
        self._begin_page(width)

    def _place(self, story: Any, bottom: float) -> tuple[bool, float, list[Mark]]:
        """Fit a story between the pen and ``bottom``; return whether more is left, where it ends, and its marks."""
        return place(story, BBox(MARGIN, self._y, self._pages[-1].width - MARGIN, bottom))

    def _break(self, story: Any, headings: set[str], before_table: bool) -> float:
        """Return the height at which this page shall end: not inside a short paragraph, and not after a heading.

        The story is fitted into a page that is longer than the real one, which shows where its paragraphs would end.
        """
        more, _, marks = self._place(story, _BOTTOM + _REACH)
        cut = next((n for n, mark in enumerate(marks) if mark.bbox.y1 > _BOTTOM), len(marks))
        if cut == len(marks):
            ends_in_heading = bool(marks) and marks[-1].identity in headings
            if more or not (before_table and ends_in_heading and _BOTTOM - marks[-1].bbox.y1 < _ROOM_FOR_TABLE):
                return _BOTTOM
        elif self._may_tear(marks[cut].bbox):
            return _BOTTOM
        while cut and marks[cut - 1].identity in headings:
            cut -= 1
        if cut:
            return marks[cut - 1].bbox.y1 + 0.5
        return _BOTTOM if self._fresh else self._y

    @staticmethod
    def _may_tear(box: BBox) -> bool:
        return box.y1 - box.y0 > _KEPT_WHOLE and _BOTTOM - box.y0 > _LEAST_ROOM

    def _draw_text(self, story: Any, bottom: float) -> bool:
        more, end, marks = self._place(story, bottom)
        page = self._pages[-1].number
        self._bands[page] = ()
        self._openings += [Opening(int(mark.identity[1:]), page, mark.bbox.y0) for mark in marks]
        story.draw(self._device)
        self._y = end + 2.0
        return more

    def _draw_rows(self, table: _TableRun) -> bool:
        """Draw as many rows as fit on this page under the header; return whether any did."""
        count = table.guess(self._room)
        while count:
            story = self._mupdf.Story(table.html(count), user_css=CSS)
            more, end, marks = self._place(story, _BOTTOM)
            if not more:
                self._keep(table, story, marks)
                self._y = end + 9.0
                return True
            count = min(count - 1, sum(mark.bbox.y1 < _BOTTOM - 1.0 for mark in marks))
        return False

    def _draw_tall_row(self, table: _TableRun) -> None:
        """Draw one row that is higher than a page, over as many pages as it takes; its place is where it begins."""
        story = self._mupdf.Story(table.html(1), user_css=CSS)
        more, end, marks = self._place(story, _BOTTOM)
        self._keep(table, story, marks)
        while more:
            self._next_page()
            self._openings.append(Opening(table.key, self._pages[-1].number, TOP))
            more, end, _ = self._place(story, _BOTTOM)
            story.draw(self._device)
        self._y = end + 9.0

    def _keep(self, table: _TableRun, story: Any, marks: Sequence[Mark]) -> None:
        """Draw a placed piece of a table and note where its rows are."""
        page, right = self._pages[-1].number, MARGIN + table.columns.total
        self._openings.append(Opening(table.key, page, self._y))
        self._rows += placed_rows(table.key, page, marks, BBox(MARGIN, self._y, right, _BOTTOM))
        story.draw(self._device)
        table.learn(marks)


@dataclass
class _TableRun:
    """A table on its way to the pages: the rows that are drawn, and how high rows turn out against the estimate."""

    key: int
    grid: Grid
    columns: Columns
    done: int = 0
    factor: float = 1.0

    def guess(self, room: float) -> int:
        """Return how many of the next rows should fit into ``room``, at least one."""
        height = _HEADER_HEIGHT
        left = len(self.grid.rows) - self.done
        for count in range(left):
            height += self._height(self.done + count) * self.factor
            if height > room:
                return max(1, count)
        return left

    def html(self, count: int) -> str:
        """Return the header and the next ``count`` rows."""
        return self.columns.html(self.grid, self.grid.rows[self.done : self.done + count], self.done)

    def learn(self, marks: Sequence[Mark]) -> None:
        """Take the drawn rows off, and correct the estimate by their heights."""
        estimate = sum(self._height(self.done + n) for n in range(len(marks)))
        if marks:
            self.factor = (marks[-1].bbox.y1 - marks[0].bbox.y0) / estimate
        self.done += max(1, len(marks))

    def _height(self, row: int) -> float:
        return self.columns.lines(self.grid.rows[row]) * _LINE_HEIGHT + 7.0
