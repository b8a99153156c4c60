"""Fitting when to refuse: examples with known outcomes in, rules and the shares that they refuse out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from desktop_rag.answer.refusal import Signals, load_rules
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.job import Job
from desktop_rag.core.types import Hit
from desktop_rag.evaluate.questions import Question
from desktop_rag.evaluate.refusal import Example, collect, fit
from tests.fixtures.passages import element, hit


def examples(answerable: int = 60, unanswerable: int = 60) -> list[Example]:
    """Return examples of which most tell by their fit; every tenth is as if it were of the other sort."""
    made = []
    for sort, count, usual, odd in (("answerable", answerable, 0.9, 0.2), ("unanswerable", unanswerable, 0.2, 0.9)):
        for at in range(count):
            level = odd if at % 10 == 0 else usual
            made.append(Example(f"{sort}{at}", sort, Signals(0.6, (), (), level + 0.001 * at)))
    return made


def test_the_fit_refuses_no_more_than_was_said_and_most_of_the_others() -> None:
    made = fit(examples(), at_most=0.1)
    assert made.refused["answerable"] <= 0.12
    assert made.refused["unanswerable"] >= 0.85
    assert made.rules.form_fit > 0
    assert made.counts == {"answerable": 60, "unanswerable": 60}


def test_a_missing_identifier_is_refused_whatever_else_is_there() -> None:
    one = Example("x", "without its file", Signals(0.9, ("dh-17",), (), 1.0))
    assert fit([*examples(), one]).refused["without its file"] == 1


def test_rules_are_kept_with_their_data_and_read_again(tmp_path: Path) -> None:
    made = fit(examples())
    made.save(tmp_path / "rules.json")
    kept = load_rules(str(tmp_path / "rules.json"))
    assert np.allclose(
        [kept.bias, kept.form_fit, kept.refuse_below],
        [made.rules.bias, made.rules.form_fit, made.rules.refuse_below],
        atol=1e-4,
    )
    data = json.loads((tmp_path / "rules.json").read_text())
    assert len(data["examples"]) == 120
    assert data["examples"][0] == ["answerable", False, 0.0, 0.0, 0.2]


def test_too_few_questions_are_refused() -> None:
    with pytest.raises(UserFacingError, match="60 answerable and 5 unanswerable"):
        fit(examples(60, 5))


def question(name: str, file: str | None, answer: str = "blue") -> Question:
    return Question(name, "What colour is the lamp?", answer, (), file, frozenset(), None, "lookup", ())


class Searched:
    """Finds the same places for every question."""

    hits = (
        hit(element("The lamp is blue.", name="e1"), 1, "/data/docs/a.md"),
        hit(element("The lamp stands there.", name="e2"), 2, "/data/docs/b.md"),
    )

    def search(self, query: str, *, k: int = 10) -> tuple[Hit, ...]:
        return self.hits[:k]


def test_answerable_questions_are_asked_again_without_their_file_unless_another_answers() -> None:
    seen: list[list[tuple[int, str]]] = []

    def signals(text: str, hits: Sequence[Hit]) -> Signals | None:
        seen.append([(one.rank, one.file) for one in hits])
        return Signals(0.5, (), (), 1.0)

    asked = [question("q1", "docs/a.md"), question("q2", None), question("q3", "docs/b.md")]
    made = collect(Searched(), signals, asked, Job())
    assert [(one.question, one.sort) for one in made] == [
        ("q1", "answerable"),
        ("q1", "without its file"),
        ("q2", "unanswerable"),
        ("q3", "answerable"),
    ]
    assert seen[1] == [(1, "/data/docs/b.md")]


def test_the_rules_that_come_along_are_those_of_their_data() -> None:
    from desktop_rag.core.paths import resource

    data = json.loads(resource("calibration", "refusal.json").read_text(encoding="utf-8"))
    read = []
    for at, (sort, missing, far, names, level) in enumerate(data["examples"]):
        lacked = tuple("x" * int(names))
        read.append(Example(str(at), sort, Signals(0.4 - far, ("x",) if missing else (), lacked, level)))
    again = fit(read).rules
    kept = load_rules()
    assert again.form_fit == pytest.approx(kept.form_fit, abs=0.02)
    assert again.missing_name == pytest.approx(kept.missing_name, abs=0.02)
    assert again.refuse_below == pytest.approx(kept.refuse_below, abs=0.01)
