"""Rows of a header that stand over several columns."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_rag.ingest.tables.columns import Interval, column_at, crossed, overlap
from desktop_rag.ingest.tables.draft import Cell, DraftRow
from desktop_rag.ingest.tables.parts import Line, Ruling, Segment, Word, is_number

_CENTRED = 0.12
_APART = 0.36
_NEAR = 1.6
"""How far below a name, in type sizes, the line may be drawn that tells which columns it is over."""


def header_rows(lines: Sequence[Line], columns: Sequence[Interval], rulings: Sequence[Ruling]) -> list[DraftRow]:
    """Return the lines of a header as rows: wrapped names are one cell, a name over several columns fills them all."""
    wide = _widened(lines, columns)
    split = [[part for segment in line.segments for part in _apart(segment, wide, columns)] for line in lines]
    spans = [[_span(part, Line(parts), columns, rulings) for part in parts] for parts in split]
    _adopt(split, spans)
    levels: list[list[dict[int, list[Word]]]] = []
    bounds: list[tuple[float, float]] = []
    for index, line in enumerate(lines):
        cells: dict[int, list[Word]] = {}
        for part, span in zip(split[index], spans[index], strict=True):
            for at in span:
                cells.setdefault(at, []).extend(part.words)
        below = index > 0 and _is_below(spans[index], spans[index - 1])
        if levels and not below and not _ruled_off(bounds[-1][1], line, rulings):
            levels[-1].append(cells)
            bounds[-1] = (bounds[-1][0], line.y1)
        else:
            levels.append([cells])
            bounds.append((line.y0, line.y1))
    return [_row(level, bound, len(columns)) for level, bound in zip(levels, bounds, strict=True)]


def _adopt(split: list[list[Segment]], spans: list[list[tuple[int, ...]]]) -> None:
    """Let the first line of a name stand over the same columns as its next line, in whose middle it is."""
    for index in range(len(split) - 2, -1, -1):
        for at, part in enumerate(split[index]):
            for below, span in zip(split[index + 1], spans[index + 1], strict=True):
                off = abs(part.x0 + part.x1 - below.x0 - below.x1) / 2
                if len(span) > max(1, len(spans[index][at])) and off < part.words[0].size:
                    spans[index][at] = span


def _row(level: list[dict[int, list[Word]]], bound: tuple[float, float], columns: int) -> DraftRow:
    words: list[list[Word]] = [[] for _ in range(columns)]
    for cells in level:
        for at, found in cells.items():
            words[at].extend(found)
    return DraftRow([Cell.of(found) for found in words], *bound)


def _is_below(spans: Sequence[tuple[int, ...]], above: Sequence[tuple[int, ...]]) -> bool:
    """Say whether a line names the single columns under names over several of them in the line above."""
    wide = [span for span in above if len(span) > 1]
    return any(set(span) < set(group) for span in spans for group in wide)


def _ruled_off(bottom: float, line: Line, rulings: Sequence[Ruling]) -> bool:
    """Say whether a line runs between two lines of the header under most of the lower one."""
    return any(
        r.level and bottom - 0.3 * line.size <= r.at <= line.middle and r.start <= line.x0 + 2 and r.end >= line.x1 - 2
        for r in rulings
    )


def _widened(lines: Sequence[Line], columns: Sequence[Interval]) -> list[Interval]:
    """Return the columns as wide as their names are, where these are wider than what stands below them."""
    wide = list(columns)
    for segment in (segment for line in lines for segment in line.segments):
        reached = [at for at, column in enumerate(columns) if overlap(column, (segment.x0, segment.x1)) > 0]
        if len(reached) == 1:
            at = reached[0]
            wide[at] = (min(wide[at][0], segment.x0), max(wide[at][1], segment.x1))
    return [
        (max(x0, columns[at - 1][1]) if at else x0, min(x1, columns[at + 1][0]) if at + 1 < len(wide) else x1)
        for at, (x0, x1) in enumerate(wide)
    ]


def _apart(segment: Segment, wide: Sequence[Interval], columns: Sequence[Interval]) -> list[Segment]:
    """Cut a segment between two words of different columns if the gap is wider than between words, or after a number.

    The names of narrow columns stand close to each other.
    """
    parts = [[segment.words[0]]]
    for word in segment.words[1:]:
        last = parts[-1][-1]
        left, right = column_at(wide, Segment([last])), column_at(wide, Segment([word]))
        whole = parts[-1][0].x0 >= wide[left][0] - 1
        if left != right and _is_cut(last, word, columns[left], whole):
            parts.append([word])
        else:
            parts[-1].append(word)
    return [Segment(words) for words in parts]


def _is_cut(last: Word, word: Word, column: Interval, whole: bool) -> bool:
    """Say whether a name ends between two words: by a number, the gap, or the right edge of the column's figures.

    ``whole`` says that the words so far keep to one column; a name over several may end anywhere.
    """
    size = max(last.size, word.size)
    gap = word.x0 - last.x1
    number = len(last.text) > 1 and is_number(last.text) and last.size > 0.9 * word.size
    ends = whole and gap > 0.1 * size and abs(last.x1 - column[1]) < 0.2 * size
    return number or ends or gap > _APART * size


def _span(segment: Segment, line: Line, columns: Sequence[Interval], rulings: Sequence[Ruling]) -> tuple[int, ...]:
    boxed = _between_uprights(segment, line, columns, rulings)
    if len(boxed) > 1:
        return boxed
    underlined = _under_rule(segment, line, columns, rulings)
    if len(underlined) > 1:
        return underlined
    over = crossed(columns, segment)
    return tuple(over) if len(over) > 1 else (column_at(columns, segment),)


def _under_rule(
    segment: Segment, line: Line, columns: Sequence[Interval], rulings: Sequence[Ruling]
) -> tuple[int, ...]:
    """The columns that a line below a name, shorter than the table, covers."""
    width = columns[-1][1] - columns[0][0]
    for ruling in rulings:
        below = ruling.level and -0.3 * line.size < ruling.at - line.y1 < _NEAR * line.size
        around = ruling.start <= segment.x0 + 2 and ruling.end >= segment.x1 - 2
        if below and around and ruling.length < 0.85 * width:
            under = _within(columns, ruling.start, ruling.end)
            beside = [s for s in line.segments if ruling.start - 2 <= s.x0 and s.x1 <= ruling.end + 2]
            if len(beside) == 1:
                return under
            return (
                tuple(at for at in under if _nearest(beside, columns[at]) is segment)
                if len(beside) < len(under)
                else ()
            )
    return ()


def _nearest(segments: Sequence[Segment], column: Interval) -> Segment:
    return min(segments, key=lambda segment: abs(segment.x0 + segment.x1 - column[0] - column[1]))


def _between_uprights(
    segment: Segment, line: Line, columns: Sequence[Interval], rulings: Sequence[Ruling]
) -> tuple[int, ...]:
    """The columns between the upright lines left and right of a name that stands alone and centred there."""
    uprights = [r.at for r in rulings if not r.level and r.start - 2 <= line.middle <= r.end + 2]
    left = max((x for x in uprights if x <= segment.x0 + 2), default=None)
    right = min((x for x in uprights if x >= segment.x1 - 2), default=None)
    if left is None and right is None:
        return ()
    left = columns[0][0] if left is None else left
    right = columns[-1][1] if right is None else right
    alone = sum(1 for other in line.segments if left <= (other.x0 + other.x1) / 2 <= right) == 1
    centred = abs((segment.x0 + segment.x1) - (left + right)) / 2 < _CENTRED * (right - left)
    return _within(columns, left, right) if alone and centred else ()


def _within(columns: Sequence[Interval], start: float, end: float) -> tuple[int, ...]:
    return tuple(at for at, (x0, x1) in enumerate(columns) if start - 2 <= (x0 + x1) / 2 <= end + 2)
