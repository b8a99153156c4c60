"""Tables whose every cell is drawn: cells from the crossings of their rulings, by pdfplumber's rules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from desktop_rag.core.types import BBox
from desktop_rag.ingest.tables.draft import Cell, Draft, DraftRow
from desktop_rag.ingest.tables.headers import header_count
from desktop_rag.ingest.tables.parts import Line, Ruling, Word, is_number, lines_of

_MOST_PAIRS = 250_000
_TOUCH = 2.5
_LEAST_FILLED = 0.35
_FLOWING = 0.8
_GIANT = 6
_TIGHT = 1.35

Box = tuple[float, float, float, float]


class Lattice:
    """Touching cells of rulings, as a grid; a cell that covers several places of it stands in each of them."""

    def __init__(self, cells: Sequence[Box]) -> None:
        self.xs = _steps([x for cell in cells for x in (cell[0], cell[2])])
        self.ys = _steps([y for cell in cells for y in (cell[1], cell[3])])
        self.owner: dict[tuple[int, int], int] = {}
        self.extent: list[tuple[int, int, int, int]] = []
        for index, (x0, y0, x1, y1) in enumerate(cells):
            left, right = _nearest(self.xs, x0), _nearest(self.xs, x1)
            top, bottom = _nearest(self.ys, y0), _nearest(self.ys, y1)
            self.extent.append((top, left, bottom, right))
            for row in range(top, bottom):
                for column in range(left, right):
                    self.owner.setdefault((row, column), index)
        self.words: list[list[Word]] = [[] for _ in cells]

    @property
    def box(self) -> BBox:
        """The rectangle around all cells."""
        return BBox(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def take(self, words: Sequence[Word]) -> None:
        """Put each word into the cell in which its centre stands."""
        for word in words:
            x, y = word.middle
            place = bisect_right(self.ys, y) - 1, bisect_right(self.xs, x) - 1
            if place in self.owner:
                self.words[self.owner[place]].append(word)
        for index in range(len(self.extent)):
            self._loosen(index)

    def _loosen(self, index: int) -> None:
        """Part a cell over several columns if each of its words keeps to one: it is a ground, and no merged cell."""
        top, left, bottom, right = self.extent[index]
        segments = [segment for line in lines_of(self.words[index]) for segment in line.segments]
        if right - left < 2 or len(segments) < 2:
            return
        places = [bisect_right(self.xs, segment.x0) - 1 for segment in segments]
        whole = all(segment.x1 < self.xs[at + 1] + _TOUCH for segment, at in zip(segments, places, strict=True))
        if not whole or len(set(places)) < max(2, 0.5 * (right - left)):
            return
        for column in range(left, right):
            found = [w for segment, at in zip(segments, places, strict=True) if at == column for w in segment.words]
            self.extent.append((top, column, bottom, column + 1))
            self.words.append(found)
            self.owner.update({(row, column): len(self.words) - 1 for row in range(top, bottom)})
        self.words[index] = []

    def draft(self) -> Draft | None:
        """Return the lattice as a table, or None if its cells do not make one."""
        rows, places = len(self.ys) - 1, len(self.xs) - 1
        cells = [Cell.of(words) for words in self.words]
        grid = [[self._cell(cells, row, column, places) for column in range(places)] for row in range(rows)]
        columns = [c for c in range(places) if any(grid[r][c].text for r in range(rows))]
        drafted = [
            DraftRow([grid[r][c] for c in columns], self.ys[r], self.ys[r + 1])
            for r in range(rows)
            if any(grid[r][c].text for c in columns)
        ]
        drafted, columns = _without_copies(drafted, columns)
        if not self._is_table(drafted, len(columns)):
            return None
        edges = [(self.xs[c], self.xs[c + 1]) for c in columns]
        words = [word for group in self.words for word in group]
        draft = Draft(drafted, 0, self.box, edges, words)
        _take_title(draft)
        draft.header_rows = header_count(draft.rows, words)
        return draft if len(draft.rows) > max(draft.header_rows, 1) else None

    def _cell(self, cells: list[Cell], row: int, column: int, places: int) -> Cell:
        index = self.owner.get((row, column))
        if index is None:
            return Cell()
        top, left, _, right = self.extent[index]
        whole_row = left == 0 and right == places and places > 1
        if whole_row and (column > 0 or row > top):
            return Cell()  # a heading across the table is said once
        return cells[index]

    def _is_table(self, rows: list[DraftRow], columns: int) -> bool:
        if columns < 2 or len(rows) < 2:
            return False
        filled = sum(row.filled for row in rows)
        full = sum(1 for row in rows if row.filled >= 2)
        least = _LEAST_FILLED if len(rows) > 2 else 2 * _LEAST_FILLED
        return full >= max(2, 0.4 * len(rows)) and filled >= least * columns * len(rows)

    def boxes(self) -> list[BBox]:
        """The rectangles of its cells."""
        return [BBox(self.xs[x0], self.ys[y0], self.xs[x1], self.ys[y1]) for y0, x0, y1, x1 in self.extent]

    def is_layout(self) -> bool:
        """Say whether its cells hold tables of their own, as the boxes of a page that is laid out in a grid."""
        inner = 0
        for words in self.words:
            lines = [line for line in lines_of(words) if len(line.segments) > 1]
            inner += len(words) if len(lines) >= 3 else 0
        return inner > 0.5 * sum(map(len, self.words))

    def is_ground(self) -> bool:
        """Say whether running text goes on over its borders: then they are grounds of marked words, and no cells."""
        over = total = 0
        placed = [(word, index) for index, words in enumerate(self.words) for word in words]
        owners = {id(word): index for word, index in placed}
        for line in lines_of([word for word, _ in placed]):
            pairs = [(a, b) for a, b in pairwise(line.words) if owners[id(a)] != owners[id(b)]]
            total += len(pairs)
            told = [(a, b) for a, b in pairs if not is_number(a.text) and not is_number(b.text)]
            over += sum(1 for a, b in told if -0.5 * a.size < b.x0 - a.x1 < _FLOWING * a.size)
        return over > 0.3 * total

    def is_split(self) -> bool:
        """Say whether rows without a line between them stand in its cells, level with one another."""
        rows = split = 0
        giant = False
        for row in range(len(self.ys) - 1):
            owners = {self.owner.get((row, column)) for column in range(len(self.xs) - 1)}
            stacks = [lines_of(self.words[index]) for index in sorted(i for i in owners if i is not None)]
            filled = [stack for stack in stacks if stack]
            rows += bool(filled)
            level = _stand_level(filled)
            split += level
            giant = giant or (level and len(filled[0]) >= _GIANT)
        return giant or (split > 0 and split >= 0.4 * rows)


def lattices(words: Sequence[Word], rulings: Sequence[Ruling]) -> list[Lattice]:
    """Return the groups of touching cells that rulings make, with the words in them."""
    from pdfplumber.table import cells_to_tables, edges_to_intersections, intersections_to_cells

    rulings = [*rulings, *_open_sides(rulings)]
    level = [ruling for ruling in rulings if ruling.level]
    upright = [ruling for ruling in rulings if not ruling.level]
    if len(level) < 2 or len(upright) < 2 or len(level) * len(upright) > _MOST_PAIRS:
        return []
    crossings = edges_to_intersections([_edge(ruling) for ruling in rulings], _TOUCH, _TOUCH)
    cells = [cell for cell in intersections_to_cells(crossings) if cell[2] - cell[0] > 2 and cell[3] - cell[1] > 2]
    found = [Lattice(group) for group in cells_to_tables(cells) if len(group) > 1]
    for lattice in found:
        lattice.take(words)
    return found


def _open_sides(rulings: Sequence[Ruling]) -> list[Ruling]:
    """Close tables whose level lines go on to both sides of their outermost upright lines."""
    sides: set[tuple[int, int, int]] = set()
    for upright in (r for r in rulings if not r.level):
        top, bottom = upright.start - _TOUCH, upright.end + _TOUCH
        level = [r for r in rulings if r.level and top <= r.at <= bottom and r.start < upright.at < r.end]
        if len(level) > 1:
            start, end = level[0].start, level[0].end
            if all(abs(r.start - start) < 3 and abs(r.end - end) < 3 for r in level):
                reach = round(level[0].at), round(max(r.at for r in level))
                sides.update(((round(start), *reach), (round(end), *reach)))
    drawn = [r for r in rulings if not r.level]
    return [
        Ruling(False, float(x), float(top), float(bottom))
        for x, top, bottom in sides
        if not any(abs(r.at - x) < 3 and r.start < bottom and r.end > top for r in drawn)
    ]


def _edge(ruling: Ruling) -> dict[str, float | str]:
    if ruling.level:
        return {"orientation": "h", "x0": ruling.start, "x1": ruling.end, "top": ruling.at, "bottom": ruling.at}
    return {"orientation": "v", "x0": ruling.at, "x1": ruling.at, "top": ruling.start, "bottom": ruling.end}


def _steps(values: list[float]) -> list[float]:
    steps: list[float] = []
    for value in sorted(values):
        if not steps or value - steps[-1] > 2:
            steps.append(value)
    return steps


def _nearest(steps: list[float], value: float) -> int:
    return min(range(len(steps)), key=lambda index: abs(steps[index] - value))


def _without_copies(rows: list[DraftRow], columns: list[int]) -> tuple[list[DraftRow], list[int]]:
    """Drop columns and rows in which only cells that reach in from a neighbour stand."""
    kept = _own_columns(rows, list(range(len(columns))), 1)
    kept = _own_columns(rows, kept, -1)
    narrow = [DraftRow([row.cells[at] for at in kept], row.y0, row.y1) for row in rows]
    distinct: list[DraftRow] = []
    above: list[Cell] = []
    for row in narrow:
        own = [at for at, cell in enumerate(row.cells) if cell.text and not (above and cell is above[at])]
        if distinct and not own:
            distinct[-1].y1 = row.y1
        elif distinct and len(own) == 1 and _is_line_of_cell(row, above, own[0]):
            distinct[-1].cells[own[0]].absorb(row.cells[own[0]])
            distinct[-1].y1 = row.y1
        else:
            distinct.append(DraftRow(list(row.cells), row.y0, row.y1))
        above = row.cells
    return distinct, [columns[at] for at in kept]


def _own_columns(rows: Sequence[DraftRow], columns: list[int], side: int) -> list[int]:
    """Keep the columns that have a text which the neighbour on that ``side`` (1 right, -1 left) does not share."""
    kept = []
    for index, at in enumerate(columns):
        beside = columns[index + side] if 0 <= index + side < len(columns) else None
        if beside is None or any(row.cells[at].text and row.cells[at] is not row.cells[beside] for row in rows):
            kept.append(at)
    return kept


def _is_line_of_cell(row: DraftRow, above: Sequence[Cell], at: int) -> bool:
    """Say whether a row is only the next line of one cell, whose lines have a ground each: the others reach in."""
    shared = [cell for place, cell in enumerate(row.cells) if place != at and cell is above[place] and cell.text]
    box = row.cells[at].box
    tight = box is not None and row.y1 - row.y0 < _TIGHT * (box.y1 - box.y0)
    return len(shared) == len(row.cells) - 1 and above[at].text != "" and (tight or (at == 0 and len(shared) > 1))


def _take_title(draft: Draft) -> None:
    """First rows that are one cell across the table are its caption."""
    while len(draft.rows) > 2 and draft.rows[0].filled == 1 and draft.rows[0].cells[0].text and len(draft.columns) > 1:
        cell = draft.rows[0].cells[0]
        wide = cell.box is not None and cell.box.x1 > draft.columns[0][1]
        if not wide and draft.caption == "" and draft.rows[1].filled > 1:
            return  # only the first cell of a header is filled
        draft.rows.pop(0)
        draft.caption = f"{draft.caption} {cell.text}".strip()
        boxes = [box for box in (draft.caption_box, cell.box) if box is not None]
        draft.caption_box = BBox.around(boxes) if boxes else None


def _stand_level(stacks: list[list[Line]]) -> bool:
    """Say whether most lines of two neighbouring cells stand level: rows that only their lines tell apart."""
    if _are_pairs(stacks):
        return True
    tall = [stack for stack in stacks if len(stack) >= 3]
    if len(tall) < 2 or len(stacks[0]) < 3:
        return False
    first = [line.middle for line in stacks[0]]
    others = [stack for stack in tall if stack is not stacks[0]]
    level = [_level_share(first, [line.middle for line in stack]) for stack in others]
    wordy = [sum(len(line.words) for line in stack) / len(stack) > 4 for stack in tall]
    return bool(level) and max(level) >= 0.7 and sum(wordy) < 2


def _are_pairs(stacks: Sequence[Sequence[Line]]) -> bool:
    """Say whether cells hold the same number of lines, or more, each level with a label and one column all figures."""
    if len(stacks) < 3 or len(stacks[0]) < 2 or not all(line.text[0].isupper() for line in stacks[0]):
        return False
    first = [line.middle for line in stacks[0]]
    beside = [stack for stack in stacks[1:] if len(stack) >= len(first)]
    level = [stack for stack in beside if _level_share(first, [line.middle for line in stack]) > 0.9]
    told = any(len(s) == len(first) and all(any(c.isdigit() for c in line.text) for line in s) for s in level)
    return told and len(level) == len(stacks) - 1


def _level_share(first: list[float], second: list[float]) -> float:
    fewer, more = sorted((first, second), key=len)
    if len(fewer) < 0.4 * len(more):
        return 0.0
    return sum(1 for y in fewer if any(abs(y - other) < 2 for other in more)) / len(fewer)


def continues(draft: Draft, lines: Sequence[Line]) -> bool:
    """Say whether lines of cells go on right below: then only a part of the table, its header say, is drawn."""
    below = [line for line in lines if line.middle > draft.box.y1 and line.x1 > draft.box.x0 and line.x0 < draft.box.x1]
    if not below:
        return False
    first = below[0]
    inside = first.x0 > draft.box.x0 - 3 and first.x1 < draft.box.x1 + 3
    near = first.y0 - draft.box.y1 < 1.6 * first.size
    return inside and near and len(first.segments) >= max(2, round(0.6 * len(draft.columns)))
