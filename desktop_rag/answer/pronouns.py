"""Whom "she" or "he" means: the one person that an earlier answer named when it was asked who somebody is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop_rag.answer.dates import find_dates
from desktop_rag.core.words import STOP_WORDS, content_words, fold, tokens

_LOOK_BACK = 4
"""Questions about one person that may follow each other."""
_PRONOUN = re.compile(r"\b(?:(?P<of>his|her(?=\s+\w))|s?he|him|hers?|er|ihn|ihm|sie|ihr(?:e[mnrs]?)?|seine[mnrs]?)\b")
"""Small letters only: German "Sie" is you."""
_EITHER = re.compile(r"\b(?:s?he|him|her|er|sie)(?: or |/| oder )(?:s?he|him|her|er|sie)\b")
_WHO = frozenset(["who", "whom", "wer", "wen", "wem"])
_ARTICLES = frozenset(["the", "a", "an", "der", "die", "das", "des", "dem", "den", "ein", "eine", "einer", "eines"])
_TITLES = frozenset(["mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "dame", "herr", "frau"])
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"
_RUN = re.compile(
    rf"(?<![\w'’-])(?:(?P<before>[\w'’]+) )??"
    rf"(?P<name>{_CAPITAL}[\w'’-]*\.?(?: (?:(?:van|von|de|der|den|du|la|le|di|al|bin|ten) )*{_CAPITAL}[\w'’-]*\.?)+)"
)
_MOST_WORDS = 5


def resolved(question: str, earlier: Sequence[tuple[str, str]]) -> str | None:
    """Return ``question`` with the person in the place of its first pronoun, or None where nobody is certain.

    ``earlier`` are the questions of the conversation, oldest first, each with what it was answered with first, "" for
    nothing. The person comes from the answer to a question for somebody ("Who …?"), and must be the only one named.
    """
    if not _PRONOUN.search(question) or _EITHER.search(question):
        return None
    for asked, said in list(reversed(earlier))[:_LOOK_BACK]:
        if _WHO & set(tokens(asked)):
            people = people_in(said, asked)
            return _with(people[0], question) if len(people) == 1 else None
        if not _PRONOUN.search(asked):
            return None
    return None


def _with(person: str, question: str) -> str:
    return _PRONOUN.sub(lambda match: f"{person}'s" if match["of"] else person, question, count=1)


def people_in(text: str, asked: str = "") -> list[str]:
    """Return the names of people in ``text``, each once: two to five capitalised words, or a title and a word.

    Not what has an article ("the Harbour Authority"), nor what was named in the question ``asked``.
    """
    known = set(content_words(asked))
    found: dict[str, str] = {}
    for match in _RUN.finditer(find_dates(text)[1]):
        words = match["name"].split()
        before = match["before"] or ""
        while words and fold(words[0]).strip(".") in STOP_WORDS - _TITLES:
            before = words.pop(0)
        name = " ".join(words).rstrip(".")
        if not 2 <= len(words) <= _MOST_WORDS or fold(before) in _ARTICLES or known & set(content_words(name)):
            continue
        found.setdefault(fold(name), name)
    return list(found.values())
