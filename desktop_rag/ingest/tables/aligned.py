"""Tables that no rulings draw, or not wholly: found by lines of words that keep to the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from desktop_rag.ingest.tables.body import body_rows, box_of_rows
from desktop_rag.ingest.tables.captions import is_caption
from desktop_rag.ingest.tables.columns import Interval, column_at, columns_of, crossed, is_numeric
from desktop_rag.ingest.tables.draft import Draft, DraftRow
from desktop_rag.ingest.tables.headers import header_count, is_year
from desktop_rag.ingest.tables.judge import Signs, is_table
from desktop_rag.ingest.tables.parts import Line, Ruling, Word, is_bullet, is_number
from desktop_rag.ingest.tables.regions import regions_of
from desktop_rag.ingest.tables.spans import header_rows

_WIDE = 0.7
_MOST_HEADER = 9
_MOST_BETWEEN = 3
_LONG = 8
_RUNNING = 10
_PROSE = 5


def aligned_tables(words: Sequence[Word], rulings: Sequence[Ruling]) -> list[Draft]:
    """Return the tables among ``words``, region by region in reading order."""
    found: list[Draft] = []
    for lines in regions_of(words, rulings):
        at = 0
        while at < len(lines):
            start, end = _run(lines, at)
            at = max(end, at + 1)
            if end - start < 2:
                continue
            candidate = Candidate.of(lines, start, end, rulings)
            draft = candidate.draft() if candidate is not None else None
            if draft is not None:
                found.append(draft)
                bottom = draft.box.y1
                while at < len(lines) and lines[at].middle < bottom:
                    at += 1
    return found


def _run(lines: Sequence[Line], start: int) -> tuple[int, int]:
    """Return the next stretch of lines with cells, from ``start`` on: few lines without cells stand between them."""
    first = next((at for at in range(start, len(lines)) if _has_cells(lines[at])), len(lines))
    last = first
    width = max((line.x1 for line in lines), default=0) - min((line.x0 for line in lines), default=0)
    steps: list[float] = []
    for at in range(first + 1, len(lines)):
        line, above = lines[at], lines[at - 1]
        step = line.middle - above.middle
        usual = median(steps) if steps else 2.2 * line.size
        if step > max(2.3 * usual, 3.5 * line.size) or is_caption(line.text):
            break
        if _has_cells(line):
            steps.append(step)
            last = at
        elif at - last > _MOST_BETWEEN or (len(line.words) >= _LONG and line.x1 - line.x0 > _WIDE * width):
            break
    return first, last + 1 if first < len(lines) else first


def _has_cells(line: Line) -> bool:
    """Say whether a line has words apart as cells are: not a list's item, nor lines of prose side by side."""
    segments = line.segments
    if len(segments) < 2 or (len(segments) == 2 and is_bullet(segments[0].text)):
        return False
    return any(len(segment.words) < 6 for segment in segments) and not _is_running(line)


def _is_running(line: Line) -> bool:
    """Running text with raised note marks, or set wide to fill its column, has gaps but hardly any white."""
    white = sum(max(b.x0 - a.x1, 0) for a, b in pairwise(line.segments))
    figures = sum(1 for word in line.words if is_number(word.text))
    return len(line.words) >= _RUNNING and white < 0.12 * (line.x1 - line.x0) and figures < 0.4 * len(line.words)


@dataclass(slots=True)
class Candidate:
    """Lines that may be a table: ``core`` are those with cells and what stands between, ``above`` what is before."""

    above: list[Line]
    core: list[Line]
    columns: list[Interval]
    rulings: list[Ruling]

    @staticmethod
    def of(lines: Sequence[Line], start: int, end: int, rulings: Sequence[Ruling]) -> Candidate | None:
        """Return the candidate of a run of lines, or None where its words make no columns."""
        core = list(lines[start:end])
        columns = columns_of([line for line in core if len(line.segments) > 1])
        while len(core) > 2 and len(columns) > 1 and not _keeps_to(core[0], columns):
            core.pop(0)
            start += 1
        if len(columns) < 2:
            return None
        while end < len(lines) and _is_rest(lines[end], core[-1], columns):
            core.append(lines[end])
            end += 1
        left, right = columns[0][0], columns[-1][1]
        top = lines[max(start - _MOST_HEADER, 0)].y0
        near = [
            r
            for r in rulings
            if (r.level and min(r.end, right) - max(r.start, left) > 0.5 * r.length and r.at > top - 3 * core[0].size)
            or (not r.level and left - 5 < r.at < right + 5)
        ]
        return Candidate(list(lines[:start]), core, columns, near)

    def draft(self) -> Draft | None:
        """Return the table, if it is one."""
        head = self._head()
        split = self._split(head)
        body = (head + self.core)[split:]
        header = (head + self.core)[:split]
        signs = Signs(self._has_caption(head), self._rules(head), bool(header), self._is_parted())
        cells = [line for line in body if len(line.segments) > 1]
        if not cells or not is_table(cells, self.columns, signs):
            return None
        rows = header_rows(header, self.columns, self.rulings) if header else []
        if sum(row.filled for row in rows) < 2:
            rows, body = [], header + body  # a heading over the first part of the table
        count = len(rows)
        rows += body_rows(body, self.columns, self.rulings)
        if _filling(rows[count:]) < self._least_filling(signs, rows[count:]):
            return None
        words = [word for line in head + self.core for word in line.words]
        if not count:
            count = header_count(rows, words)
        columns = _with_their_names(rows, count, self.columns)
        return Draft(rows, count, box_of_rows(rows), columns, words)

    def _least_filling(self, signs: Signs, body: Sequence[DraftRow]) -> float:
        """How many cells must be filled: the less else says that this is a table, the more."""
        if signs.caption and signs.rules:
            return 0.3
        if not (signs.caption or signs.parted) and _is_told_in_words(body):
            return 0.75
        return 0.45 if signs.any else 0.6

    def _is_parted(self) -> bool:
        """Say whether upright lines stand between most of the columns."""
        top, bottom = self.core[0].middle, self.core[-1].middle
        uprights = [r.at for r in self.rulings if not r.level and r.start < bottom and r.end > top]
        uprights = [x for x in uprights if self.columns[0][1] - 2 < x < self.columns[-1][0] + 2]
        return len(self.columns) > 2 and len(uprights) >= len(self.columns) - 2

    def _wide(self) -> list[float]:
        """The heights of level lines across the table."""
        width = self.columns[-1][1] - self.columns[0][0]
        return sorted(r.at for r in self.rulings if r.level and r.length > _WIDE * width)

    def _rules(self, head: Sequence[Line]) -> int:
        top = (head[0] if head else self.core[0]).y0
        size = self.core[-1].size
        return sum(1 for at in self._wide() if top - 2 * size < at < self.core[-1].y1 + 2 * size)

    def _has_caption(self, head: Sequence[Line]) -> bool:
        above = self.above[: len(self.above) - len(head)]
        return any(is_caption(line.text) for line in above[-6:])

    def _head(self) -> list[Line]:
        """Return the lines above the first line with cells that belong to the header."""
        ruled = self._ruled_head()
        if ruled is not None:
            return ruled
        head: list[Line] = []
        below = self.core[0]
        for line in reversed(self.above[-_MOST_HEADER:]):
            close = below.y0 - line.y1 < 0.75 * line.size
            if not close or is_caption(line.text) or not self._is_over_columns(line):
                break
            if any(line.middle < at < below.middle for at in self._wide()):
                break
            head.insert(0, line)
            below = line
        return head

    def _ruled_head(self) -> list[Line] | None:
        """Lines between a rule across the table and the first line with cells, if the rule stands near above it."""
        first = self.core[0]
        wide = [at for at in self._wide() if at < first.middle]
        for top in reversed(wide[-2:]):
            head = [line for line in self.above if line.middle > top]
            if not head:
                continue
            if len(head) > _MOST_HEADER or any(is_caption(line.text) or self._is_sentence(line) for line in head):
                return None
            steps = [b.y0 - a.y1 for a, b in zip(head, [*head[1:], first], strict=True)]
            return head if max(steps) < 1.6 * first.size else None
        return [] if wide and first.y0 - wide[-1] < 1.5 * first.size else None

    def _is_over_columns(self, line: Line) -> bool:
        left, right = self.columns[0][0], self.columns[-1][1]
        inside = line.x0 > left - line.size and line.x1 < right + line.size
        stub = all(segment.x0 < self.columns[0][1] for segment in line.segments)
        return inside and not stub and not self._is_sentence(line)

    def _is_sentence(self, line: Line) -> bool:
        """A line of running text, or of a title, over most of the table's width."""
        longest = max(line.segments, key=lambda segment: len(segment.words))
        wide = longest.x1 - longest.x0 > 0.55 * (self.columns[-1][1] - self.columns[0][0])
        return wide and len(longest.words) > 5

    def _split(self, head: Sequence[Line]) -> int:
        """Return how many of the lines, those of ``head`` included, are the header."""
        lines = [*head, *self.core]
        by_values = self._first_values(lines)
        by_rule = self._first_rule(lines)
        if by_rule is not None and (by_values is None or by_rule <= by_values or not _told(lines[by_values:by_rule])):
            return by_rule
        if by_values is not None:
            return by_values if by_values <= max(_MOST_HEADER, len(head)) else len(head)
        bold = next((at for at, line in enumerate(lines) if not line.bold), len(lines))
        return max(len(head), bold if bold <= len(lines) // 2 else 0)

    def _first_values(self, lines: Sequence[Line]) -> int | None:
        """The first line with numbers, other than years, where columns hold numbers; labels right above it stay."""
        texts: list[list[str]] = [[] for _ in self.columns]
        for line in lines:
            for segment in line.segments:
                texts[column_at(self.columns, segment)].append(segment.text)
        numeric = {at for at, found in enumerate(texts) if at and is_numeric(found, 0.5)}
        if not numeric:
            return None
        for index, line in enumerate(lines):
            found = [s for s in line.segments if column_at(self.columns, s) in numeric]
            values = [s.text for s in found if s.is_number]
            if values and len(values) >= 0.5 * len(found) and not all(is_year(text) for text in values):
                return self._without_labels(lines, index)
        return None

    def _without_labels(self, lines: Sequence[Line], index: int) -> int:
        wide = self._wide()
        while index > 0:
            line = lines[index - 1]
            in_stub = len(line.segments) == 1 and line.x0 < self.columns[0][1] and line.x1 < self.columns[1][1]
            ruled = any(line.middle < at < lines[index].middle for at in wide)
            if not in_stub or ruled:
                break
            index -= 1
        return index

    def _first_rule(self, lines: Sequence[Line]) -> int | None:
        """The number of lines above the first rule across the table that stands between two of its lines."""
        left = self.columns[0][0] + 0.5 * (self.columns[0][1] - self.columns[0][0])
        width = self.columns[-1][1] - self.columns[0][0]
        across = sorted(r.at for r in self.rulings if r.level and r.length > 0.85 * width and r.start < left)
        for at in across:
            count = sum(1 for line in lines if line.middle < at)
            if 0 < count < len(lines):
                return count if count <= _MOST_HEADER else None
        return None


def _is_told_in_words(rows: Sequence[DraftRow]) -> bool:
    """Say whether a column other than the first holds running text: what stands beside the labels of a chart."""
    columns = zip(*(row.texts for row in rows), strict=True)
    lengths = [[len(text.split()) for text in column if text] for column in columns]
    return any(sum(found) >= _PROSE * len(found) for found in lengths[1:] if found)


def _told(lines: Sequence[Line]) -> bool:
    """Say whether lines hold numbers other than years and the marks of notes."""
    numbers = [s.text for line in lines for s in line.segments[1:] if s.is_number]
    return sum(1 for text in numbers if not is_year(text)) >= 2


def _filling(rows: Sequence[DraftRow]) -> float:
    """The share of cells with a text, rows that are only a label apart; the labels of a chart leave most empty."""
    told = [row for row in rows if row.filled > 1 or not row.cells[0].text]
    return sum(row.filled for row in told) / sum(len(row.cells) for row in told) if told else 0.0


def _with_their_names(rows: list[DraftRow], count: int, columns: Sequence[Interval]) -> list[Interval]:
    """Join a column that is only a name with the nameless values beside it; returns what is left of the columns."""
    kept = list(columns)
    at = 0
    while count and at + 1 < len(kept):
        left, right = [row.cells[at] for row in rows], [row.cells[at + 1] for row in rows]
        named = not any(cell.text for cell in right[:count]) and not any(cell.text for cell in left[count:])
        valued = not any(cell.text for cell in left[:count]) and not any(cell.text for cell in right[count:])
        if len(kept) > 2 and (named or valued):
            for row in rows:
                row.cells[at].absorb(row.cells.pop(at + 1))
            kept[at : at + 2] = [(kept[at][0], kept[at + 1][1])]
        else:
            at += 1
    return kept


def _is_rest(line: Line, above: Line, columns: Sequence[Interval]) -> bool:
    """Say whether a line ends the label of the last row."""
    close = line.y0 - above.y1 < 0.6 * line.size
    return close and line.x0 > columns[0][0] - 2 and line.x1 < columns[1][0] and line.text[0].islower()


def _keeps_to(line: Line, columns: Sequence[Interval]) -> bool:
    left, right = columns[0][0], columns[-1][1]
    names = len(line.segments) >= 0.6 * len(columns) and not any(char.isdigit() for char in line.text)
    reach = (6 if names else 2) * line.size  # the name of a narrow column of figures may begin far before them
    crossing = sum(1 for segment in line.segments if len(crossed(columns, segment)) > 1)
    return line.x0 > left - reach and line.x1 < right + reach and crossing <= 0.5 * len(line.segments)
