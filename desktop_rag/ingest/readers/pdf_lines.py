"""From a region of a page to rows, and from rows to paragraphs, headings-to-be, and the rows of tables."""

from __future__ import annotations

import re
from itertools import pairwise

from desktop_rag.core.types import BBox, Span
from desktop_rag.ingest.readers.pdf_parts import Fragment, Paragraph, Row, main_size

_CELL_GAP = 1.2
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_BULLET = re.compile(r"(?:[•◦▪●○■□–—*·‣]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)])\s")
_CJK_ENDS = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_HYPHENS = "-\u2010"
_SENTENCE_END = re.compile(r"[.!?:;。！？][\"'”’)\]]*$")


def rows_of(region: list[Fragment]) -> list[Row]:
    """Return the rows of a region without columns, from top to bottom."""
    lines: list[list[Fragment]] = []
    cores: list[tuple[float, float]] = []
    for fragment in sorted(region, key=lambda item: item.base):
        top, base = fragment.core
        if lines and min(base, cores[-1][1]) - max(top, cores[-1][0]) > 0.3 * (base - top):
            lines[-1].append(fragment)
            if fragment.size > 0.8 * max(item.size for item in lines[-1]):
                cores[-1] = (max(top, cores[-1][0]), max(base, cores[-1][1]))
        else:
            lines.append([fragment])
            cores.append((top, base))
    return _with_whole_labels([_row(line) for line in lines])


def _row(line: list[Fragment]) -> Row:
    rtl = sum(1 for fragment in line if _RTL.search(fragment.text)) * 2 > len(line)
    line.sort(key=lambda fragment: fragment.box.x0)
    cells: list[list[Fragment]] = []
    for fragment in line:
        if cells and fragment.box.x0 - cells[-1][-1].box.x1 < _CELL_GAP * fragment.size:
            cells[-1].append(fragment)
        else:
            cells.append([fragment])
    if rtl:
        cells = [cell[::-1] for cell in cells[::-1]]
    main = max(line, key=lambda fragment: len(fragment.text))
    size = main_size((fragment.size, fragment.text) for fragment in line)
    bold, italic, mono = all(f.bold for f in line), all(f.italic for f in line), all(f.mono for f in line)
    return Row(cells, main.base, size, bold, italic, mono, line[0].box.x0, max(f.box.x1 for f in line))


def _with_whole_labels(rows: list[Row]) -> list[Row]:
    """Join a label on two lines with the values of its table row, which stand at half height between them."""
    merged: list[Row] = []
    index = 0
    while index < len(rows):
        if index + 2 < len(rows) and _is_split_label(*rows[index : index + 3]):
            above, values, below = rows[index : index + 3]
            label = above.cells[0] + below.cells[0]
            x1 = max(above.x1, values.x1)
            row = Row([label, *values.cells], values.base, above.size, False, False, False, above.x0, x1)
            merged.append(row)
            index += 3
        else:
            merged.append(rows[index])
            index += 1
    return merged


def _is_split_label(above: Row, values: Row, below: Row) -> bool:
    if len(above.cells) != 1 or len(below.cells) != 1 or len(values.cells) < 2:
        return False
    beside = min(values.x0 - above.x1, values.x0 - below.x1) > 0
    return beside and abs(above.x0 - below.x0) < 2 and below.base - above.base < 1.5 * above.size


def paragraphs_of(rows: list[Row]) -> list[Paragraph]:
    """Group the rows of one region into paragraphs; rows of cells stay together as a listing."""
    if not rows:
        return []
    tabular = _tabular(rows)
    leading = _Leading(rows)
    x0, x1 = min(row.x0 for row in rows), max(row.x1 for row in rows)
    paragraphs: list[Paragraph] = []
    for index, row in enumerate(rows):
        listing = tabular[index] or row.mono
        last = paragraphs[-1] if paragraphs else None
        if last is None or last.listing != listing or _begins(last, row, leading.of(row), (x0, x1)):
            paragraphs.append(Paragraph([row], listing))
        else:
            last.rows.append(row)
    return paragraphs


def _tabular(rows: list[Row]) -> list[bool]:
    """Mark rows with cells, and single-cell rows between two of them (a label on two lines)."""
    marks = [_has_cells(row) for row in rows]
    bridged = marks[:]
    for index in range(1, len(rows) - 1):
        near = rows[index + 1].base - rows[index - 1].base < 4.5 * rows[index].size
        bridged[index] = marks[index] or (marks[index - 1] and marks[index + 1] and near)
    return bridged


def _has_cells(row: Row) -> bool:
    if len(row.cells) < 2:
        return False
    if len(row.cells) == 2 and _BULLET.fullmatch("".join(f.text for f in row.cells[0]) + " "):
        return False
    widest = max(b[0].box.x0 - a[-1].box.x1 for a, b in pairwise(row.cells))
    return len(row.cells) > 2 or abs(widest) > 1.8 * row.size


class _Leading:
    """The usual distance between baselines in a region, by type size: the lower third, so that gaps do not count."""

    def __init__(self, rows: list[Row]) -> None:
        steps: dict[int, list[float]] = {}
        for above, below in pairwise(rows):
            step = below.base - above.base
            if 0.6 * below.size < step < 2.2 * below.size and abs(below.size - above.size) < 1:
                steps.setdefault(round(below.size), []).append(step)
        self._usual = {size: sorted(found)[len(found) // 3] for size, found in steps.items() if len(found) >= 3}

    def of(self, row: Row) -> float:
        """Return the distance for lines like this one; East Asian lines stand wider apart than Latin ones."""
        wide = _CJK_ENDS.match(row.text[-1:]) is not None
        return self._usual.get(round(row.size), (1.5 if wide else 1.22) * row.size)


def _begins(last: Paragraph, row: Row, leading: float, edges: tuple[float, float]) -> bool:
    """Say whether ``row`` starts a new paragraph after ``last``."""
    above = last.rows[-1]
    step = row.base - above.base
    if last.listing:
        return step > max(3.2 * leading, 3 * row.size) or abs(row.size - above.size) > 0.35 * row.size
    if abs(row.size - above.size) > 0.12 * max(row.size, above.size) or step > 1.3 * leading:
        return not (_same_style(above, row) and row.size > 13 and step < 1.5 * row.size)
    if (row.bold != above.bold and (row.bold or last.bold)) or _ends_italic_line(last, row, edges):
        return True
    if _BULLET.match(row.text + " "):
        return True
    return _is_indented(last, row, edges)


def _ends_italic_line(last: Paragraph, row: Row, edges: tuple[float, float]) -> bool:
    """Say whether ``last`` is a short line in italics by itself, as a heading is, and the text begins below it."""
    short = last.rows[-1].x1 < edges[1] - 0.2 * (edges[1] - edges[0])
    return len(last.rows) == 1 and last.italic and not row.italic and short


def _same_style(above: Row, row: Row) -> bool:
    return abs(row.size - above.size) < 0.5 and row.bold == above.bold


def _is_indented(last: Paragraph, row: Row, edges: tuple[float, float]) -> bool:
    above = last.rows[-1]
    indent = 0.8 * row.size < row.x0 - above.x0 < 6 * row.size
    short = above.x1 < edges[1] - 0.15 * (edges[1] - edges[0])
    ended = bool(_SENTENCE_END.search(above.text))
    if len(last.rows) == 1 and _BULLET.match(above.text):
        return False
    return (indent and ended) or (short and ended and abs(row.x0 - last.rows[0].x0) < 2 and row.text[:1].isupper())


class TextBuilder:
    """Joins the rows of paragraphs to text with spans, and heals words that a hyphen parts at the end of a line."""

    def __init__(self, words: frozenset[str]) -> None:
        self._words = words

    def finish(self, paragraph: Paragraph) -> None:
        """Fill in the text and the spans of a paragraph."""
        text = ""
        spans: list[Span] = []
        for row in paragraph.rows:
            text = self._joined(text, row.text, paragraph.listing)
            for index, cell in enumerate(row.cells):
                if index:
                    text += "  " if paragraph.listing and paragraph.mono else " "
                start = len(text)
                text += " ".join(fragment.text for fragment in cell)
                spans.extend(_spans(cell, start, len(text)))
        paragraph.text = text
        paragraph.spans = _within(spans, len(text))

    def _joined(self, text: str, following: str, listing: bool) -> str:
        """Return ``text`` as it stands before the next line."""
        if not text:
            return text
        if listing:
            return text + "\n"
        if _CJK_ENDS.match(text[-1]) and _CJK_ENDS.match(following):
            return text
        if text[-1] not in _HYPHENS or not text[-2:-1].isalpha():
            return text + " "
        return text if self._keeps_hyphen(text, following) else text[:-1]

    def _keeps_hyphen(self, text: str, following: str) -> bool:
        first = re.search(r"[\w'-]*\w(?=[-\u2010]$)", text)
        second = re.match(r"\w[\w'-]*", following)
        if first is None or second is None or not second.group()[0].islower():
            return True
        left, right = first.group().lower(), second.group().lower()
        return left + right not in self._words and f"{left}-{right}" in self._words


def _spans(cell: list[Fragment], start: int, end: int) -> list[Span]:
    """Return where a cell's text, from ``start`` to ``end``, stands.

    In one box, or part by part if its line slopes or is printed over itself, for then no share of the box is a word's.
    """
    if not any(fragment.marks for fragment in cell) and not _overprinted(cell):
        sure = min(fragment.confidence for fragment in cell)
        return [Span(start, end, BBox.around(fragment.place for fragment in cell), sure)]
    spans: list[Span] = []
    for fragment in cell:
        marks = fragment.marks or (Span(0, len(fragment.text), fragment.place),)
        sure = fragment.confidence
        spans.extend(Span(start + mark.start, start + mark.end, mark.bbox, sure) for mark in marks)
        start += len(fragment.text) + 1
    return spans


def _overprinted(cell: list[Fragment]) -> bool:
    """Say whether fragments of a cell lie on each other by more than a kerned letter."""
    ends = sorted((fragment.box.x0, fragment.box.x1, fragment.size) for fragment in cell)
    return any(right[0] < left[1] - left[2] for left, right in pairwise(ends))


def _within(spans: list[Span], size: int) -> tuple[Span, ...]:
    """A healed hyphen shortens the line that it ended: no span may reach into the next one."""
    ends = [*(span.start for span in spans[1:]), size]
    return tuple(Span(s.start, min(s.end, end), s.bbox, s.confidence) for s, end in zip(spans, ends, strict=True))
