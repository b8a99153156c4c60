"""Text as it is searched and quoted: one form for each character, no invisible ones, and a map back to the source."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from desktop_rag.core.types import Span

_SPECIAL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xad\u0300-\u036f\u0591-\u05c7\u200b-\u200f\u2028-\u202f\u205f-\u2064\u3000\u2000-\u200a"
    "\u2011\ue000-\uf8ff\ufb00-\ufb06\ufb1d-\ufdff\ufe70-\ufeff\ufffd\t\ud800-\udfff\u3099\u309a]"
    r"|  | \n|\n | $|^ |^\n|\n$"
)
_BULLETS = frozenset("\uf0b7\uf0a7\uf0d8\uf06e\uf076\uf0fc\uf02d")
_INVISIBLE = frozenset(
    "\xad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff\ufffd\u202a\u202b\u202c\u202d\u202e"
)
_PRESENTATION = ("\ufb00", "\ufb06"), ("\ufb1d", "\ufdff"), ("\ufe70", "\ufefc")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text in its normal form; ``origin[i]`` is the place in the source from which its character ``i`` comes."""

    text: str
    origin: tuple[int, ...] | None
    """None when nothing changed: every character is at its old place."""


def clean(text: str) -> Cleaned:
    """Return ``text`` in NFC with ligatures expanded, invisible characters removed and blanks made single.

    Newlines stay, without blanks around them and none at the ends. Private-use signs become a bullet or vanish.
    """
    if not _SPECIAL.search(text) and (text.isascii() or unicodedata.is_normalized("NFC", text)):
        return Cleaned(text, None)
    pairs = _single_blanks(_composed(text))
    return Cleaned("".join(char for char, _ in pairs), tuple(place for _, place in pairs))


def clean_text(text: str) -> str:
    """Return the normal form of ``text`` without the map."""
    return clean(text).text


def move_spans(spans: tuple[Span, ...], cleaned: Cleaned) -> tuple[Span, ...]:
    """Return spans of the source text as spans of the cleaned text; those of which nothing is left are dropped."""
    if cleaned.origin is None:
        return spans
    starts = _first_at_or_after(cleaned.origin, max((span.end for span in spans), default=0))
    moved = (Span(starts[span.start], starts[span.end], span.bbox, span.confidence) for span in spans)
    return tuple(span for span in moved if span.end > span.start)


def _first_at_or_after(origin: tuple[int, ...], size: int) -> list[int]:
    """For each place 0..size of the source, the first cleaned character that comes from there or later."""
    found: list[int] = []
    at = 0
    for place in range(size + 1):
        while at < len(origin) and origin[at] < place:
            at += 1
        found.append(at)
    return found


def _composed(text: str) -> list[tuple[str, int]]:
    """Split into characters with their marks, and normalise each such cluster by itself, so that places stay known."""
    pairs: list[tuple[str, int]] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        pairs.extend((char, at) for char in _normal(text[at:end]))
        at = end
    return pairs


def _normal(cluster: str) -> str:
    char = cluster[0]
    if any(first <= char <= last for first, last in _PRESENTATION):
        return unicodedata.normalize("NFKC", cluster)
    if char in _INVISIBLE:
        return ""
    if char == "\u2011":
        return "-"
    if char in "\n\u2028\u2029":
        return "\n"
    category = unicodedata.category(char)
    if category == "Zs" or char == "\t":
        return " "
    if category == "Co":
        return "•" if char in _BULLETS else ""
    if category in ("Cc", "Cs"):
        return ""
    return unicodedata.normalize("NFC", cluster)


def _single_blanks(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    out: list[tuple[str, int]] = []
    for pair in pairs:
        if pair[0] == " " and (not out or out[-1][0] in " \n"):
            continue
        if pair[0] == "\n":
            while out and out[-1][0] == " ":
                out.pop()
            if not out:
                continue
        out.append(pair)
    while out and out[-1][0] in " \n":
        out.pop()
    return out
