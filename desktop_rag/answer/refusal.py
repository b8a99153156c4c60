"""Whether the quotes can hold an answer at all, and what to say when they cannot."""

from __future__ import annotations

import math
from dataclasses import dataclass

from desktop_rag.answer.citations import Choice
from desktop_rag.answer.facts import find_facts, stands_in
from desktop_rag.core.words import content_words, is_identifier, tokens


@dataclass(frozen=True, slots=True)
class RefusalRules:
    """From which confidence an answer is tried: a logistic model of three signals.

    The weights were set by hand so that the two signals that separate best stand alike: the share of the question's
    weighted words that the quotes and their headings have, and the cosine of question and best quote. Neither decides
    alone: questions in other words than the document have little coverage, and questions about something close to the
    documents are similar without an answer. A missing identifier is close to a proof of absence.
    """

    bias: float = -3.6
    coverage: float = 4.0
    similarity: float = 5.0
    missing_identifier: float = -3.5
    missing_name: float = -1.5
    """For each name or number of the question that stands nowhere near the quotes, at most two."""
    refuse_below: float = 0.42
    without_vectors: float = 0.45
    """The cosine that is assumed where no vectors could be made."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the decision rests on.

    ``missing`` are identifiers of the question that no quote or its surroundings have, ``missing_names`` capitalised
    words and longer numbers of the question that they lack.
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
    asked = dict.fromkeys(token for token in tokens(question) if is_identifier(token))
    missing = tuple(token for token in asked if not stands_in(token, places))
    return Signals(got / total if total else 0.0, choice.similarity, missing, _missing_names(question, places))


def _missing_names(question: str, places: str) -> tuple[str, ...]:
    facts, known = find_facts(question), set(content_words(places))
    numbers = [token for token in tokens(question) if token.isdigit() and len(token) > 2]
    return tuple(dict.fromkeys(word for word in (*facts.names, *numbers) if word not in known))


def refusal_text(reason: str) -> str:
    """Return the sentence that stands in the place of an answer."""
    return f"The documents do not seem to answer this: {reason}."


def _reason(signals: Signals) -> str:
    if signals.missing:
        return f"nothing about {', '.join(signals.missing)} was found"
    return "no place was found that speaks of it"
