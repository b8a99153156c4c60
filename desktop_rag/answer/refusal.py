"""Whether the quotes can hold an answer at all, and what to say when they cannot."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop_rag.answer.asked_form import asked_form, form_fit
from desktop_rag.answer.citations import Choice
from desktop_rag.answer.dates import find_dates
from desktop_rag.answer.facts import acronyms, find_facts, stands_in
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.languages import language_of
from desktop_rag.core.paths import resource
from desktop_rag.core.words import content_words, is_cjk, is_identifier, tokens

NEAR = 0.4
"""The cosine of question and quote from which on nearness says nothing more."""
_OF_WHAT_IS_MISSING = 0.1
_COUNTRIES = tuple(
    frozenset(content_words(names))
    for names in (
        "America American USA U.S. United",
        "Britain British UK U.K. Kingdom",
        "England English",
        "Scotland Scottish Scots",
        "Wales Welsh",
        "Ireland Irish",
        "France French Frankreich",
        "Germany German Deutschland",
        "Netherlands Dutch Niederlande",
        "Spain Spanish Spanien",
        "Portugal Portuguese",
        "Switzerland Swiss Schweiz",
        "Sweden Swedish Schweden",
        "Finland Finnish Finnland",
        "Denmark Danish Dänemark",
        "Norway Norwegian Norwegen",
        "Poland Polish Polen",
        "Greece Greek Griechenland",
        "Turkey Turkish Türkei",
        "China Chinese",
        "Thailand Thai",
    )
)
"""Countries whose people are called otherwise than by the beginning of its name, and their German names."""
_WORD = re.compile(r"[^\W\d_]+")
_ACRONYM = re.compile(r"\b[A-Z]{3,}s?\b")
_SAID_OTHERWISE = frozenset({"USA", "CEO", "CFO", "PDF", "FAQ", "ASAP"})
"""Acronyms of questions for which documents have other words ("U.S.", "chief executive"), or none."""
_NUMBERED = re.compile(r"(?:(?<=\w )[A-Z][\w'’-]*|\b(?:[Vv]ersion|[Rr]elease|[Rr]evision))\s+(\d+(?:\.\d+)*)\b")
"""A number that belongs to a name: "Boeing 787", "version 2.0". Any other one may be a bound, as in "more than 500"."""


@dataclass(frozen=True, slots=True)
class RefusalRules:
    """From which confidence an answer is tried: a logistic model of three signals, fitted by ``evaluate.refusal``.

    Words and meaning alone do not tell: a question about something close to the documents, which they do not answer,
    is as near to them as one that they answer in other words. ``far`` weighs how much the cosine of question and best
    quote is below ``NEAR``, ``missing_name`` each name that no place has (two at most), ``form_fit`` how well a quote
    fits as an answer.
    """

    bias: float
    far: float
    missing_name: float
    form_fit: float
    refuse_below: float


@dataclass(frozen=True, slots=True)
class Signals:
    """What the decision rests on.

    ``similarity`` is the highest cosine of question and quote, None without vectors. ``missing`` are identifiers,
    acronyms and numbers in names of the question that no quote or its surroundings have: close to a proof of absence.
    ``missing_names`` are other capitalised words and longer numbers of the question that the place that has most of
    them lacks. ``form_fit`` is that of the best quote, from 0 to 1 (see ``asked_form``).
    """

    similarity: float | None
    missing: tuple[str, ...]
    missing_names: tuple[str, ...]
    form_fit: float

    def as_features(self) -> tuple[float, float, float]:
        """Return what the logistic model weighs: distance, number of missing names, and fit."""
        far = 0.0 if self.similarity is None else max(0.0, NEAR - self.similarity)
        return far, float(min(2, len(self.missing_names))), self.form_fit


@dataclass(frozen=True, slots=True)
class Judgement:
    """The confidence between 0 and 1, and the reason for a refusal (empty when an answer shall be tried)."""

    confidence: float
    reason: str
    signals: Signals


def load_rules(path: str = "") -> RefusalRules:
    """Read what a calibration wrote; "" means that which comes along.

    Raises UserFacingError when the file is missing or not as it should be.
    """
    file = Path(path) if path else resource("calibration", "refusal.json")
    try:
        rules = RefusalRules(**json.loads(file.read_text(encoding="utf-8"))["rules"])
        total = rules.bias + rules.far + rules.missing_name + rules.form_fit + rules.refuse_below
        if not math.isfinite(total):
            raise ValueError("a weight is no number")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserFacingError(
            f"{file} does not say when to refuse an answer ({error}). Calibrate again (desktop-rag calibrate refusal "
            "--save), or take 'refusal_model' out of the settings."
        ) from error
    return rules


def judge(question: str, choice: Choice, rules: RefusalRules) -> Judgement:
    """Decide whether ``choice`` can answer ``question``."""
    signals = read_signals(question, choice)
    confidence = confidence_of(signals, rules)
    reason = "" if confidence >= rules.refuse_below else _reason(question, signals)
    return Judgement(confidence, reason, signals)


def confidence_of(signals: Signals, rules: RefusalRules) -> float:
    """Return the confidence between 0 and 1; what is missing for certain leaves little of it."""
    far, names, fit = signals.as_features()
    total = rules.bias + rules.far * far + rules.missing_name * names + rules.form_fit * fit
    confidence = 1 / (1 + math.exp(-total))
    return confidence * _OF_WHAT_IS_MISSING if signals.missing else confidence


def read_signals(question: str, choice: Choice) -> Signals:
    """Return the signals of ``choice``: what a calibration collects and :func:`judge` combines."""
    places = [f"{item.title} {' '.join(item.heading)} {item.file} {item.context}" for item in choice.evidence]
    missing = tuple(dict.fromkeys(_exact_names(question, " \n ".join(places))))
    hard = {part for name in missing for part in _plain(name)}
    names = [word for word in dict.fromkeys(_names(question)) if word not in hard]
    lacking = [tuple(_not_in(names, frozenset(content_words(place)))) for place in places]
    had = [len(names) - len(some) for some in lacking]
    fit = form_fit(question, choice.evidence, choice.weights, had)
    return Signals(choice.similarity, missing, min(lacking, key=len, default=tuple(names)), fit)


def _not_in(names: Sequence[str], words: frozenset[str]) -> Iterator[str]:
    """Yield the ``names`` that ``words`` do not have, nor as "Canadian" for "Canada" or "Swiss" for "Switzerland"."""
    for name in names:
        kin = name[: max(5, len(name) - 3)]
        related = len(kin) > 4 and not name.isdigit() and any(word.startswith(kin) for word in words)
        country = next((one for one in _COUNTRIES if name in one), frozenset())
        if not (name in words or related or words & country):
            yield name


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


def _reason(question: str, signals: Signals) -> str:
    if signals.missing:
        return f"nothing about {', '.join(signals.missing)} was found"
    form = asked_form(question)
    if form is not None and signals.form_fit == 0:
        return f"no place was found that gives {form.name}"
    return "no place was found that speaks of it"
