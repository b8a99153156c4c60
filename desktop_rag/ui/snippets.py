"""The part of a passage that has most of the question's words, and where they stand in it. No widgets here."""

from __future__ import annotations

import re
from dataclasses import dataclass

from desktop_rag.core.words import content_words, fold, stem

_WORD = re.compile(r"\w+")
_LEAD = 12
"""Characters that are kept before the first word that matches."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of text, and the places in it, each a start and a length, of the words that the question has too."""

    text: str
    lit: tuple[tuple[int, int], ...]


def snippet(text: str, question: str, most: int = 96) -> Snippet:
    """Return about ``most`` characters of ``text``, in one line, beginning where most words of ``question`` are."""
    plain = " ".join(text.split())
    wanted = set(content_words(question))
    found = [(match.start(), match.end(), stem(fold(match.group()))) for match in _WORD.finditer(plain)]
    found = [one for one in found if one[2] in wanted]
    start = _best_start(found, most) if len(plain) > most else 0
    start = _word_start(plain, start - _LEAD) if start > _LEAD else 0
    end = _word_end(plain, start + most)
    head, tail = "…" if start else "", "…" if end < len(plain) else ""
    shift = len(head) - start
    lit = tuple((at + shift, to - at) for at, to, _word in found if start <= at and to <= end)
    return Snippet(f"{head}{plain[start:end]}{tail}", lit)


def _best_start(found: list[tuple[int, int, str]], most: int) -> int:
    """Return the earliest place from which most different words are within ``most`` characters."""

    def words_from(first: int) -> int:
        begin = found[first][0]
        return len({word for at, to, word in found[first:] if to <= begin + most - _LEAD})

    best = max(range(len(found)), key=lambda first: (words_from(first), -first), default=None)
    return 0 if best is None else found[best][0]


def _word_start(text: str, at: int) -> int:
    space = text.find(" ", max(0, at))
    return space + 1 if 0 <= space < at + _LEAD else max(0, at)


def _word_end(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    space = text.rfind(" ", 0, at)
    return space if space > at - _LEAD else at
