"""From recognised lines to paragraphs in reading order, each part of which knows its place on the page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from desktop_rag.core.types import BBox, Block, ElementKind, Span
from desktop_rag.ingest.normalise import clean
from desktop_rag.ingest.ocr import Corners, Point, RecognisedLine
from desktop_rag.ingest.readers.pdf_columns import in_reading_order
from desktop_rag.ingest.readers.pdf_headings import mark_headings
from desktop_rag.ingest.readers.pdf_lines import TextBuilder, paragraphs_of, rows_of
from desktop_rag.ingest.readers.pdf_parts import Fragment, Frame, Paragraph

_WORDS = re.compile(r"\w[\w'-]*\w")
_WIDE_SIGN = re.compile("[\u2e80-\u9fff\uac00-\ud7a3]")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}

_ALIKE = 0.45
"""Lines whose heights differ by less are set in one size: a box is lower where no letter has a stem, and higher
where the line is bent."""

_TILTED = math.radians(8)
_SLOPE = 0.3
"""A part of a line may rise by so much of its height before it needs a box of its own."""

_SIZE = 0.8
"""The type size of a line, as a part of the height of the box that the recogniser draws around it."""

_BASE = 0.35
"""How far below the middle of its box the baseline of a line lies, in type sizes."""


@dataclass(frozen=True, slots=True)
class _Turned:
    """A line with its direction: quarter turns clockwise, and the rest of the angle in radians."""

    line: RecognisedLine
    turn: int
    rest: float

    @property
    def length(self) -> float:
        return math.dist(self.line.corners[0], self.line.corners[1])

    @property
    def height(self) -> float:
        return math.dist(self.line.corners[0], self.line.corners[3])


def lay_out(lines: Sequence[RecognisedLine], width: float, height: float) -> list[Paragraph]:
    """Return the paragraphs of a page of this size, on which the corners of ``lines`` stand in points.

    Columns are read one after the other, the main direction of the page first; a slope of the whole page is taken out
    before, as a skewed scan has it.
    """
    groups: dict[int, list[_Turned]] = {}
    for line in lines:
        turned = _turned(line)
        groups.setdefault(turned.turn, []).append(turned)
    builder = TextBuilder(frozenset(word.lower() for line in lines for word in _WORDS.findall(line.text)))
    paragraphs: list[Paragraph] = []
    for turn, group in sorted(groups.items(), key=lambda item: -sum(len(one.line.text) for one in item[1])):
        for fragments in _fragments(group, Frame(turn, width, height)):
            for region in in_reading_order(fragments):
                found = paragraphs_of(rows_of(region))
                for paragraph in found:
                    builder.finish(paragraph)
                paragraphs.extend(found)
    return paragraphs


def to_blocks(pages: dict[int, list[Paragraph]]) -> tuple[Block, ...]:
    """Return the blocks of recognised pages, by number; headings are told by their size over all of the pages."""
    for number, paragraphs in pages.items():
        for paragraph in paragraphs:
            paragraph.page = number
    every = [paragraph for _, paragraphs in sorted(pages.items()) for paragraph in paragraphs]
    mark_headings(every, {})
    return tuple(Block(ElementKind.SCAN, one.text, one.page, one.spans, one.level) for one in every)


def place(line: RecognisedLine, scale: float) -> RecognisedLine:
    """Return a line of a picture with its corners in points; ``scale`` is pixels per point. Its text is cleaned."""
    text = line.text if _WIDE_SIGN.search(line.text) else line.text.translate(_FULL_WIDTH)
    cleaned = clean(text)
    middles = line.middles
    if cleaned.origin is not None:
        middles = tuple(middles[at] for at in cleaned.origin)
    a, b, c, d = ((x / scale, y / scale) for x, y in line.corners)
    return replace(line, text=cleaned.text, corners=(a, b, c, d), middles=middles)


def box_of(corners: Iterable[Point]) -> BBox:
    """Return the upright box around some corners."""
    points = list(corners)
    return BBox(
        min(x for x, _ in points), min(y for _, y in points), max(x for x, _ in points), max(y for _, y in points)
    )


def _turned(line: RecognisedLine) -> _Turned:
    (x0, y0), (x1, y1) = line.corners[:2]
    angle = math.atan2(y1 - y0, x1 - x0)
    quarters = round(angle / (math.pi / 2))
    return _Turned(line, quarters % 4, angle - quarters * math.pi / 2)


def _fragments(group: list[_Turned], frame: Frame) -> Iterable[list[Fragment]]:
    """Return the lines of one direction: those that run with the page's slope, and then any others."""
    slope = _slope(group)
    sizes = _sizes(group)
    straight: list[Fragment] = []
    tilted: list[Fragment] = []
    for one, size in zip(group, sizes, strict=True):
        own = tilted if abs(one.rest - slope) > _TILTED and one.length > 3 * one.height else straight
        own.append(_fragment(one, size, slope, frame))
    return [fragments for fragments in (straight, tilted) if fragments]


def _slope(group: Sequence[_Turned]) -> float:
    """The slope of the page: the median over its longer lines, as short ones have no clear direction."""
    longest = max(one.length for one in group)
    return median(one.rest for one in group if one.length >= 0.5 * longest)


def _sizes(group: Sequence[_Turned]) -> list[float]:
    """Give lines of about one height one size, beginning with the height that most of the text has."""
    weights = [(one.height, len(one.line.text)) for one in group]
    usual: list[float] = []
    left = sorted(weights)
    while left:
        middle = _weighted_median(left)
        usual.append(middle)
        left = [(height, weight) for height, weight in left if abs(height - middle) > _ALIKE * middle]
    return [_SIZE * min(usual, key=lambda size: abs(size - one.height) / size) for one in group]


def _weighted_median(pairs: Sequence[tuple[float, int]]) -> float:
    """Return the height below which half of the text is; ``pairs`` are sorted."""
    half, seen = sum(weight for _, weight in pairs) / 2, 0
    for height, weight in pairs:
        seen += weight
        if seen >= half:
            return max(height, 0.1)
    raise ValueError("no heights")


def _fragment(one: _Turned, size: float, slope: float, frame: Frame) -> Fragment:
    corners = one.line.corners
    level = _straightened(corners, slope, (frame.width / 2, frame.height / 2))
    own = frame.from_page(box_of(level))
    base = (own.y0 + own.y1) / 2 + _BASE * size
    return Fragment(
        one.line.text, own, box_of(corners), size, False, False, False, base, _marks(one), one.line.confidence
    )


def _straightened(corners: Corners, slope: float, centre: Point) -> list[Point]:
    """Turn corners back by the page's slope about its middle."""
    cos, sin = math.cos(-slope), math.sin(-slope)
    moved = ((x - centre[0], y - centre[1]) for x, y in corners)
    return [(centre[0] + x * cos - y * sin, centre[1] + x * sin + y * cos) for x, y in moved]


def _marks(one: _Turned) -> tuple[Span, ...]:
    """Say where the words of a line stand, if its box alone does not: the line slopes, or runs against the page."""
    line = one.line
    rise = abs(math.sin(one.rest)) * one.length
    backward = one.turn in (2, 3)
    if not backward and rise <= _SLOPE * one.height:
        return ()
    words = [match.span() for match in re.finditer(r"\S+", line.text)]
    least = one.length if rise == 0 else _SLOPE * one.height / rise
    marks: list[Span] = []
    start, left = 0, 0.0
    for index, (_, end) in enumerate(words):
        last = index + 1 == len(words)
        right = 1.0 if last else (line.middles[end - 1] + line.middles[words[index + 1][0]]) / 2
        if last or backward or right - left >= least:
            marks.append(Span(start, end, box_of(_part(line.corners, left, right))))
            start, left = (end, right) if last else (words[index + 1][0], right)
    return tuple(marks)


def _part(corners: Corners, left: float, right: float) -> list[Point]:
    """Return the corners of the part of a line between two fractions of its length."""
    upper_left, upper_right, lower_right, lower_left = corners
    return [
        _between(upper_left, upper_right, left),
        _between(upper_left, upper_right, right),
        _between(lower_left, lower_right, right),
        _between(lower_left, lower_right, left),
    ]


def _between(first: Point, second: Point, share: float) -> Point:
    return first[0] + share * (second[0] - first[0]), first[1] + share * (second[1] - first[1])
