"""What a question says besides its words: phrases in quotes are meant exactly, unknown words may be misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from desktop_rag.core.words import STOP_WORDS, stem, tokens
from desktop_rag.retrieve.agreement import words_of
from desktop_rag.store.filters import quoted

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«\s*([^»]+?)\s*»")
_REGEX_MARK = re.compile(r"([\\.+*?()|\[\]{}^$])")
_LEAST_LETTERS = 5
_MOST_MISSPELT = 3


def phrases(question: str) -> tuple[str, ...]:
    """Return what stands in double quotes, English, German or French ones."""
    found = (next(part for part in match.groups() if part is not None) for match in _QUOTED.finditer(question))
    return tuple(phrase.strip() for phrase in found if phrase.strip())


def phrase_condition(wanted: Iterable[str]) -> str:
    """Return the condition that an element's text holds all these phrases; case and line breaks aside."""
    return " AND ".join(f"regexp_like(text, {quoted(_pattern(phrase))})" for phrase in wanted)


def _pattern(phrase: str) -> str:
    words = (_REGEX_MARK.sub(r"\\\1", word) for word in phrase.split())
    return "(?i)" + r"\s+".join(words)


def perhaps_misspelt(question: str, found: Sequence[str]) -> tuple[str, ...]:
    """Return the stems of the words of ``question`` that no text of ``found`` holds, at most three.

    Stems, because the index holds stems too: "goverment" is three letters away from "govern", its stem only one.

    ``found`` are the best hits of a keyword search. A word that some document has is rare if few have it, and would
    have brought one of them among the best.
    """
    known = frozenset().union(*(words_of(text) for text in found))
    words = dict.fromkeys(
        stem(word)
        for word in tokens(question)
        if word.isalpha() and len(word) >= _LEAST_LETTERS and word not in STOP_WORDS and stem(word) not in known
    )
    return tuple(words)[:_MOST_MISSPELT]
