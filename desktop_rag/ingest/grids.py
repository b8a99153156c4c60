"""Tables as rows of cells, and the two forms in which a block carries them: Markdown, and one findable line a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from desktop_rag.core.tables import TableData, markdown_table
from desktop_rag.core.types import Block, ElementKind

Row = tuple[str, ...]
_BORDER = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|(\s*:?-+:?\s*\|)+")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the names of the columns (empty strings where it has none) and its rows, all of the same length."""

    header: Row
    rows: tuple[Row, ...]

    @staticmethod
    def of(rows: Iterable[Sequence[str]], *, has_header: bool = True) -> Grid:
        """Make a grid from rows of any length: short rows are filled up, cells are trimmed, blank rows are dropped."""
        trimmed = [tuple(_trim(cell) for cell in row) for row in rows]
        filled = [row for row in trimmed if any(row)]
        width = max((len(row) for row in filled), default=0)
        even = [row + ("",) * (width - len(row)) for row in filled]
        if has_header and even:
            return Grid(even[0], tuple(even[1:]))
        return Grid(("",) * width, tuple(even))

    def lines(self) -> tuple[str, ...]:
        """Return one line a row, "header: cell; header: cell", so that each row can be found by itself."""
        if not self.rows:
            return (row_text((), self.header),) if any(self.header) else ()
        return tuple(row_text(self.header, row) for row in self.rows)

    def markdown(self) -> str:
        """Return the table in Markdown; :func:`parse_markdown` reads it back."""
        return markdown_table(self.header, self.rows)

    def data(self, identity: str, pages: Iterable[int] = ()) -> TableData:
        """Return the table for other programs, under ``identity``."""
        header = (self.header,) if any(self.header) else ()
        return TableData(identity, (*header, *self.rows), len(header), tuple(pages))

    def block(self) -> Block:
        """Return the table as a block: ``text`` has one line a row, ``markdown`` the table with its header."""
        return Block(ElementKind.TABLE, "\n".join(self.lines()), markdown=self.markdown())


_JOIN = "; "


def row_text(header: Sequence[str], row: Sequence[str]) -> str:
    """Say a row in one line: each cell after the name of its column, empty cells left out.

    Neighbouring columns of the same name (one heading over several) have it said once.
    """
    return _JOIN.join(said.text for said in said_cells(header, row)).replace(":; ", ": ")


@dataclass(frozen=True, slots=True)
class SaidCells:
    """Cells of neighbouring ``columns`` that share a name, and what is said of them: "name: value, value"."""

    name: str
    text: str
    columns: tuple[int, ...]


def said_cells(header: Sequence[str], row: Sequence[str]) -> list[SaidCells]:
    """Return the parts of :func:`row_text` with the columns from which they come.

    There they are joined by "; ", or by one blank where the part before ends in a colon, which names the next one.
    """
    names = [*header, *([""] * (len(row) - len(header)))]
    said: list[SaidCells] = []
    for column, (name, cell) in enumerate(zip(map(_one_line, names), map(_one_line, row), strict=False)):
        if not cell:
            continue
        if name and said and said[-1].name == name:
            said[-1] = SaidCells(name, f"{said[-1].text}, {cell}", (*said[-1].columns, column))
        else:
            said.append(SaidCells(name, f"{name}: {cell}" if name else cell, (column,)))
    return said


def parse_markdown(markdown: str) -> Grid:
    """Read back what :meth:`Grid.markdown` wrote; raises ValueError for text that is no such table."""
    lines = markdown.splitlines()
    if len(lines) < 2 or not _RULE.fullmatch(lines[1].strip()):
        raise ValueError("not a Markdown table: the second line must be a row of dashes")
    rows = [_cells(line) for line in (lines[0], *lines[2:])]
    return Grid(rows[0], tuple(rows[1:]))


def split_markdown(markdown: str) -> tuple[str, tuple[str, ...]]:
    """Return what stands over the rows of a table in Markdown (caption, header, rule), and the rows line by line."""
    lines = markdown.splitlines()
    rule = next((at for at, line in enumerate(lines) if _RULE.fullmatch(line.strip())), len(lines) - 1)
    return "\n".join(lines[: rule + 1]), tuple(lines[rule + 1 :])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _trim(cell: str) -> str:
    return "\n".join(line for line in (part.strip() for part in cell.splitlines()) if line)


def _cells(line: str) -> Row:
    inner = _BORDER.split(line.strip())[1:-1]
    return tuple(cell.strip().replace("\\|", "|").replace("<br>", "\n") for cell in inner)
