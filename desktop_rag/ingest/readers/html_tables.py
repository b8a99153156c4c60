"""Tables in HTML: which of them hold data, and their cells as a grid with spans filled in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from desktop_rag.core.types import Block, ElementKind
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.delimited import has_header
from desktop_rag.ingest.readers.html import visible_text

if TYPE_CHECKING:
    from bs4.element import Tag

_WIDEST_SPAN = 200
_TALLEST_SPAN = 2000


def is_data_table(table: Tag) -> bool:
    """Say whether a table holds data rather than arranging the page: two rows and columns or more, none inside."""
    if str(table.get("role", "")).lower() in ("presentation", "none"):
        return False
    rows = _rows(table)
    several = sum(len(_cells(row)) >= 2 for row in rows)
    if len(rows) < 2 or several < max(1, len(rows) / 2):
        return False
    named = any(cell.name == "th" for row in rows for cell in _cells(row))
    return named or not any(inner.find("table") for row in rows for inner in _cells(row))


def table_blocks(table: Tag) -> list[Block]:
    """Return a data table as blocks: its caption and the single cells above it as paragraphs, then the table."""
    rows = _rows(table)
    caption = table.find("caption")
    above = [visible_text(caption)] if caption is not None else []
    while rows and len(_cells(rows[0])) == 1:
        above.append(_cell_text(_cells(rows.pop(0))[0]))
    return [*(Block(ElementKind.TEXT, text) for text in above if text), _grid(rows).block()]


def _grid(rows: Sequence[Tag]) -> Grid:
    """Return the cells as a grid. A cell over several rows stands in each; rows of column names are joined to one."""
    texts = _spread(rows)
    names = _header_rows(rows)
    if names:
        columns = zip(*_even(texts[:names]), strict=True)
        header = [" ".join(dict.fromkeys(part for part in column if part)) for column in columns]
        return Grid.of([header, *texts[names:]]) if texts[names:] else Grid.of([header], has_header=False)
    return Grid.of(texts, has_header=has_header(texts) and not _named_by_row(rows))


def _rows(table: Tag) -> list[Tag]:
    from bs4.element import Tag

    sections = ("thead", "tbody", "tfoot")
    children = [child for child in table.contents if isinstance(child, Tag)]
    parts = [child.contents if child.name in sections else [child] for child in children]
    return [row for part in parts for row in part if isinstance(row, Tag) and row.name == "tr"]


def _cells(row: Tag) -> list[Tag]:
    from bs4.element import Tag

    return [cell for cell in row.contents if isinstance(cell, Tag) and cell.name in ("td", "th")]


def _header_rows(rows: Sequence[Tag]) -> int:
    """Return how many rows at the top name the columns: those in the head of the table or made of such cells only."""
    count = 0
    for row in rows:
        cells = _cells(row)
        in_head = row.parent is not None and row.parent.name == "thead"
        if not cells or not (in_head or all(cell.name == "th" for cell in cells)):
            break
        count += 1
    return min(count, len(rows))


def _named_by_row(rows: Sequence[Tag]) -> bool:
    """Say whether the first cell of nearly every row is its name, as in fact boxes without column names."""
    firsts = [cells[0].name == "th" for row in rows if (cells := _cells(row))]
    return bool(firsts) and sum(firsts) >= 0.6 * len(firsts) and firsts[0]


def _spread(rows: Sequence[Tag]) -> list[list[str]]:
    """Return the texts of all cells with those that span rows or columns repeated in each place."""
    below: dict[int, tuple[str, int]] = {}
    texts = []
    for row in rows:
        line: list[str] = []
        cells = _cells(row)
        for cell in cells:
            _take_from_above(line, below)
            text = _cell_text(cell)
            across, down = _span(cell, "colspan", _WIDEST_SPAN), _span(cell, "rowspan", _TALLEST_SPAN)
            for offset in range(across):
                shown = text if offset == 0 or (cell.name == "th" and len(cells) > 1) else ""
                if down > 1:
                    below[len(line)] = (shown, down - 1)
                line.append(shown)
        _take_from_above(line, below)
        texts.append(line)
    return texts


def _take_from_above(line: list[str], below: dict[int, tuple[str, int]]) -> None:
    while len(line) in below:
        text, left = below.pop(len(line))
        if left > 1:
            below[len(line)] = (text, left - 1)
        line.append(text)


def _cell_text(cell: Tag) -> str:
    pictures = [str(picture.get("alt") or "") for picture in cell.find_all("img")]
    return visible_text(cell) or " ".join(filter(None, pictures))


def _span(cell: Tag, name: str, most: int) -> int:
    value = str(cell.get(name, "1")).strip()
    return max(1, min(int(value), most)) if value.isascii() and value.isdigit() else 1


def _even(rows: Sequence[list[str]]) -> list[list[str]]:
    width = max(len(row) for row in rows)
    return [row + [""] * (width - len(row)) for row in rows]
