"""The print view: a PDF made of the blocks of a document that has no pages, so that each block gets a page and a place.

The blocks are laid out with ``pymupdf.Story``. Short paragraphs and table rows are kept whole, headings stay with what
follows them, and the header of a table is repeated on each page. Long paragraphs may cross a page border; they come
back as one block a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import BBox, Block, ElementKind, ReadDocument, Span
from desktop_rag.ingest.grids import Grid, parse_markdown, row_text
from desktop_rag.ingest.print_html import Columns, clean, columns_of, text_html
from desktop_rag.ingest.print_lines import Line, Slice, align
from desktop_rag.ingest.print_numbered import Frame, NumberedSheets
from desktop_rag.ingest.print_pictures import prepared, without_ornaments
from desktop_rag.ingest.print_sheets import MARGIN, WIDEST, WIDTH, Piece, PlacedRow, PrintedSheets, Sheets

_LONGEST_BLOCK = 6000
_RUN_BLOCKS = 150
_RUN_CHARACTERS = 60_000
_TABLE_BLOCK_CHARACTERS = 600
_TALLEST_ROW_LINES = 30
_PICTURE_SIZE = 3_000
"""What a picture counts for in the size of a run."""


@dataclass(frozen=True, slots=True)
class _Table:
    grid: Grid
    columns: Columns
    page: int
    id: str


_Part = Block | _Table


def lay_out(title: str, blocks: Sequence[Block]) -> ReadDocument:
    """Lay ``blocks`` out on pages and return the document with the PDF, and the blocks with their pages and spans.

    Blocks of the kind ``table`` must carry the Markdown of a :class:`~desktop_rag.ingest.grids.Grid` (ValueError if
    not). Blocks without visible text are left out. A block that crosses a page border comes back as several, one a
    page; long tables come back as blocks of some rows, each with the header.
    """
    blocks = without_ornaments(blocks)
    grids = _grids(blocks)
    parts = [part for at, block in enumerate(blocks) for part in _parts(block, WIDTH, str(at), grids.get(at))]
    sheets = Sheets(clean(title).strip())
    for run in _runs(parts):
        first = parts[run.start]
        if isinstance(first, _Table):
            sheets.table(run.start, first.grid, first.columns)
        else:
            before_table = run.stop < len(parts) and isinstance(parts[run.stop], _Table)
            pieces = [_piece(key, parts[key], WIDTH) for key in run]
            sheets.text(pieces, before_table=before_table)
    return _document(title, grids, parts, sheets.finish())


def lay_out_numbered(title: str, blocks: Sequence[Block], frames: Sequence[Frame]) -> ReadDocument:
    """Lay ``blocks`` out on pages that have numbers beforehand: each on the page that it names, from 1.

    Page n has at least the size of the n-th frame, and is as high and wide as its blocks need. Pages without blocks
    stay empty. Otherwise as :func:`lay_out`; raises ValueError for a block that names no page of ``frames``.
    """
    parts: list[_Part] = []
    blocks = sorted(without_ornaments(blocks), key=lambda block: block.page)
    grids = _grids(blocks)
    for at, block in enumerate(blocks):
        if not 1 <= block.page <= len(frames):
            raise ValueError(f"a block names page {block.page} of {len(frames)}")
        parts += _parts(block, frames[block.page - 1].width, str(at), grids.get(at))
    runs = {page: list(group) for page, group in groupby(_runs(parts), key=lambda run: parts[run.start].page)}
    sheets = NumberedSheets(clean(title).strip())
    for page, frame in enumerate(frames, start=1):
        sheets.begin_page(frame)
        for run in runs.get(page, ()):
            first = parts[run.start]
            if isinstance(first, _Table):
                sheets.table(run.start, first.grid, first.columns)
            else:
                sheets.text([_piece(key, parts[key], frame.width) for key in run])
        sheets.end_page()
    return _document(title, grids, parts, sheets.finish())


def _grids(blocks: Sequence[Block]) -> dict[int, Grid]:
    """Return the tables among ``blocks``, each under its place there, which is its id in the document."""
    tables = (at for at, block in enumerate(blocks) if block.kind is ElementKind.TABLE)
    return {at: parse_markdown(clean(blocks[at].markdown)) for at in tables}


def _document(title: str, grids: Mapping[int, Grid], parts: Sequence[_Part], printed: PrintedSheets) -> ReadDocument:
    blocks = tuple(_placed(parts, printed))
    pages: dict[str, set[int]] = {}
    for block in blocks:
        pages.setdefault(block.table, set()).add(block.page)
    tables = [grid.data(str(at), sorted(pages[str(at)])) for at, grid in grids.items() if str(at) in pages]
    return ReadDocument(title, printed.pages, blocks, printed.pdf, waiting=_waiting(parts), tables=tuple(tables))


def _parts(block: Block, width: float, identity: str, grid: Grid | None) -> Iterator[_Part]:
    """Yield what is laid out for a block: a table, the rows of a table too large to draw, or pieces of text."""
    if grid is not None:
        yield from _table_parts(grid, block.page, width, identity)
        return
    picture = prepared(block.picture, width - 2 * MARGIN) if block.picture else None
    if picture is not None:
        text = clean(block.text).strip()[:_LONGEST_BLOCK]
        yield replace(block, text=text, picture=picture.data)
        return
    text = clean(block.text)
    text = text.rstrip() if block.kind is ElementKind.CODE else text.strip()
    while text:
        cut = _cut(text)
        yield replace(block, text=text[:cut].rstrip(), picture=b"")
        text = text[cut:] if block.kind is ElementKind.CODE else text[cut:].lstrip()


def _cut(text: str) -> int:
    """Return where an overlong text is cut: at the last line, sentence or word that ends before the limit."""
    if len(text) <= _LONGEST_BLOCK:
        return len(text)
    for border in ("\n", ". ", " "):
        place = text.rfind(border, _LONGEST_BLOCK // 2, _LONGEST_BLOCK)
        if place > 0:
            return place + len(border)
    return _LONGEST_BLOCK


def _table_parts(grid: Grid, page: int, width: float, identity: str) -> Iterator[_Part]:
    if not grid.rows:
        grid = Grid(("",) * len(grid.header), (grid.header,))
    if not any(map(any, grid.rows)):
        return
    columns = columns_of(grid, width - 2 * MARGIN)
    drawable = columns.total <= WIDEST - 2 * MARGIN
    if drawable and max(map(columns.lines, grid.rows)) <= _TALLEST_ROW_LINES:
        yield _Table(grid, columns, page, identity)
        return
    for row in grid.rows:
        text = row_text(grid.header, row)
        while text:
            cut = _cut(text)
            markdown = Grid(grid.header, (row,)).markdown()
            yield Block(ElementKind.TABLE, text[:cut].rstrip(), page, markdown=markdown, table=identity)
            text = text[cut:].lstrip()


def _runs(parts: Sequence[_Part]) -> Iterator[range]:
    """Yield ranges of parts that are laid out together: a table alone, or text up to a size that stays quick."""
    start = size = 0
    for index, part in enumerate(parts):
        if isinstance(part, _Table):
            if start < index:
                yield range(start, index)
            yield range(index, index + 1)
            start, size = index + 1, 0
            continue
        heading_next = part.level and size
        new_page = index > start and part.page != parts[start].page
        if (
            new_page
            or index - start >= _RUN_BLOCKS
            or size > _RUN_CHARACTERS
            or (heading_next and size > _RUN_CHARACTERS // 2)
        ):
            yield range(start, index)
            start, size = index, 0
        size += len(part.text) + (_PICTURE_SIZE if part.picture else 0)
    if start < len(parts):
        yield range(start, len(parts))


def _piece(key: int, part: _Part, width: float) -> Piece:
    if isinstance(part, _Table):
        raise TypeError("a table is not laid out as text")
    picture = prepared(part.picture, width - 2 * MARGIN) if part.picture else None
    html = text_html(part, f"b{key}", picture.html() if picture else "")
    return Piece(key, html, part.level > 0, picture)


def _waiting(parts: Sequence[_Part]) -> frozenset[Stage]:
    """Pictures are looked at later, where the print view shows them."""
    shown = any(isinstance(part, Block) and part.picture for part in parts)
    return frozenset({Stage.FIGURES}) if shown else frozenset()


def _placed(parts: Sequence[_Part], printed: PrintedSheets) -> Iterator[Block]:
    """Yield the blocks of all parts with their places."""
    lines = _lines_of_parts(printed)
    rows = {key: list(group) for key, group in groupby(printed.rows, key=lambda row: row.key)}
    openings = {opening.key: opening for opening in reversed(printed.openings)}
    for key, part in enumerate(parts):
        if isinstance(part, _Table):
            yield from _table_blocks(part, rows.get(key, []))
        elif key in lines:
            yield from _text_blocks(part, align(part.text, lines[key]))
        else:
            opening = openings[key]
            box = BBox(MARGIN, opening.y, WIDTH - MARGIN, opening.y + 14.0)
            yield replace(part, page=opening.page, spans=(Span(0, len(part.text), box),), picture=b"")


def _lines_of_parts(printed: PrintedSheets) -> dict[int, list[Line]]:
    """Give each line to the part that began last above it, on its page or on an earlier one."""
    found: dict[int, list[Line]] = {}
    openings = list(reversed(printed.openings))
    current = -1
    for number, lines in enumerate(printed.lines, start=1):
        for line in lines:
            while openings and (openings[-1].page, openings[-1].y) <= (number, (line.bbox.y0 + line.bbox.y1) / 2):
                current = openings.pop().key
            found.setdefault(current, []).append(line)
    return found


def _text_blocks(block: Block, slices: Sequence[Slice]) -> Iterator[Block]:
    markdown = "" if block.kind is ElementKind.TEXT else block.markdown  # that of list items only told their depth
    for page, group in groupby(slices, key=lambda item: item.line.page):
        items = list(group)
        first, after = items[0].start, items[-1].end
        spans = tuple(Span(item.start - first, item.end - first, item.line.bbox) for item in items)
        yield replace(block, text=block.text[first:after], page=page, spans=spans, markdown=markdown, picture=b"")


def _table_blocks(table: _Table, places: Sequence[PlacedRow]) -> Iterator[Block]:
    """Yield the table as blocks of rows: each on one page, not much longer than the limit, with the header."""
    grid = table.grid
    gathered: list[PlacedRow] = []
    texts: list[str] = []
    for place in places:
        text = row_text(grid.header, grid.rows[place.row])
        too_long = sum(map(len, texts)) + len(text) > _TABLE_BLOCK_CHARACTERS
        if gathered and (gathered[0].page != place.page or too_long):
            yield _rows_block(table, gathered, texts)
            gathered, texts = [], []
        gathered.append(place)
        texts.append(text)
    if gathered:
        yield _rows_block(table, gathered, texts)


def _rows_block(table: _Table, places: Sequence[PlacedRow], texts: Sequence[str]) -> Block:
    part = Grid(table.grid.header, tuple(table.grid.rows[place.row] for place in places))
    spans, start = [], 0
    for text, place in zip(texts, places, strict=True):
        spans.append(Span(start, start + len(text), place.bbox))
        start += len(text) + 1
    headers = [place.header for place in places if place.header is not None]
    frame = BBox.around(headers) if headers else None
    spread, markdown = tuple(spans), part.markdown()
    return Block(
        ElementKind.TABLE, "\n".join(texts), places[0].page, spread, markdown=markdown, frame=frame, table=table.id
    )
