"""Found tables as blocks that can be cut into elements, and whole, for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from desktop_rag.core.tables import TableData
from desktop_rag.core.types import BBox, Block, ElementKind, Span
from desktop_rag.ingest.chunks import estimate_tokens
from desktop_rag.ingest.grids import Grid, row_text, said_cells
from desktop_rag.ingest.tables.found import FoundTable


def table_data(table: FoundTable, identity: str) -> TableData:
    """Return the whole table for other programs, under ``identity``."""
    return TableData(identity, table.rows, table.header_rows, table.pages, table.caption, table.unit)


def table_blocks(table: FoundTable, max_tokens: int = 200, identity: str = "") -> tuple[Block, ...]:
    """Return the table as blocks of about ``max_tokens`` tokens, each on one page and each with its header.

    The text of a block begins with the caption and the unit, then has one line a row, "header: value; …"; there is one
    span for each cell, or for cells under one name. Its Markdown has the caption and its own rows below the header. On
    later pages, which do not print the caption, it is the block's context instead. The names of the columns are said on
    every page, for without them the values mean nothing; the header's place belongs to the block where the page has it.
    ``identity`` is the table's.
    """
    return tuple(replace(_block(table, group), table=identity) for group in _groups(table, max_tokens))


def _lead(table: FoundTable) -> str:
    """The caption with the unit, which numbers are not understood without."""
    caption, unit = table.caption, table.unit
    if not unit or unit.casefold() in caption.casefold():
        return caption
    return f"{caption} ({unit})" if caption else unit


def _groups(table: FoundTable, max_tokens: int) -> Iterator[list[int]]:
    """Yield the rows of the body that share a block: of one page, and together within the size, evenly filled."""
    room = max(max_tokens - estimate_tokens(_lead(table)), max_tokens // 3)
    for page in table.pages:
        rows = [at for at in range(table.header_rows, len(table.rows)) if table.places[at].page == page]
        costs = [estimate_tokens(row_text(table.header, table.rows[at])) for at in rows]
        parts = -(-sum(costs) // room)
        target = sum(costs) / parts if parts else room
        group: list[int] = []
        used = 0
        for at, cost in zip(rows, costs, strict=True):
            if group and (used + cost > room or used >= target):
                yield group
                group, used = [], 0
            group.append(at)
            used += cost
        if group:
            yield group


def _block(table: FoundTable, rows: list[int]) -> Block:
    page = table.places[rows[0]].page
    caption = _lead(table)
    lead = caption if page == table.page else ""
    lines = [lead] if lead else []
    text = lead
    spans = [Span(0, len(lead), _lead_box(table, rows))] if lead else []
    for at in rows:
        line = row_text(table.header, _said_once(table.rows[at]))
        text = f"{text}\n{line}" if text else line
        lines.append(line)
        spans += _cell_spans(table, at, line, len(text) - len(line))
    grid = Grid(table.header, tuple(table.rows[at] for at in rows))
    markdown = f"{lead}\n\n{grid.markdown()}" if lead else grid.markdown()
    frame, context = table.header_box(page), caption if not lead else ""
    return Block(ElementKind.TABLE, text, page, tuple(spans), markdown=markdown, frame=frame, context=context)


def _cell_spans(table: FoundTable, at: int, line: str, start: int) -> list[Span]:
    """Return where the cells of a row stand; a cell without words of its own is lit with its whole row."""
    place, spans, found = table.places[at], [], 0
    for said in said_cells(table.header, _said_once(table.rows[at])):
        begin = line.index(said.text, found)
        found = begin + len(said.text)
        boxes = [box for column in said.columns if (box := place.cells[column]) is not None]
        spans.append(Span(start + begin, start + found, BBox.around(boxes) if boxes else place.bbox))
    return spans or [Span(start, start + len(line), place.bbox)]


def _said_once(row: tuple[str, ...]) -> tuple[str, ...]:
    """A cell merged over several columns is said for the first of them, unless all its neighbours differ."""
    return tuple(text if at == 0 or text != row[at - 1] or len(text) < 12 else "" for at, text in enumerate(row))


def _lead_box(table: FoundTable, rows: list[int]) -> BBox:
    """Where the caption stands, or else the unit, which is in the header or in the first row."""
    if table.caption_box is not None:
        return table.caption_box
    return table.places[0 if table.header_rows else rows[0]].bbox
