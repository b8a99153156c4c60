"""The tables of one page, from its words and rulings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop_rag.core.types import BBox
from desktop_rag.ingest.tables.aligned import aligned_tables
from desktop_rag.ingest.tables.captions import find_caption
from desktop_rag.ingest.tables.draft import Draft, DraftRow
from desktop_rag.ingest.tables.found import FoundTable, RowPlace
from desktop_rag.ingest.tables.lattice import continues, lattices
from desktop_rag.ingest.tables.parts import Line, Word, lines_of
from desktop_rag.ingest.tables.source import PageParts

_FEWEST_WORDS = 8


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table on its page, with what tells whether it goes on over the page's end.

    ``columns`` are the edges of its columns in the frame in which it is read, ``before`` and ``after`` the words of the
    page above and below it that stand in no table.
    """

    table: FoundTable
    turn: int
    columns: tuple[tuple[float, float], ...]
    before: int
    after: int


def tables_on(page: int, parts: Sequence[PageParts]) -> list[PageTable]:
    """Return the tables of a page, those of its main direction first, from top to bottom."""
    found: list[PageTable] = []
    for part in parts:
        if len(part.words) >= _FEWEST_WORDS:
            found.extend(_in_frame(page, part))
    return found


def _in_frame(page: int, part: PageParts) -> list[PageTable]:
    drafts = _ruled(part)
    free = _without(part.words, drafts)
    drafts += aligned_tables(free, part.rulings)
    free = _without(part.words, drafts)
    lines = lines_of(free)
    drafts.sort(key=lambda draft: (draft.box.y0, draft.box.x0))
    return [_finished(page, part, draft, lines) for draft in drafts]


def _ruled(part: PageParts) -> list[Draft]:
    drafts: list[Draft] = []
    for lattice in lattices(part.words, part.rulings):
        if lattice.is_split():
            continue
        draft = lattice.draft()
        if draft is None:
            continue
        taken = {id(word) for word in draft.words}
        lines = lines_of([word for word in part.words if id(word) not in taken], part.rulings)
        if not continues(draft, lines):
            drafts.append(draft)
    return _outermost(drafts)


def _outermost(drafts: list[Draft]) -> list[Draft]:
    """Drop what stands inside a table that was found already."""
    kept: list[Draft] = []
    for draft in sorted(drafts, key=lambda item: -(item.box.x1 - item.box.x0) * (item.box.y1 - item.box.y0)):
        if not any(_inside(draft.box, other.box) for other in kept):
            kept.append(draft)
    return kept


def _inside(inner: BBox, outer: BBox) -> bool:
    x, y = (inner.x0 + inner.x1) / 2, (inner.y0 + inner.y1) / 2
    return outer.x0 <= x <= outer.x1 and outer.y0 <= y <= outer.y1


def _without(words: Sequence[Word], drafts: Sequence[Draft]) -> list[Word]:
    taken = {id(word) for draft in drafts for word in draft.words}
    return [word for word in words if id(word) not in taken]


def _finished(page: int, part: PageParts, draft: Draft, lines: Sequence[Line]) -> PageTable:
    caption, caption_box, unit = find_caption(draft, lines)
    table = FoundTable(
        page=page,
        bbox=part.to_page(draft.box),
        rows=tuple(tuple(row.texts) for row in draft.rows),
        places=tuple(_place(page, part, draft, row) for row in draft.rows),
        header_rows=draft.header_rows,
        caption=caption,
        unit=unit,
        caption_box=None if caption_box is None else part.to_page(caption_box),
    )
    own = caption_box.y0 if caption_box is not None else draft.box.y0
    before = sum(len(line.words) for line in lines if line.y1 <= own)
    after = sum(len(line.words) for line in lines if line.y0 >= draft.box.y1)
    return PageTable(table, part.frame.turn, tuple(draft.columns), before, after)


def _place(page: int, part: PageParts, draft: Draft, row: DraftRow) -> RowPlace:
    cells = tuple(None if cell.box is None else part.to_page(cell.box) for cell in row.cells)
    boxes = [box for box in cells if box is not None]
    whole = BBox.around(boxes) if boxes else part.to_page(BBox(draft.box.x0, row.y0, draft.box.x1, row.y1))
    return RowPlace(page, whole, cells)
