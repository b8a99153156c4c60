"""Whether a sentence that its evidence carries answers what was asked, or something else that the quotes say too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from desktop_rag.answer.actors import words_of_persons
from desktop_rag.answer.candidates import statements_of
from desktop_rag.answer.facts import find_names
from desktop_rag.core.answers import Evidence
from desktop_rag.core.languages import language_of
from desktop_rag.core.words import content_words, fold

_MANY_TIMES = 2
"""A statement that has so many times the words of the question is what was asked for."""
_FEW = 2
_ELSE = "it speaks of something else than the question"
_GENERIC = frozenset(
    words_of_persons(
        "summary summarize summarise overview main key point points finding findings important section document report "
        "text topic explain describe tell detail details content contents zusammenfassung fasse zusammen inhalt wichtig"
    )
)
"""Words that ask for what a text says, whatever that is."""
_HOW_MANY = re.compile(r"\b(?:how many|how much|wie ?viele?)\b")
_ASKS_A_NUMBER = re.compile(
    r"\b(?:how|when|wann|wie ?viele?|wie|(?:what|which|welche[mnrs]?) (?:\w+ ){0,3}?"
    r"(?:year|number|date|time|age|day|size|amount|percent\w*|share|price|cost|fee|rate|value|jahr|zahl|datum|preis|version|page|section|chapter|level|total))\b"
)
_BARE_NUMBER = re.compile(r"\W*\d[\d.,]*\W*")


def beside_the_question(text: str, item: Evidence, evidence: Sequence[Evidence], question: str) -> str:
    """Return why ``text``, carried by ``item``, answers another question than the one asked, or "".

    That is so where a quoted statement has half of the question's words or more, and what carries ``text`` half of
    these or fewer; or where another quote has more names of the question. ``evidence`` is in order, best
    first: what stands in its first quote may have few of the words.
    """
    name = _missing_name(item, evidence, question)
    if name:
        return f"it does not speak of '{name}'"
    asked = _asked(question, evidence)
    own, best = _own_words(text, item, asked), _most_words(evidence, asked)
    if not asked:
        return ""
    if not own and best and evidence[0].n != item.n:
        return _ELSE
    if 2 * best < len(asked) or (best < _FEW and evidence[0].n == item.n):
        return ""
    return _ELSE if _MANY_TIMES * own <= best and own < best else ""


def beside_the_latest(text: str, item: Evidence, evidence: Sequence[Evidence], latest: str) -> str:
    """Return why ``text`` answers an earlier question than the ``latest`` one ("And cats?"), or ""."""
    asked = set(words_of_persons(latest))
    return _ELSE if not _own_words(text, item, asked) and _most_words(evidence, asked) else ""


def out_of_place(text: str, item: Evidence, evidence: Sequence[Evidence], question: str) -> str:
    """Return why ``text``, a bare answer with its subject in the question, is taken from a wrong statement, or ""."""
    asked = set(words_of_persons(question))
    if _own_words(text, item, asked) < _most_words(evidence, asked):
        return "it is a bare answer out of a statement about something else"
    return ""


def _missing_name(item: Evidence, evidence: Sequence[Evidence], question: str) -> str:
    if language_of(question, least=2) == "de":
        return ""  # all nouns look like names
    names = dict.fromkeys(find_names(question))
    had = {one.n: names.keys() & set(content_words(f"{_around(one)} {one.quote}")) for one in evidence}
    if all(len(others) <= len(had[item.n]) for others in had.values()):
        return ""
    return next(name for name in names if name not in had[item.n] and any(name in others for others in had.values()))


def _asked(question: str, evidence: Sequence[Evidence]) -> set[str]:
    """Return the words of ``question`` but for those that stand in the titles of all quotes: they tell nothing."""
    asked = set(words_of_persons(question)) - _GENERIC
    if not asked:
        return set()
    everywhere = set.intersection(*(set(words_of_persons(_around(item))) for item in evidence))
    return asked - everywhere or asked


def _own_words(text: str, item: Evidence, asked: set[str]) -> int:
    words = set(content_words(text))
    return max((_asked_words(asked, item, one) for one in _nearest(words, item)), default=0)


def _most_words(evidence: Sequence[Evidence], asked: set[str]) -> int:
    said = ((item, one) for item in evidence for one in statements_of(item.quote, item.kind))
    return max((_asked_words(asked, item, one) for item, one in said), default=0)


def _nearest(words: set[str], item: Evidence) -> list[str]:
    """Return the statements of ``item`` that share most with ``words``."""
    said = statements_of(item.quote, item.kind)
    shared = [len(words & set(content_words(one))) for one in said]
    return [one for one, count in zip(said, shared, strict=True) if count == max(shared)]


def _asked_words(asked: set[str], item: Evidence, statement: str) -> int:
    return len(asked & set(words_of_persons(f"{_around(item)} {statement}")))


def _around(item: Evidence) -> str:
    stem = re.sub(r"[_-]", " ", PurePath(item.file).stem)
    return f"{stem} . {item.title} . {' '.join(item.heading)}"


def is_bare_number(text: str) -> bool:
    """Return whether ``text`` is a number and nothing else."""
    return _BARE_NUMBER.fullmatch(text) is not None


def asks_for_a_number(question: str) -> bool:
    """Return whether a number alone can answer ``question``."""
    return _ASKS_A_NUMBER.search(fold(question)) is not None


def said_in_full(text: str, question: str) -> str:
    """Return a bare answer with the subject that its question has.

    "7" to "How many samples failed?" becomes "7 samples failed"; other answers stand behind their question.
    """
    plain = question.strip(" ?")
    asked = _HOW_MANY.search(fold(plain))
    if asked and is_bare_number(text) and len(fold(plain)) == len(plain):
        return f"{plain[: asked.start()]}{text.strip(' .')}{plain[asked.end() :]}".strip()
    return f"{plain} {text}"
