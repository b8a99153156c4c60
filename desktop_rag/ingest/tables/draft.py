"""A table on its page before its caption is known, and the cells of which it is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from desktop_rag.core.types import BBox
from desktop_rag.ingest.tables.parts import Word, box_of, lines_of, text_of

_HYPHENS = ("-", "\u2010")


@dataclass(slots=True)
class Cell:
    """A cell: its text, and the box around its words (in the frame); both are empty where nothing stands."""

    text: str = ""
    box: BBox | None = None

    @staticmethod
    def of(words: list[Word]) -> Cell:
        """Make a cell of the words that stand in it."""
        if not words:
            return Cell()
        text = ""
        for line in lines_of(words):
            text = joined(text, line.text)
        return Cell(text, box_of(words))

    def absorb(self, below: Cell) -> None:
        """Take up what stands in a cell below that turned out to be the same one."""
        self.text = joined(self.text, below.text)
        boxes = [box for box in (self.box, below.box) if box is not None]
        self.box = BBox.around(boxes) if boxes else None


@dataclass(slots=True)
class DraftRow:
    """A row of cells, and the heights between which it stands."""

    cells: list[Cell]
    y0: float
    y1: float

    @property
    def texts(self) -> list[str]:
        """The texts of its cells."""
        return [cell.text for cell in self.cells]

    @property
    def filled(self) -> int:
        """How many cells have a text."""
        return sum(1 for cell in self.cells if cell.text)


@dataclass(slots=True)
class Draft:
    """A table in its frame. ``columns`` are the left and right edges of its columns; ``words`` are all that it took."""

    rows: list[DraftRow]
    header_rows: int
    box: BBox
    columns: list[tuple[float, float]]
    words: list[Word] = field(default_factory=list)
    caption: str = ""
    caption_box: BBox | None = None


def joined(text: str, following: str) -> str:
    """Join two lines of a cell; a word that a hyphen parts between two small letters is healed."""
    if not text or not following:
        return text or following
    if text.endswith(_HYPHENS) and text[-2:-1].islower() and following[0].islower():
        return text[:-1] + following
    return f"{text} {following}"


def plain_text(words: Iterable[Word]) -> str:
    """Return words, line by line, as one text."""
    text = ""
    for line in lines_of(words):
        text = joined(text, text_of(line.words))
    return text
