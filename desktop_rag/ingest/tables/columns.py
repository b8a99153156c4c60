"""Columns of a table without upright lines: where white runs down between the words of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from desktop_rag.ingest.tables.parts import Line, Segment, is_currency, is_number, is_tail

Interval = tuple[float, float]
_CROSSED = 0.1
_NARROWEST = 0.25


def columns_of(lines: Sequence[Line]) -> list[Interval]:
    """Return the left and right edges of the columns that the segments of ``lines`` make, from left to right."""
    told = [line for line in lines if sum(s.is_number for s in line.segments[1:]) >= 0.5 * (len(line.segments) - 1)]
    lines = told if len(told) >= max(3, 0.4 * len(lines)) else lines  # names of columns stand closer than numbers
    segments = [segment for line in lines for segment in line.segments]
    size = median(line.size for line in lines)
    columns = _covered(segments, int(_CROSSED * len(lines)), _NARROWEST * size)
    columns = _with_rare(columns, segments, _NARROWEST * size)
    return _merged(columns, lines)


def column_at(columns: Sequence[Interval], segment: Segment) -> int:
    """Return the column in which most of a segment stands, or to which it is nearest."""
    return max(range(len(columns)), key=lambda at: overlap(columns[at], (segment.x0, segment.x1)))


def overlap(first: Interval, second: Interval) -> float:
    """Return by how much two intervals overlap; negative is the distance between them."""
    return min(first[1], second[1]) - max(first[0], second[0])


def crossed(columns: Sequence[Interval], segment: Segment) -> list[int]:
    """Return the columns into which a segment reaches by more than a little."""
    reach = (segment.x0, segment.x1)
    size = segment.words[0].size
    return [
        at for at, column in enumerate(columns) if overlap(column, reach) > min(size, 0.3 * (column[1] - column[0]))
    ]


def _covered(segments: Sequence[Segment], most: int, least_gap: float) -> list[Interval]:
    """Return the stretches that more than ``most`` segments cover, those less than ``least_gap`` apart as one."""
    events = sorted([(s.x0, 1) for s in segments] + [(s.x1, -1) for s in segments])
    stretches: list[Interval] = []
    count, start = 0, 0.0
    for x, step in events:
        if count <= most < count + step:
            start = x
        elif count + step <= most < count:
            if stretches and start - stretches[-1][1] < least_gap:
                stretches[-1] = (stretches[-1][0], x)
            else:
                stretches.append((start, x))
        count += step
    return stretches


def _with_rare(columns: list[Interval], segments: Sequence[Segment], least_gap: float) -> list[Interval]:
    """Add the columns in which only few rows have something, where nothing else reaches."""
    loose = [s for s in segments if all(overlap(c, (s.x0, s.x1)) < 0 for c in columns)]
    if not loose:
        return columns
    rare = _covered(loose, 0, least_gap)
    return sorted(columns + [r for r in rare if all(overlap(c, r) <= -least_gap for c in columns)])


def _merged(columns: list[Interval], lines: Sequence[Line]) -> list[Interval]:
    """Join columns of currency signs with the numbers after them, and of note marks with those before."""
    texts: list[list[str]] = [[] for _ in columns]
    for line in lines:
        for segment in line.segments:
            at = column_at(columns, segment) if columns else 0
            if columns:
                texts[at].append(segment.text)
    merged: list[Interval] = []
    pending: float | None = None
    for column, found in zip(columns, texts, strict=True):
        left = column[0] if pending is None else pending
        pending = None
        if found and all(is_currency(text) for text in found):
            pending = left
        elif merged and found and all(is_tail(text) for text in found) and not _all_missing(found):
            merged[-1] = (merged[-1][0], column[1])
        else:
            merged.append((left, column[1]))
    if pending is not None:
        merged.append(columns[-1])
    return merged


def _all_missing(texts: Sequence[str]) -> bool:
    """A column of asterisks alone stands for values."""
    return len(texts) >= 3 and all(set(text) <= set("*") for text in texts) and max(map(len, texts)) > 2


def is_numeric(texts: Sequence[str], share: float = 0.6) -> bool:
    """Say whether most of the filled cells of a column are numbers."""
    filled = [text for text in texts if text]
    return bool(filled) and sum(1 for text in filled if is_number(text)) >= share * len(filled)
