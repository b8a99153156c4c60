"""Whether the quotes can hold an answer at all, and what to say when they cannot."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from desktop_rag.answer.citations import Choice
from desktop_rag.answer.dates import find_dates
from desktop_rag.answer.facts import acronyms, find_facts, stands_in
from desktop_rag.core.languages import language_of
from desktop_rag.core.words import content_words, is_cjk, is_identifier, tokens

_WORD = re.compile(r"[^\W\d_]+")
_ACRONYM = re.compile(r"\b[A-Z]{3,}s?\b")
_SAID_OTHERWISE = frozenset({"USA", "CEO", "CFO", "PDF", "FAQ", "ASAP"})
"""Acronyms of questions for which documents have other words ("U.S.", "chief executive"), or none."""
_NUMBERED = re.compile(r"(?:(?<=\w )[A-Z][\w'’-]*|\b(?:[Vv]ersion|[Rr]elease|[Rr]evision))\s+(\d+(?:\.\d+)*)\b")
"""A number that belongs to a name: "Boeing 787", "version 2.0". Any other one may be a bound, as in "more than 500"."""


@dataclass(frozen=True, slots=True)
class RefusalRules:
    """From which confidence an answer is tried: a logistic model of three signals.

    The weights were set by hand so that the two signals that separate best stand alike: the share of the question's
    weighted words that the quotes and their headings have, and the cosine of question and best quote. Neither decides
    alone: questions in other words than the document have little coverage, and questions about something close to the
    documents are similar without an answer. A missing identifier, acronym or model number is close to a proof of
    absence.
    """

    bias: float = -3.6
    coverage: float = 4.0
    similarity: float = 5.0
    missing_identifier: float = -4.5
    missing_name: float = -1.5
    """For each name or other number of the question that stands nowhere near the quotes, at most two."""
    refuse_below: float = 0.42
    without_vectors: float = 0.45
    """The cosine that is assumed where no vectors could be made."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the decision rests on.

    ``missing`` are identifiers, acronyms and numbers in names of the question that no quote or its surroundings have,
    ``missing_names`` other capitalised words and longer numbers of the question that they lack.
    """

    coverage: float
    similarity: float | None
    missing: tuple[str, ...]
    missing_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """The confidence between 0 and 1, and the reason for a refusal (empty when an answer shall be tried)."""

    confidence: float
    reason: str
    signals: Signals


def judge(question: str, choice: Choice, rules: RefusalRules | None = None) -> Judgement:
    """Decide whether ``choice`` can answer ``question``."""
    rules = rules or RefusalRules()
    signals = read_signals(question, choice)
    similarity = rules.without_vectors if signals.similarity is None else signals.similarity
    total = (
        rules.bias
        + rules.coverage * signals.coverage
        + rules.similarity * similarity
        + rules.missing_identifier * bool(signals.missing)
        + rules.missing_name * min(2, len(signals.missing_names))
    )
    confidence = 1 / (1 + math.exp(-total))
    return Judgement(confidence, "" if confidence >= rules.refuse_below else _reason(signals), signals)


def read_signals(question: str, choice: Choice) -> Signals:
    """Return the signals of ``choice``: what a calibration collects and :func:`judge` combines."""
    total = sum(choice.weights.values())
    got = sum(weight for word, weight in choice.weights.items() if word in choice.known_words)
    places = " \n ".join(
        f"{item.title} {' '.join(item.heading)} {item.file} {item.context}" for item in choice.evidence
    )
    known = frozenset(content_words(places))
    missing = tuple(dict.fromkeys(_exact_names(question, places)))
    hard = {part for name in missing for part in _plain(name)}
    names = tuple(dict.fromkeys(word for word in _names(question) if word not in known and word not in hard))
    return Signals(got / total if total else 0.0, choice.similarity, missing, names)


def _exact_names(question: str, places: str) -> Iterator[str]:
    """Yield what ``question`` names in a form that documents keep, where ``places`` do not have it in that form."""
    numbers = (number for number in _NUMBERED.findall(find_dates(question)[1]) if _is_model_number(number))
    identifiers = (token for token in tokens(question) if is_identifier(token))
    yield from (token for token in (*identifiers, *numbers) if not stands_in(token, places))
    words = _WORD.findall(question)
    if 2 * sum(word.isupper() for word in words) > len(words):
        return  # a question in capitals: no word of it is an acronym
    known, spelled_out = frozenset(content_words(places)), acronyms(places)
    for acronym in _ACRONYM.findall(question):
        plain = _plain(acronym)
        if plain and acronym not in _SAID_OTHERWISE and not (known | spelled_out).intersection(plain):
            yield acronym


def _is_model_number(number: str) -> bool:
    """Return whether a number is too special to be one of a count: "787" or "2.0", and no year."""
    return "." in number or (len(number) > 2 and not (len(number) == 4 and 1500 <= int(number) < 2100))


def _names(question: str) -> list[str]:
    numbers = (token for token in tokens(question) if token.isdigit() and len(token) > 2)
    return [*_capitalised(question), *numbers]


def _capitalised(question: str) -> list[str]:
    """Return the names of a question whose writing tells names from other words: in German all nouns look like them."""
    if language_of(question, least=2) == "de":
        return []
    return [name for name in find_facts(question).names if not is_cjk(name)]


def _plain(acronym: str) -> list[str]:
    """Return an acronym as it may stand in a text: in the singular or the plural."""
    return [word for form in (acronym, acronym.removesuffix("s")) for word in content_words(form)]


def refusal_text(reason: str) -> str:
    """Return the sentence that stands in the place of an answer."""
    return f"The documents do not seem to answer this: {reason}."


def _reason(signals: Signals) -> str:
    if signals.missing:
        return f"nothing about {', '.join(signals.missing)} was found"
    return "no place was found that speaks of it"
