"""The cells of a spreadsheet as blocks: its tables, the captions above them, and loose lines of text.

A sheet is no single table. Blank rows part it into regions; each region is a list of lines, a table with a header, or a
form whose rows stand under captions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from desktop_rag.core.types import Block, ElementKind
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.delimited import has_header

MOST_CELLS = 250_000
"""How many filled cells of a workbook are read; what is beyond is told, not read."""

_LONGEST_CAPTION = 90
_WIDEST_MERGE, _TALLEST_MERGE = 500, 5000


@dataclass(frozen=True, slots=True)
class Merge:
    """Merged cells: the rows and columns that they cover, from 0, ends excluded."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class _Row:
    """A row: its cells, with merged ones only in their first column, and the same with merged ones filled across."""

    cells: tuple[str, ...]
    across: tuple[str, ...]

    @property
    def filled(self) -> list[int]:
        return [index for index, cell in enumerate(self.cells) if cell]


def sheet_blocks(name: str, rows: Mapping[int, Sequence[str]], merges: Sequence[Merge], page: int) -> Iterator[Block]:
    """Yield the name of a sheet as a heading and then its content. ``rows`` are its filled rows by their index."""
    yield Block(ElementKind.TEXT, name, page, level=1)
    for region in _regions(_filled(rows, merges)):
        for block in _region_blocks(region):
            yield Block(block.kind, block.text, page, level=block.level, markdown=block.markdown)


def _filled(rows: Mapping[int, Sequence[str]], merges: Sequence[Merge]) -> dict[int, _Row]:
    """Return the rows with merged cells filled: downwards always, to the right in the second form of each row."""
    cells = {at: list(row) for at, row in rows.items()}
    across: dict[int, dict[int, str]] = {}
    for merge in merges:
        first = rows.get(merge.top, ())
        text = first[merge.left] if merge.left < len(first) else ""
        for at in range(merge.top, min(merge.bottom, merge.top + _TALLEST_MERGE)) if text else ():
            row = cells.setdefault(at, [])
            row.extend([""] * (merge.left + 1 - len(row)))
            row[merge.left] = text
            for column in range(merge.left + 1, min(merge.right, merge.left + _WIDEST_MERGE)):
                across.setdefault(at, {})[column] = text
    return {at: _row(cells[at], across.get(at, {})) for at in sorted(cells) if any(cells[at])}


def _row(cells: Sequence[str], across: Mapping[int, str]) -> _Row:
    width = max([len(cells), *(column + 1 for column in across)])
    even = (*cells, *([""] * (width - len(cells))))
    return _Row(even, tuple(across.get(column, cell) for column, cell in enumerate(even)))


def _regions(rows: Mapping[int, _Row]) -> Iterator[list[_Row]]:
    """Yield runs of rows. A blank row ends a run, unless the table just goes on below it."""
    region: list[_Row] = []
    last = -1
    for at, row in rows.items():
        if region and at > last + 1 and not _goes_on(region, row):
            yield region
            region = []
        region.append(row)
        last = at
    if region:
        yield region


def _goes_on(region: Sequence[_Row], row: _Row) -> bool:
    """Say whether a row below a blank one goes on with the table above: the same cells are filled, and alike."""
    before = region[-1]
    if len(row.filled) < 2 or before.filled != row.filled:
        return False
    alike = [_is_number(before.cells[column]) == _is_number(row.cells[column]) for column in row.filled]
    return all(alike) and any(_is_number(cell) for cell in row.cells)


def _is_number(cell: str) -> bool:
    digits = sum(character.isdigit() for character in cell)
    return digits * 2 > len(cell)


def _region_blocks(region: list[_Row]) -> Iterator[Block]:
    if max(len(row.filled) for row in region) < 2:
        lines = ["".join(row.cells) for row in region]
        alone = len(lines) == 1 and _is_caption(lines[0])
        yield from (Block(ElementKind.TEXT, line, level=2 if alone else 0) for line in lines)
        return
    start = next(at for at, row in enumerate(region) if len(row.filled) > 1)
    yield from _captions(region[:start])
    yield from _table(region[start:])


def _captions(rows: Sequence[_Row]) -> Iterator[Block]:
    """Yield the lines above a table; a short one is its heading."""
    for row in rows:
        text = "".join(row.cells)
        yield Block(ElementKind.TEXT, " ".join(text.split()), level=3 if _is_caption(text) else 0)


def _is_caption(text: str) -> bool:
    letters = any(character.isalpha() for character in text)
    return letters and len(text) <= _LONGEST_CAPTION and text[-1] not in ".;!?"


def _table(rows: list[_Row]) -> Iterator[Block]:
    """Yield a table with its header; without one, its rows in parts under the captions between them."""
    columns = sorted({column for row in rows for column in row.filled})
    texts = [[_cell(row.cells, column) for column in columns] for row in rows]
    header = _header(rows, texts, columns)
    if header:
        yield Grid.of([_joined(rows[:header], columns), *texts[header:]]).block()
        return
    part: list[list[str]] = []
    for row, cells in zip(rows, texts, strict=True):
        if len(row.filled) == 1 and _is_caption("".join(cells)):
            yield from _headless(part)
            yield from _captions([row])
            part = []
        else:
            part.append(cells)
    yield from _headless(part)


def _headless(rows: list[list[str]]) -> Iterator[Block]:
    used = [column for column in range(len(rows[0])) if any(row[column] for row in rows)] if rows else []
    if used:
        yield Grid.of([[row[column] for column in used] for row in rows], has_header=False).block()


def _header(rows: Sequence[_Row], texts: Sequence[Sequence[str]], columns: Sequence[int]) -> int:
    """Return how many rows at the top name the columns: 0, 1, or 2 where the first has names over several columns."""
    over = sum(rows[0].across[column] != rows[0].cells[column] for column in columns if column < len(rows[0].cells))
    if over and len(rows) > 2 and not any(_is_number(cell) for cell in texts[1] if cell) and has_header(texts[1:]):
        return 2
    if len(rows) == 2 and _names_values(rows[0], rows[1]):
        return 1
    return int(has_header([cells for row, cells in zip(rows, texts, strict=True) if len(row.filled) > 1]))


def _names_values(above: _Row, below: _Row) -> bool:
    """Say whether two rows are labels that end in colons, each over its value."""
    return above.filled == below.filled and sum(above.cells[column].endswith(":") for column in above.filled) >= 2


def _joined(rows: Sequence[_Row], columns: Sequence[int]) -> list[str]:
    """Return the names of the columns, those of two rows joined ("2020 men")."""
    names = []
    for column in columns:
        parts = dict.fromkeys(filter(None, (_cell(row.across, column) for row in rows)))
        names.append(" ".join(parts).rstrip(": "))
    return names


def _cell(cells: Sequence[str], column: int) -> str:
    return cells[column] if column < len(cells) else ""
