"""The small values from which tables are put together: words, rulings, lines and their segments, in one frame."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from desktop_rag.core.types import BBox
from desktop_rag.ingest.normalise import clean_text

_GLUED = 0.1
_MARK = 3
_CELL_GAP = 1.0
_NUMBER_GAP = 0.42
_CURRENCY = "$€£¥"
NUMBER = re.compile(
    rf"[-–−+±~<>≤≥*(\[]*(?:[A-Z]{{0,3}}[{_CURRENCY}])?\s*[-–−+]?\d[\d.,'’/:\u00a0 ]*(?:%|[a-z]{{1,2}}|[*†‡§#]+|[)\]])*"
)
NOTHING = re.compile(r"[-–—−.…*†‡]+|\(?(?:n\.?/?a\.?|N\.?/?A\.?|\(?[A-Z*]\)|X|x|nil)\)?")
_CURRENCY_ONLY = re.compile(rf"[({_CURRENCY}]+|[A-Z]{{2,3}}[{_CURRENCY}]")
_TAIL_ONLY = re.compile(r"[%)\]*†‡§#]+")
_BULLET = re.compile(r"[•◦▪●○■□–—*·‣➢✓-]|\(?(?:\d{1,2}|[a-zA-Z]|[ivxIVX]{1,4})[.)]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word in its frame: x to the right along the line, y down. ``leader`` says that dots led from it to the next."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool = False
    mono: bool = False
    leader: bool = False

    @property
    def middle(self) -> tuple[float, float]:
        """The centre of the word."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2


@dataclass(frozen=True, slots=True)
class Ruling:
    """A straight line: at height ``at`` from ``start`` to ``end`` if level, else at distance ``at`` from the left."""

    level: bool
    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        """How long it is."""
        return self.end - self.start


@dataclass(slots=True)
class Segment:
    """Neighbouring words of one line with no wide gap between them."""

    words: list[Word]

    @property
    def x0(self) -> float:
        """Its left edge."""
        return self.words[0].x0

    @property
    def x1(self) -> float:
        """Its right edge."""
        return max(word.x1 for word in self.words)

    @property
    def text(self) -> str:
        """Its words as they are read."""
        return text_of(self.words)

    @property
    def is_number(self) -> bool:
        """Whether it is a number, or a sign that stands for one that is missing."""
        return is_number(self.text)


@dataclass(slots=True)
class Line:
    """Words that stand level, cut into segments from left to right."""

    segments: list[Segment]
    y0: float = 0.0
    y1: float = 0.0
    size: float = 0.0
    words: list[Word] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.words = [word for segment in self.segments for word in segment.words]
        self.size = median(word.size for word in self.words)
        tall = [word for word in self.words if word.size > 0.75 * self.size]
        self.y0, self.y1 = min(word.y0 for word in tall), max(word.y1 for word in tall)

    @property
    def x0(self) -> float:
        """Its left edge."""
        return self.words[0].x0

    @property
    def x1(self) -> float:
        """Its right edge."""
        return max(word.x1 for word in self.words)

    @property
    def middle(self) -> float:
        """The height of its centre."""
        return (self.y0 + self.y1) / 2

    @property
    def text(self) -> str:
        """Its words as they are read."""
        return text_of(self.words)

    @property
    def bold(self) -> bool:
        """Whether nearly all of it is bold."""
        return sum(len(w.text) for w in self.words if w.bold) > 0.8 * sum(len(w.text) for w in self.words)


def is_number(text: str) -> bool:
    """Say whether a cell holds a number, or a sign that stands for one that is missing."""
    return NUMBER.fullmatch(text) is not None or NOTHING.fullmatch(text) is not None


def is_bullet(text: str) -> bool:
    """Say whether a text is the mark of a list's item: a bullet, a number or a letter with a dot or bracket."""
    return _BULLET.fullmatch(text) is not None


def is_currency(text: str) -> bool:
    """Say whether a text is only what stands before a number: a currency sign or an opening bracket."""
    return _CURRENCY_ONLY.fullmatch(text) is not None


def is_tail(text: str) -> bool:
    """Say whether a text is only what stands after a number: a per cent sign, a closing bracket, a note mark."""
    return _TAIL_ONLY.fullmatch(text) is not None


def text_of(words: Iterable[Word]) -> str:
    """Join words of one line as they are read; currency signs stand at their number, however far it was moved."""
    text = ""
    last: Word | None = None
    for word in words:
        if last is not None:
            glued = word.x0 - last.x1 < _GLUED * max(last.size, word.size)
            raised = glued and text[-1:].isdigit() and word.text[:1].isdigit() and word.size < 0.85 * last.size
            at_number = is_currency(last.text) and word.text[:1] in "0123456789(-–−."
            if (not glued or raised) and not at_number and not (is_tail(word.text) and text[-1:].isdigit()):
                text += " "
        text += word.text
        last = word
    return clean_text(text)


def box_of(words: Iterable[Word]) -> BBox:
    """Return the box around words."""
    return BBox.around(BBox(word.x0, word.y0, word.x1, word.y1) for word in words)


def lines_of(words: Iterable[Word], rulings: Iterable[Ruling] = ()) -> list[Line]:
    """Group words that stand level into lines, from top to bottom, and cut these where a gap or an upright line is."""
    words = list(words)
    found = _hosts(words)
    hosts = {mark: host for mark, host in found.items() if id(host) not in found}
    groups: list[list[Word]] = []
    cores: list[tuple[float, float]] = []
    for word in sorted((w for w in words if id(w) not in hosts), key=lambda item: (item.y0 + item.y1, item.x0)):
        place = next((i for i in range(len(groups) - 1, max(len(groups) - 4, -1), -1) if _level(word, cores[i])), None)
        if place is None:
            groups.append([word])
            cores.append((word.y0, word.y1))
        else:
            groups[place].append(word)
            if word.y1 - word.y0 > cores[place][1] - cores[place][0]:
                cores[place] = (word.y0, word.y1)
    for mark, host in ((word, hosts[id(word)]) for word in words if id(word) in hosts):
        next(group for group in groups if host in group).append(mark)
    upright = [ruling for ruling in rulings if not ruling.level]
    lines = [Line(_segments(sorted(group, key=lambda item: item.x0), upright)) for group in groups]
    return sorted(lines, key=lambda line: line.middle)


def _hosts(words: Sequence[Word]) -> dict[int, Word]:
    """Return, by id, raised and lowered marks with the words that they touch: such a mark stands level with no line."""
    by_end = sorted(words, key=lambda word: word.x1)
    ends = [word.x1 for word in by_end]
    pairs: list[tuple[float, Word, Word]] = []
    for mark in words:
        if len(mark.text) > _MARK or mark.text[0].isalpha():
            continue
        reach = range(bisect_left(ends, mark.x0 - 0.6 * mark.size), bisect_left(ends, mark.x0 + 0.3 * mark.size))
        near = [by_end[at] for at in reach if by_end[at] is not mark and _touches(by_end[at], mark)]
        if near and min(_off(host, mark) - 0.15 * host.size for host in near) > 0:
            pairs += [(_off(host, mark), mark, host) for host in near]
    return _paired(pairs)


def _paired(pairs: Iterable[tuple[float, Word, Word]]) -> dict[int, Word]:
    """Give each mark the nearest word. One that has a mark at that place already gets a second only if no other has it.

    Where lines are close, an exponent is nearer to the line above than to its own.
    """
    hosts: dict[int, Word] = {}
    taken: set[int] = set()
    rest: list[tuple[Word, Word]] = []
    for _, mark, host in sorted(pairs, key=lambda pair: pair[0]):
        if id(mark) in hosts:
            continue
        if id(host) in taken:
            rest.append((mark, host))
        else:
            hosts[id(mark)] = host
            taken.add(id(host))
    for mark, host in rest:
        hosts.setdefault(id(mark), host)
    return hosts


def _touches(word: Word, mark: Word) -> bool:
    return min(word.y1, mark.y1) > max(word.y0, mark.y0) and _off(word, mark) < 0.7 * word.size


def _off(word: Word, mark: Word) -> float:
    return abs(word.middle[1] - mark.middle[1])


def _level(word: Word, core: tuple[float, float]) -> bool:
    overlap = min(word.y1, core[1]) - max(word.y0, core[0])
    return overlap > 0.55 * min(word.y1 - word.y0, core[1] - core[0])


def _segments(words: list[Word], upright: list[Ruling]) -> list[Segment]:
    segments: list[Segment] = []
    for word in words:
        if segments and not _parts(segments[-1].words, word, upright):
            segments[-1].words.append(word)
        else:
            segments.append(Segment([word]))
    return segments


def _parts(before: list[Word], word: Word, upright: list[Ruling]) -> bool:
    last = before[-1]
    gap = word.x0 - last.x1
    size = max(last.size, word.size)
    if gap > _CELL_GAP * size or (last.leader and gap > _NUMBER_GAP * size):
        return True
    if gap > _NUMBER_GAP * size and _figure(last.text) and (_figure(word.text) or is_currency(word.text)):
        return True
    y = word.middle[1]
    left, right = last.x1 - 0.3 * size, word.x0 + 0.3 * size
    return any(left <= r.at <= right and r.start - 1 <= y <= r.end + 1 for r in upright)


def _figure(text: str) -> bool:
    """Whether a word is a number as it stands in a column: not the day in a date, nor a dash between two words."""
    return is_number(text) and not text.endswith((",", ":"))
