"""Whether the quotes can hold an answer at all, and what to say when they cannot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from desktop_rag.answer.citations import Choice
from desktop_rag.answer.facts import stands_in
from desktop_rag.answer.words import is_identifier, tokens


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
    refuse_below: float = 0.42
    without_vectors: float = 0.45
    """The cosine that is assumed where no vectors could be made."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the decision rests on. ``missing`` are identifiers of the question that no quote or its page names."""

    coverage: float
    similarity: float | None
    missing: tuple[str, ...]


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
    )
    confidence = 1 / (1 + math.exp(-total))
    return Judgement(confidence, "" if confidence >= rules.refuse_below else _reason(signals.missing), signals)


def read_signals(question: str, choice: Choice) -> Signals:
    """Return the signals of ``choice``: what a calibration collects and :func:`judge` combines."""
    total = sum(choice.weights.values())
    got = sum(weight for word, weight in choice.weights.items() if word in choice.known_words)
    places = " \n ".join(
        f"{item.title} {' '.join(item.heading)} {item.file} {item.context}" for item in choice.evidence
    )
    asked = dict.fromkeys(token for token in tokens(question) if is_identifier(token))
    missing = tuple(token for token in asked if not stands_in(token, places))
    return Signals(got / total if total else 0.0, choice.similarity, missing)


def refusal_text(reason: str) -> str:
    """Return the sentence that stands in the place of an answer."""
    return f"The documents do not seem to answer this: {reason}."


def _reason(missing: Sequence[str]) -> str:
    if missing:
        return f"nothing about {', '.join(missing)} was found"
    return "no place was found that speaks of it"
