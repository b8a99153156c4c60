"""The box of a part of a line, when only the box of the whole line is known."""

from __future__ import annotations

import unicodedata

from desktop_rag.core.types import BBox

_NARROW = frozenset("iIjlt.,:;!'|()[]{}/ f-’‘`")
_WIDE = frozenset("mwMWGOQ@%—")
_SLACK = 1.0
"""Points by which a cut is moved outwards, as widths are estimates; never beyond the line."""


def part_of_line(bbox: BBox, line: str, start: int, end: int) -> BBox:
    """Return the box of ``line[start:end]`` within the line's ``bbox``, in points.

    The characters share the line in proportion to their usual widths: from the left, from the right where most of them
    are written so, from the top where the line is higher than wide. Empty parts give a box without width.
    """
    if start <= 0 and end >= len(line):
        return bbox
    before, inside, whole = _width(line[:start]), _width(line[start:end]), _width(line)
    if whole <= 0:
        return bbox
    first, last = before / whole, (before + inside) / whole
    if bbox.y1 - bbox.y0 > bbox.x1 - bbox.x0 and len(line) > 2:
        y0, y1 = _cut(bbox.y0, bbox.y1, first, last)
        return BBox(bbox.x0, y0, bbox.x1, y1)
    if _runs_left(line):
        first, last = 1 - last, 1 - first
    x0, x1 = _cut(bbox.x0, bbox.x1, first, last)
    return BBox(x0, bbox.y0, x1, bbox.y1)


def _cut(low: float, high: float, first: float, last: float) -> tuple[float, float]:
    length = high - low
    return max(low, low + first * length - _SLACK), min(high, low + last * length + _SLACK)


def _width(text: str) -> float:
    return sum(map(_ASCII_WIDTHS.__getitem__ if text.isascii() else _character_width, text))


def _character_width(char: str) -> float:
    """Return the usual width of ``char`` in a proportional face, in units of a small letter."""
    if char in _NARROW:
        return 0.55
    if char in _WIDE:
        return 1.5
    if not char.isascii() and unicodedata.combining(char):
        return 0.0
    if not char.isascii() and unicodedata.east_asian_width(char) in "WF":
        return 2.0
    return 1.3 if char.isupper() else 1.0


_ASCII_WIDTHS = {chr(code): _character_width(chr(code)) for code in range(128)}


def _runs_left(text: str) -> bool:
    if text.isascii():
        return False
    directions = [unicodedata.bidirectional(char) for char in text]
    return sum(one in ("R", "AL") for one in directions) > sum(one == "L" for one in directions)
