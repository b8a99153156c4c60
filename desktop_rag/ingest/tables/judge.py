"""Whether level words are a table: what keeps prose, lists, tables of contents and charts from being taken for one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from desktop_rag.ingest.tables.columns import Interval, column_at, crossed, is_numeric
from desktop_rag.ingest.tables.parts import Line, Segment, Word, is_bullet

_LEAST_ROWS = 3
_PAGE = re.compile(r"(?:[A-Z]{1,2}[-–.]?)?\d{1,4}|[ivxlcdm]{1,7}", re.IGNORECASE)
_WORDY = 4
_FEW_WORDS = 6
_BULLETS = frozenset("•◦▪●○■□‣➢✓·o")
_CODE = re.compile(r"</?[A-Za-z!?]|/>|[A-Za-z]>|[{};\\]|=[\"']|::|\(\)")


@dataclass(frozen=True, slots=True)
class Signs:
    """What stands around a candidate: a caption that says "Table", and level lines as wide as it is."""

    caption: bool
    rules: int
    header: bool
    parted: bool = False
    """Upright lines stand between the columns."""

    @property
    def any(self) -> bool:
        """Whether there is a sign of a table besides its words."""
        return self.parted or self.caption or self.rules >= 2 or (self.header and self.rules >= 1)


def is_table(lines: Sequence[Line], columns: Sequence[Interval], signs: Signs) -> bool:
    """Say whether lines with cells are a table with these columns."""
    rows = [line for line in lines if len(_filled(line, columns)) >= 2]
    least = 2 if signs.any and len(columns) > 2 else _LEAST_ROWS
    if len(columns) < 2 or len(rows) < least:
        return False
    cells = _cells(rows, columns)
    texts = [[segment.text for segment in column] for column in cells]
    if _is_list(texts) or _is_listing(cells) or _is_contents(rows, texts) or _is_prose(cells, signs):
        return False
    if sum(map(len, texts)) < 0.3 * len(rows) * len(columns) or _fit(rows, columns) < 0.75:
        return False
    if not signs.any and _alignment(cells) < 0.6:
        return False
    return _is_convincing(texts, rows, signs)


def _filled(line: Line, columns: Sequence[Interval]) -> set[int]:
    return {column_at(columns, segment) for segment in line.segments}


def _cells(rows: Sequence[Line], columns: Sequence[Interval]) -> list[list[Segment]]:
    cells: list[list[Segment]] = [[] for _ in columns]
    for row in rows:
        for segment in row.segments:
            cells[column_at(columns, segment)].append(segment)
    return cells


def _is_list(texts: Sequence[Sequence[str]]) -> bool:
    """Bullets, or numbers with a dot, before one column of text; bullets in any other column, too, make lists."""
    first = sum(1 for text in texts[0] if is_bullet(text)) >= 0.6 * len(texts[0])
    signs = any(sum(1 for text in column if text in _BULLETS) >= 0.5 * len(column) for column in texts if column)
    return (len(texts) == 2 and first) or signs


def _is_listing(cells: Sequence[Sequence[Segment]]) -> bool:
    """Code and logs, set in a typewriter's letters, stand in columns by chance; figures do not."""
    columns = [[word for segment in column for word in segment.words] for column in cells]
    if any(is_code(words) for words in columns if len(words) >= _FEW_WORDS):
        return True
    words = [word for column in columns for word in column]
    numeric = sum(1 for column in cells if is_numeric([segment.text for segment in column]))
    return sum(1 for word in words if word.mono) > 0.7 * len(words) and numeric < 2


def is_code(words: Sequence[Word]) -> bool:
    """Say whether words are markup or a program: many have the signs of one."""
    return sum(1 for word in words if _CODE.search(word.text)) > 0.3 * len(words)


def _is_contents(rows: Sequence[Line], texts: Sequence[Sequence[str]]) -> bool:
    """Headings and, at the end of the line, pages that never go back."""
    ends = [row.segments[-1].text for row in rows]
    if sum(1 for text in ends if _PAGE.fullmatch(text)) < 0.8 * len(ends) or len(texts) > 3:
        return False
    values = [int(text) for text in ends if text.isdigit()]
    rising = all(a <= b for a, b in itertools.pairwise(values))
    led = sum(1 for row in rows if any(word.leader for word in row.words)) >= 0.5 * len(rows)
    wordy = mean(len(text.split()) for text in max(texts, key=lambda column: sum(map(len, column)))) >= 2
    return wordy and ((led and rising) or (rising and len(values) >= 5 and values[-1] > values[0]))


def _is_prose(cells: Sequence[Sequence[Segment]], signs: Signs) -> bool:
    """Columns of running text: lines of several words that fill their column, in two columns or more."""
    if signs.parted:
        return False
    wordy = 0
    for column in cells:
        if len(column) < 2:
            continue
        words = median(sum(1 for word in s.words if word.text.isalpha() and len(word.text) > 1) for s in column)
        width = max(s.x1 for s in column) - min(s.x0 for s in column)
        full = median(s.x1 - s.x0 for s in column) > 0.65 * width
        wordy += words >= _WORDY and full
    return wordy >= 2 or (wordy == 1 and not signs.any)


def _fit(rows: Sequence[Line], columns: Sequence[Interval]) -> float:
    """The share of segments that stand in one column only, and alone there in their row."""
    good = total = 0
    for row in rows:
        places = [column_at(columns, segment) for segment in row.segments]
        for segment, place in zip(row.segments, places, strict=True):
            total += 1
            good += len(crossed(columns, segment)) < 2 and (places.count(place) == 1 or len(segment.text) < 3)
    return good / total


def _alignment(cells: Sequence[Sequence[Segment]]) -> float:
    """The mean, over the columns, of the share of cells that share a left edge, a right edge or a centre."""
    shares = []
    for column in cells:
        if len(column) < 2:
            continue
        tolerance = 0.6 * median(segment.words[0].size for segment in column)
        edges = (
            [segment.x0 for segment in column],
            [segment.x1 for segment in column],
            [(segment.x0 + segment.x1) / 2 for segment in column],
        )
        shares.append(max(sum(1 for x in found if abs(x - median(found)) <= tolerance) / len(found) for found in edges))
    return mean(shares) if shares else 0.0


def _is_convincing(texts: Sequence[Sequence[str]], rows: Sequence[Line], signs: Signs) -> bool:
    numeric = [is_numeric(column) for column in texts]
    if len(texts) == 2:
        if numeric[0] and numeric[1]:
            return signs.caption or (signs.rules >= 2 and signs.header)  # the axes of a chart, as a rule
        return (
            signs.any or (numeric[1] and len(rows) >= _LEAST_ROWS and signs.header) or (len(rows) >= 8 and numeric[1])
        )
    if sum(numeric) >= 2 and not all(numeric):
        return True
    if median(len(text) for column in texts for text in column) < 2:
        return signs.caption  # the ticks of an axis
    short = median(len(text.split()) for column in texts for text in column) <= 4
    return signs.any or (signs.header and len(rows) >= 4) or (len(rows) >= 5 and short and not all(numeric))
