"""The pieces of an element that can be quoted: sentences, or lines where a text has none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from desktop_rag.answer.dates import YEAR
from desktop_rag.core.types import Element, ElementKind, Hit
from desktop_rag.core.words import content_words, fold
from desktop_rag.ingest.sentences import split_sentences

LONGEST_QUOTE = 350
"""Characters; more than that is no quote but a page to read."""
_SHORT = 20
_DATE_DOT = re.compile(
    r"(?:\b\d{1,2}|\b(?:[Nn]o|[Nn]r|[Ff]ig|[Ss]ec|[Vv]ol|[Pp]p?|[Aa]rt|[Ee]q|[Aa]bs|[Zz]iff|[Mm]io|[Mm]rd|Tsd|Std|bzw|vgl|inkl|zzgl|ggf|ca|(?<!°)[A-Z]))\.$"
)
_LEANS_ON_THE_ONE_BEFORE = re.compile(
    r"(?:it|its|they|their|this|these|that|those|he|she|his|her|such|however|therefore|thus|in addition|instead"
    r"|er|es|sie|dies\w*)\b"
)
_BULLET = re.compile(r"(?:[•◦▪●○■□‣➢✓·]\s*|[-–—*]\s+(?!\d)|o\s+(?=[A-Z]))+")
_GAP = re.compile(rf"\s*(?:{_BULLET.pattern})?")
_WORD_BREAK = re.compile(r"[,;:]\s+|\s+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """The characters ``start`` to ``end`` of a hit's element, which may become a quote."""

    hit: Hit
    start: int
    end: int

    @property
    def text(self) -> str:
        """The exact characters of the document."""
        return self.hit.element.text[self.start : self.end]


def candidates(hit: Hit) -> Iterator[Candidate]:
    """Yield the quotable pieces of a hit's element in reading order; none is longer than ``LONGEST_QUOTE``."""
    element = hit.element
    for start, end in _pieces(element):
        for part_start, part_end in _short_enough(element, start, end):
            part_start = _without_bullet(element, part_start, part_end)
            if not _is_heading(element, element.text[part_start:part_end]):
                yield Candidate(hit, part_start, part_end)


def is_gap(text: str) -> bool:
    """Return whether ``text`` may lie between two quotes that are one: blanks, or the mark of a list's next item."""
    return _GAP.fullmatch(text) is not None


def statements_of(text: str, kind: ElementKind) -> list[str]:
    """Return what a quote says, one thing at a time: its sentences with what leans on them, or its rows and lines."""
    return [text[start:end] for start, end in _spans(text, kind)]


def _pieces(element: Element) -> list[tuple[int, int]]:
    """Return what may become a quote of its own. A label of a figure says nothing without those around it."""
    pieces = _spans(element.text, element.kind)
    return _together(pieces) if element.kind is ElementKind.FIGURE else pieces


def _together(pieces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join neighbours as long as they are short enough together."""
    found: list[tuple[int, int]] = []
    for start, end in pieces:
        if found and end - found[-1][0] <= LONGEST_QUOTE:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _spans(text: str, kind: ElementKind) -> list[tuple[int, int]]:
    if kind in (ElementKind.TABLE, ElementKind.CODE):
        return _lines(text)
    return _joined(text, split_sentences(text))


def _lines(text: str) -> list[tuple[int, int]]:
    """Return the lines of ``text`` without the blanks around them, and without rules such as "| --- | --- |"."""
    found = [match.span() for match in re.finditer(r"\S[^\n]*", text)]
    return [(start, start + len(text[start:end].rstrip())) for start, end in found if re.search(r"\w", text[start:end])]


def _joined(text: str, sentences: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join what belongs together: false ends ("No. 5"), short pieces, introductions with a colon, and pronouns."""
    found: list[tuple[int, int]] = []
    for start, end in sentences:
        if found and end - found[-1][0] <= LONGEST_QUOTE and _belongs(text, found[-1], (start, end)):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _belongs(text: str, before: tuple[int, int], after: tuple[int, int]) -> bool:
    first, second = text[slice(*before)], text[slice(*after)]
    return (
        first.endswith(":")
        or _DATE_DOT.search(first) is not None
        or (len(second) < _SHORT and "\n" not in text[before[1] : after[0]])
        or _LEANS_ON_THE_ONE_BEFORE.match(fold(second)) is not None
    )


def _short_enough(element: Element, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a piece that is too long at the lines of the page, or at words where a line is too long itself.

    The lines of a table that was read as running text are its rows: whole lines keep label and value together.
    """
    if end - start <= LONGEST_QUOTE:
        yield start, end
        return
    borders = sorted({start, end, *(span.start for span in element.spans if start < span.start < end)})
    if len(borders) <= 2:
        borders = sorted(
            {start, end, *(match.end() + start for match in _WORD_BREAK.finditer(element.text[start:end]))}
        )
    at = start
    for border, following in zip(borders[1:], [*borders[2:], None], strict=True):
        if following is None or following - at > LONGEST_QUOTE:
            yield from _trimmed(element.text, at, border)
            at = border


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the part without blanks around it, cut hard where it has no break at all."""
    part = text[start:end]
    start, end = start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
    for at in range(start, end, LONGEST_QUOTE):
        yield at, min(end, at + LONGEST_QUOTE)


def _without_bullet(element: Element, start: int, end: int) -> int:
    """Return where the words of a list's item begin: its mark says nothing, but in code."""
    mark = None if element.kind in (ElementKind.TABLE, ElementKind.CODE) else _BULLET.match(element.text, start, end)
    return mark.end() if mark and mark.end() < end else start


def _is_heading(element: Element, text: str) -> bool:
    """Return whether ``text`` is only a heading or title, or too little to say anything."""
    plain = fold(text).strip(" .:|#*-")
    if plain in {fold(part).strip(" .:|#*-") for part in (element.title, *element.heading)}:
        return True
    if element.kind is not ElementKind.TABLE and len(YEAR.findall(text)) > 1:
        text = YEAR.sub("", text)  # years over the columns of a table that was not found
    return len(content_words(text)) < 2 and not any(char.isdigit() for char in text)
