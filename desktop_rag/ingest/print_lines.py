"""Which characters of a text stand on which line of a laid-out page.

The lines of one block come in reading order and within a line the drawn characters are those of the text, whatever the
writing direction or the shapes that a font chose for them. So lines are matched by counting visible characters, and by
their first letters where the counts differ (ligatures, combined marks, emoji).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_rag.core.types import BBox

_KEY = 10
_REACH = 40
_SNAP = 8
_INVISIBLE = re.compile(r"[\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]+")


@dataclass(frozen=True, slots=True)
class Line:
    """A line on a page: its box and its visible characters as the page's text layer gives them."""

    page: int
    bbox: BBox
    visible: str


@dataclass(frozen=True, slots=True)
class Slice:
    """The characters ``start`` to ``end`` of a text stand on ``line``."""

    start: int
    end: int
    line: Line


def page_lines(number: int, layer: Mapping[str, Any], bottom: float) -> list[Line]:
    """Return the lines above ``bottom`` from a page's ``get_text("dict")``, top to bottom, one for each base line."""
    pieces = [
        Line(number, BBox(*line["bbox"]), _visible("".join(span["text"] for span in line["spans"])))
        for block in layer["blocks"]
        for line in block.get("lines", ())
        if line["bbox"][3] <= bottom
    ]
    lines: list[Line] = []
    for piece in sorted((piece for piece in pieces if piece.visible), key=lambda piece: _middle(piece.bbox)):
        if lines and abs(_middle(lines[-1].bbox) - _middle(piece.bbox)) < 4.0:
            joined = BBox.around((lines[-1].bbox, piece.bbox))
            lines[-1] = Line(number, joined, lines[-1].visible + piece.visible)
        else:
            lines.append(piece)
    return lines


def align(text: str, lines: Sequence[Line]) -> list[Slice]:
    """Share out the characters of ``text`` among ``lines``, in order; lines that get none are left out."""
    letters = [(_visible(character), index) for index, character in enumerate(text)]
    squeezed = "".join(shown for shown, _ in letters)
    places = [index for shown, index in letters for _ in shown]
    if not places or not lines:
        return []
    cuts = list(_cuts(squeezed, lines, _starts_of_words(places)))
    slices = []
    for line, first, after in zip(lines, cuts, cuts[1:], strict=False):
        if after > first:
            end = places[after] if after < len(places) else len(text)  # marks on the last letter belong to it
            slices.append(Slice(places[first], places[first] + len(text[places[first] : end].rstrip()), line))
    return slices


def _cuts(squeezed: str, lines: Sequence[Line], word_starts: frozenset[int]) -> Iterator[int]:
    """Yield, for each line and for the end, how many visible characters come before it."""
    drawn = sum(len(line.visible) for line in lines)
    exact = drawn == len(squeezed)
    seen, cut = 0, 0
    for line in lines:
        expected = seen if exact else round(seen * len(squeezed) / drawn)
        cut = max(cut, expected if exact else _near(squeezed, expected, line.visible[:_KEY], word_starts))
        yield cut
        seen += len(line.visible)
    yield len(squeezed)


def _near(squeezed: str, expected: int, key: str, word_starts: frozenset[int]) -> int:
    """Return the place near ``expected`` where ``key`` begins, or else the nearest beginning of a word."""
    if expected == 0:
        return 0
    start = max(0, expected - _REACH)
    window = squeezed[start : expected + _REACH + _KEY]
    found = [start + match.start() for match in re.finditer(re.escape(key), window)]
    near = found or [place for place in range(expected - _SNAP, expected + _SNAP + 1) if place in word_starts]
    return min(near, key=lambda place: abs(place - expected), default=expected)


def _starts_of_words(places: Sequence[int]) -> frozenset[int]:
    return frozenset(n for n in range(1, len(places)) if places[n] > places[n - 1] + 1)


def _visible(text: str) -> str:
    """Return what can be counted on both sides: no spaces, ligatures and other forms taken apart, no accents."""
    if text.isascii():
        return _INVISIBLE.sub("", text)
    plain = unicodedata.normalize("NFKD", _INVISIBLE.sub("", text))
    return "".join(character for character in plain if not unicodedata.combining(character) and character != " ")


def _middle(box: BBox) -> float:
    return (box.y0 + box.y1) / 2
