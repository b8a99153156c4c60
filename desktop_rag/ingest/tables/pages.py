"""The tables of one page, from its words and rulings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop_rag.core.types import BBox
from desktop_rag.ingest.tables.aligned import aligned_tables
from desktop_rag.ingest.tables.captions import find_caption
from desktop_rag.ingest.tables.draft import Draft, DraftRow
from desktop_rag.ingest.tables.found import FoundTable, RowPlace
from desktop_rag.ingest.tables.judge import is_code
from desktop_rag.ingest.tables.lattice import continues, lattices
from desktop_rag.ingest.tables.parts import Line, Word, lines_of
from desktop_rag.ingest.tables.source import PageParts

_FEWEST_WORDS = 8
_PART_GAP = 6
_ALIGNED = 5.0


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
    drafts, boxes = _ruled(part)
    free = _without(part.words, drafts)
    for words in _by_box(free, boxes):
        drafts += aligned_tables(words, part.rulings)
    lines = lines_of(_without(part.words, drafts))
    drafts.sort(key=lambda draft: (draft.box.y0, draft.box.x0))
    return [_finished(page, part, draft, lines) for draft in _whole(drafts, lines)]


def _ruled(part: PageParts) -> tuple[list[Draft], list[BBox]]:
    """Return the tables whose cells are drawn, and the boxes of a grid in which the page is laid out."""
    drafts: list[Draft] = []
    boxes: list[BBox] = []
    for lattice in lattices(part.words, part.rulings):
        if lattice.is_layout():
            boxes.extend(lattice.boxes())
            continue
        draft = None if lattice.is_split() or lattice.is_ground() else lattice.draft()
        if draft is None or _is_slide(draft, part) or is_code(draft.words):
            continue
        taken = {id(word) for word in draft.words}
        lines = lines_of([word for word in part.words if id(word) not in taken], part.rulings)
        if not continues(draft, lines):
            drafts.append(draft)
    return _outermost(drafts), boxes


def _is_slide(draft: Draft, part: PageParts) -> bool:
    """Say whether few cells fill the page, as the grounds of a slide do."""
    area = (draft.box.x1 - draft.box.x0) * (draft.box.y1 - draft.box.y0)
    return len(draft.rows) <= 3 and area > 0.5 * part.frame.width * part.frame.height


def _by_box(words: Sequence[Word], boxes: Sequence[BBox]) -> list[list[Word]]:
    """Group words by the box in which they stand; those in none are one group."""
    groups: dict[int, list[Word]] = {}
    for word in words:
        x, y = word.middle
        place = next((at for at, b in enumerate(boxes) if b.x0 <= x <= b.x1 and b.y0 <= y <= b.y1), -1)
        groups.setdefault(place, []).append(word)
    return list(groups.values())


def _whole(drafts: list[Draft], lines: Sequence[Line]) -> list[Draft]:
    """Put parts of one table together that only white parts: the lower one has no header, and its columns line up."""
    whole: list[Draft] = []
    for draft in drafts:
        last = whole[-1] if whole else None
        if last is not None and not draft.caption and _line_up(last, draft):
            between = [line for line in lines if last.box.y1 <= line.middle <= draft.box.y0]
            size, gap = draft.words[0].size, draft.box.y0 - last.box.y1
            names = len(last.rows) <= 2 and -2 <= gap < size
            if not between and (names or (not draft.header_rows and 0 <= gap < _PART_GAP * size)):
                if names and not last.header_rows:
                    last.header_rows = len(last.rows)
                last.rows += draft.rows
                last.words += draft.words
                last.box = BBox.around((last.box, draft.box))
                continue
        whole.append(draft)
    return whole


def _line_up(first: Draft, second: Draft) -> bool:
    if len(first.columns) != len(second.columns):
        return False
    pairs = zip(first.columns[1:], second.columns[1:], strict=True)  # labels begin and end anywhere
    return all(min(abs(a[0] - b[0]), abs(a[1] - b[1])) < _ALIGNED for a, b in pairs)


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
