"""Whether the quotes can hold an answer at all, and what to say when they cannot."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from desktop_rag.answer.citations import Choice
from desktop_rag.answer.facts import find_facts, stands_in
from desktop_rag.core.languages import language_of
from desktop_rag.core.words import content_words, is_cjk, is_identifier, tokens

_DECIMAL = re.compile(r"\d+(?:\.\d+)+")
_ACRONYM = re.compile(r"\b[A-Z]{3,}s?\b")


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
    """For each name or year of the question that stands nowhere near the quotes, at most two."""
    refuse_below: float = 0.42
    without_vectors: float = 0.45
    """The cosine that is assumed where no vectors could be made."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the decision rests on.

    ``missing`` are identifiers, acronyms and longer numbers of the question that no quote or its surroundings have,
    ``missing_names`` capitalised words and years of the question that they lack.
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
    asked = dict.fromkeys(token for token in tokens(question) if is_identifier(token) or _is_model_number(token))
    missing = tuple(token for token in asked if not stands_in(token, places))
    known = frozenset(content_words(places))
    names = tuple(dict.fromkeys(word for word in _names(question) if word not in known))
    short = tuple(dict.fromkeys(word for word in _ACRONYM.findall(question) if not known.intersection(_plain(word))))
    return Signals(got / total if total else 0.0, choice.similarity, (*missing, *short), names)


def _is_model_number(token: str) -> bool:
    """Return whether a token is a number that documents give in one form only: "2.0" or three digits, and no year."""
    if _DECIMAL.fullmatch(token):
        return True
    return token.isdigit() and len(token) > 2 and not (len(token) == 4 and 1500 <= int(token) < 2100)


def _names(question: str) -> list[str]:
    years = [token for token in tokens(question) if token.isdigit() and len(token) > 2 and not _is_model_number(token)]
    acronyms = {part for word in _ACRONYM.findall(question) for part in _plain(word)}
    return [word for word in (*_capitalised(question), *years) if word not in acronyms]


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
