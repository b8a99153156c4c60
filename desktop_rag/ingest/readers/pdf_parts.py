"""The small values from which a PDF page is put together: fragments, rows and paragraphs, and their frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from desktop_rag.core.types import BBox, Span


@dataclass(frozen=True, slots=True)
class Frame:
    """How lines run on a page: by ``turn`` quarter turns clockwise from left-to-right, on a page of this size.

    In a frame's own coordinates every line runs to the right and the next one is below, so that one layout
    routine serves rotated tables, axis labels and vertical script alike.
    """

    turn: int
    width: float
    height: float

    def from_page(self, box: BBox) -> BBox:
        """Return a box of the shown page in the coordinates of this frame."""
        if self.turn == 1:
            return BBox(box.y0, self.width - box.x1, box.y1, self.width - box.x0)
        if self.turn == 2:
            return BBox(self.width - box.x1, self.height - box.y1, self.width - box.x0, self.height - box.y0)
        if self.turn == 3:
            return BBox(self.height - box.y1, box.x0, self.height - box.y0, box.x1)
        return box


@dataclass(slots=True)
class Fragment:
    """A run of text on one baseline with no wide gap in it. ``box`` is in its frame, ``place`` on the shown page.

    ``marks`` say where the parts of a sloping line stand, for which one box would be too coarse. ``confidence`` is that
    of a span.
    """

    text: str
    box: BBox
    place: BBox
    size: float
    bold: bool
    italic: bool
    mono: bool
    base: float
    marks: tuple[Span, ...] = ()
    confidence: float = 1.0

    @property
    def core(self) -> tuple[float, float]:
        """The heights between which small letters stand: lines that touch are still apart there."""
        return self.base - 0.45 * self.size, self.base


@dataclass(slots=True)
class Row:
    """The fragments on one baseline of a column, in the order of reading, and their cells (wide gaps between)."""

    cells: list[list[Fragment]]
    base: float
    size: float
    bold: bool
    italic: bool
    mono: bool
    x0: float
    x1: float

    @property
    def fragments(self) -> list[Fragment]:
        """All fragments of the row."""
        return [fragment for cell in self.cells for fragment in cell]

    @property
    def text(self) -> str:
        """The words of the row."""
        return " ".join(fragment.text for fragment in self.fragments)


@dataclass(slots=True)
class Paragraph:
    """Rows that belong together. ``listing`` keeps its rows apart: rows of a table, or lines of code."""

    rows: list[Row]
    listing: bool = False
    level: int = 0
    page: int = 0
    text: str = ""
    spans: tuple[Span, ...] = ()

    @property
    def size(self) -> float:
        """The font size of its longest row."""
        return max(self.rows, key=lambda row: len(row.text)).size

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(row.bold for row in self.rows)

    @property
    def italic(self) -> bool:
        """Whether all of it is italic."""
        return all(row.italic for row in self.rows)

    @property
    def mono(self) -> bool:
        """Whether all of it is in a typewriter font."""
        return all(row.mono for row in self.rows)


@dataclass(slots=True)
class PageText:
    """The text of one page: groups of fragments that share a frame, the main one first."""

    number: int
    width: float
    height: float
    groups: list[list[Fragment]] = field(default_factory=list)
    usable: bool = True
    scanned: bool = False


def main_size(pieces: Iterable[tuple[float, str]]) -> float:
    """Return the type size of a line made of (size, text): the largest that more than a mark or an initial has.

    Small capitals and raised figures are smaller than the line, and its first letter may be much larger.
    """
    weights: dict[float, int] = {}
    for size, text in pieces:
        weights[size] = weights.get(size, 0) + len(text.strip())
    least = max(1.0, 0.07 * sum(weights.values()))
    return max((size for size, weight in weights.items() if weight > least), default=max(weights))
