"""Rows of the body of a table without drawn cells: one per line, wrapped labels and texts joined."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import median

from desktop_rag.core.types import BBox
from desktop_rag.ingest.tables.columns import Interval, column_at, crossed, overlap
from desktop_rag.ingest.tables.draft import Cell, DraftRow
from desktop_rag.ingest.tables.parts import Line, Ruling, Segment, Word, is_number

_OVERLAP = 0.2
"""Lines that reach into each other by this share of the type size stand beside each other, not below."""


def body_rows(lines: Sequence[Line], columns: Sequence[Interval], rulings: Sequence[Ruling]) -> list[DraftRow]:
    """Return the rows that the lines below a header make."""
    rows = [_row(line, columns) for line in lines]
    sizes = [line.size for line in lines]
    rules = sorted(r.at for r in rulings if r.level and r.length > 0.7 * (columns[-1][1] - columns[0][0]))
    if not rows:
        return rows
    pitch = _pitch(lines)
    joined: list[DraftRow] = []
    held: DraftRow | None = None
    for index, row in enumerate(rows):
        if held is not None:
            _put_above(row, held)
            held = None
        last = joined[-1] if joined else None
        following = rows[index + 1] if index + 1 < len(rows) else None
        if last is not None and _continues(last, row, pitch, sizes[index], rules):
            _put_below(last, row)
        elif following is not None and _begins(row, following, sizes[index], rules):
            held = row
        else:
            joined.append(row)
    return joined


def _row(line: Line, columns: Sequence[Interval]) -> DraftRow:
    """Return a line as a row; a label that runs over other columns stays whole if nothing else stands in them."""
    words: list[list[Word]] = [[] for _ in columns]
    taken = {column_at(columns, s) for s in line.segments if len(crossed(columns, s)) < 2}
    for segment in line.segments:
        over = crossed(columns, segment)
        if len(over) < 2 or not taken.intersection(over[1:]) or len(line.segments) == 1:
            at = over[0] if len(over) > 1 else column_at(columns, segment)
            at = 0 if len(line.segments) == 1 and _is_centred(segment, columns, at) else at
            words[at].extend(segment.words)
        else:
            _share_out(segment, columns, words)
    return DraftRow([Cell.of(found) for found in words], line.y0, line.y1)


def _is_centred(segment: Segment, columns: Sequence[Interval], at: int) -> bool:
    """Say whether words alone in their line are a heading in the middle of the table, and no cell of a column."""
    left, right = columns[0][0], columns[-1][1]
    off = abs(segment.x0 + segment.x1 - left - right) / 2
    return off < 0.06 * (right - left) and segment.x0 - columns[at][0] > segment.words[0].size


def _share_out(segment: Segment, columns: Sequence[Interval], words: list[list[Word]]) -> None:
    for word in segment.words:
        at = max(range(len(columns)), key=lambda index: overlap(columns[index], (word.x0, word.x1)))
        words[at].append(word)


def _pitch(lines: Sequence[Line]) -> float:
    """The usual distance from row to row."""
    steps = [below.middle - above.middle for above, below in itertools.pairwise(lines)]
    return median(steps) if steps else 0.0


def _continues(last: DraftRow, row: DraftRow, pitch: float, size: float, rules: Sequence[float]) -> bool:
    """Say whether a row is the next line of the one above it."""
    if _parted(last, row, rules):
        return False
    step = (row.y0 + row.y1 - last.y0 - last.y1) / 2
    label = row.cells[0].text
    if row.filled == 1 and label and last.filled > 1 and last.y1 - row.y0 > _OVERLAP * size:
        return True  # the last line of a label beside the values, which stand at half height
    if row.filled == 0 or row.y0 - last.y1 > 0.9 * size:
        return False
    if label and row.filled == 1:
        return _goes_on(last.cells[0], row.cells[0], step, pitch)
    if label:
        return False
    texts = [(above, cell) for above, cell in zip(last.cells, row.cells, strict=True) if cell.text]
    if any(is_number(cell.text) for _, cell in texts):
        return False
    return all(above.text and not is_number(above.text) for above, _ in texts)


def _goes_on(above: Cell, below: Cell, step: float, pitch: float) -> bool:
    """A label goes on in the next line if that begins small, or is indented and closer than rows usually are."""
    if not above.text or above.box is None or below.box is None or above.text.endswith(":"):
        return False
    if below.text[0].islower() or above.text.endswith((",", "-", "–", " and", " of", " or", " the", "(")):
        return True
    return step < 0.85 * pitch and below.box.x0 >= above.box.x0 - 1


def _begins(row: DraftRow, following: DraftRow, size: float, rules: Sequence[float]) -> bool:
    """Say whether a label without values is the first line of the row below it."""
    label, rest = row.cells[0], following.cells[0]
    if row.filled != 1 or not label.text or label.text.endswith(":") or _parted(row, following, rules):
        return False
    if following.y0 - row.y1 > 0.9 * size:
        return False
    if not rest.text:
        return row.y1 - following.y0 > _OVERLAP * size  # values at half height between the two lines of their label
    return following.filled > 1 and rest.text[0].islower()


def _parted(above: DraftRow, below: DraftRow, rules: Sequence[float]) -> bool:
    return any((above.y0 + above.y1) / 2 < at < (below.y0 + below.y1) / 2 for at in rules)


def _put_below(last: DraftRow, row: DraftRow) -> None:
    for above, cell in zip(last.cells, row.cells, strict=True):
        above.absorb(cell)
    last.y1 = max(last.y1, row.y1)


def _put_above(row: DraftRow, held: DraftRow) -> None:
    for at, cell in enumerate(held.cells):
        cell.absorb(row.cells[at])
        row.cells[at] = cell
    row.y0 = min(row.y0, held.y0)


def box_of_rows(rows: Sequence[DraftRow]) -> BBox:
    """Return the box around all words of rows."""
    return BBox.around(cell.box for row in rows for cell in row.cells if cell.box is not None)
