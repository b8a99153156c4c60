"""Fits the rules of refusal to questions with known outcomes, and says how often the right ones are refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from desktop_rag.answer.answerer import HITS
from desktop_rag.answer.followup import standalone
from desktop_rag.answer.refusal import RefusalRules, Signals, confidence_of
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.files import write_for_person
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.types import INSIDE, Hit
from desktop_rag.evaluate.gold import holds_gold
from desktop_rag.evaluate.questions import Question

AT_MOST = 0.125
"""Share of the answerable questions that may be refused: one in eight of a set that is asked in far other words."""
_FOUND = 60
"""Hits that are looked for, so that enough are left without a file."""
_LEAST = 20
"""Questions of each sort from which on a fit says anything."""
_FOLDS = 10
_WEAK_PRIOR = 3.0
"""The inverse strength of the L2 penalty: weights of features between 0 and 2 may grow to a few units."""


class Asked(Protocol):
    """The part of an open library that a calibration needs."""

    def search(self, query: str, *, k: int = 10) -> tuple[Hit, ...]:
        """Return ranked hits."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its signals. ``sort`` is "answerable", "unanswerable", or "without its file"."""

    question: str
    sort: str
    signals: Signals

    @property
    def answerable(self) -> bool:
        """Whether an answer can be tried."""
        return self.sort == "answerable"


@dataclass(frozen=True, slots=True)
class Calibration:
    """The fitted rules; ``refused`` is the share of each sort that is refused by rules not fitted to it."""

    rules: RefusalRules
    counts: Mapping[str, int]
    refused: Mapping[str, float]
    examples: tuple[Example, ...]

    def as_json(self) -> dict[str, object]:
        """Return the rules and what they do, in plain values."""
        return {
            "rules": {name: round(value, 4) for name, value in asdict(self.rules).items()},
            "questions": dict(self.counts),
            "refused": {sort: round(share, 4) for sort, share in self.refused.items()},
        }

    def save(self, path: Path) -> None:
        """Write the rules, and the signals that they were fitted to (no text of a question), to ``path``."""
        rows = [[one.sort, bool(one.signals.missing), *np.round(one.signals.as_features(), 4)] for one in self.examples]
        head = json.dumps(
            {**self.as_json(), "columns": ["sort", "missing", "far", "missing_names", "form_fit"]}, indent=1
        )
        lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        write_for_person(path, f'{head[:-2]},\n "examples": [\n{lines}\n ]\n}}\n')


def collect(
    library: Asked,
    signals: Callable[[str, Sequence[Hit]], Signals | None],
    questions: Sequence[Question],
    job: Job,
) -> tuple[Example, ...]:
    """Ask every question, and the answerable ones once more as if their file were not there.

    Of these, only those count whose answer is not found elsewhere.
    """
    found: list[Example] = []
    for number, question in enumerate(questions):
        job.check()
        job.report(Progress(number, len(questions), "questions", "Searching", question.id))
        found += _examples(library, signals, question)
    return tuple(found)


def _examples(
    library: Asked, signals: Callable[[str, Sequence[Hit]], Signals | None], question: Question
) -> Iterator[Example]:
    text = standalone(question.question, question.history[::2])
    asked = [("answerable" if question.answerable else "unanswerable", library.search(text, k=HITS))]
    if question.file is not None:
        left = tuple(hit for hit in library.search(text, k=_FOUND) if not _is_of(hit, question.file))
        if not holds_gold(question, (hit.element.text for hit in left[:HITS])):
            asked.append(("without its file", left))
    for sort, some in asked:
        read = [replace(hit, rank=rank) for rank, hit in enumerate(some[:HITS], 1)]
        known = signals(text, read)
        if known is not None:
            yield Example(question.id, sort, known)


def _is_of(hit: Hit, file: str) -> bool:
    shown = hit.file.split(INSIDE)[0]
    return Path(shown).as_posix().endswith(file)


def fit(examples: Sequence[Example], at_most: float = AT_MOST) -> Calibration:
    """Fit the rules, and refuse as many as refuse ``at_most`` of the answerable questions.

    The shares come from ten folds, each judged by rules that were fitted to the nine others; a question is in one fold
    with all its examples. Raises UserFacingError for fewer than 20 answerable or 20 other examples.
    """
    right = sum(one.answerable for one in examples)
    if min(right, len(examples) - right) < _LEAST:
        raise UserFacingError(
            f"{right} answerable and {len(examples) - right} unanswerable questions are too few to fit rules of "
            f"refusal to. Give at least {_LEAST} of each."
        )
    refused: dict[str, list[bool]] = {}
    for some, others in GroupKFold(_FOLDS).split(examples, groups=[one.question for one in examples]):
        rules = _fitted([examples[at] for at in some], at_most)
        for one in (examples[at] for at in others):
            refused.setdefault(one.sort, []).append(confidence_of(one.signals, rules) < rules.refuse_below)
    counts = {sort: len(results) for sort, results in refused.items()}
    shares = {sort: sum(results) / len(results) for sort, results in refused.items()}
    return Calibration(_fitted(examples, at_most), counts, shares, tuple(examples))


def _fitted(examples: Sequence[Example], at_most: float) -> RefusalRules:
    right = np.array([one.answerable for one in examples])
    model = LogisticRegression(C=_WEAK_PRIOR, class_weight="balanced")
    model.fit(np.array([one.signals.as_features() for one in examples]), right)
    far, names, form = map(float, model.coef_[0])
    rules = RefusalRules(float(model.intercept_[0]), far, names, form, refuse_below=0.0)
    confidences = [confidence_of(one.signals, rules) for one in examples if one.answerable]
    return replace(rules, refuse_below=float(np.quantile(confidences, at_most)))
