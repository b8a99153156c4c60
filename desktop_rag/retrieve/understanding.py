"""What a question says besides its words: phrases in quotes are meant exactly, unknown words may be misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from desktop_rag.core.words import STOP_WORDS, fold, stem, tokens
from desktop_rag.store.filters import quoted

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«\s*([^»]+?)\s*»")
_REGEX_MARK = re.compile(r"([\\.+*?()|\[\]{}^$])")
_LEAST_LETTERS = 5
_MOST_MISSPELT = 3
_KEPT_LETTERS = 3
"""Letters at the beginning of a word that its stem has, too."""


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
    words = dict.fromkeys(
        stem(word)
        for word in tokens(question)
        if word.isalpha() and len(word) >= _LEAST_LETTERS and word not in STOP_WORDS
    )
    known = _standing(words, found)
    return tuple(word for word in words if word not in known)[:_MOST_MISSPELT]


def _standing(stems: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Return the stems of those words of ``texts`` that begin as one of ``stems``; to stem all words takes long."""
    starts = "|".join({re.escape(one[:_KEPT_LETTERS]) for one in stems})
    if not starts:
        return set()
    alike = re.compile(rf"\b(?:{starts})\w*")
    return {stem(word) for text in texts for word in alike.findall(fold(text))}
