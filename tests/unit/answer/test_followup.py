"""Follow-up questions are searched with the question that they lean on, others as they are."""

from __future__ import annotations

import pytest

from desktop_rag.answer.followup import standalone

EARLIER = ["How long is the bridge over the Aller?"]


@pytest.mark.parametrize(
    "question", ["And how wide is it?", "How wide is it?", "Why?", "What about the tunnel?", "Und wann?"]
)
def test_a_question_that_leans_back_gets_the_one_before(question: str) -> None:
    assert standalone(question, EARLIER) == f"{EARLIER[0]} {question}"


@pytest.mark.parametrize(
    "question",
    [
        "What does pump P-204 weigh?",
        "When did the Harbour Authority buy its first crane?",
        "Wie hoch ist der Turm in Celle?",
    ],
)
def test_a_complete_question_stays_as_it_is(question: str) -> None:
    assert standalone(question, EARLIER) == question


def test_a_follow_up_of_a_follow_up_reaches_back_to_the_first() -> None:
    chain = [*EARLIER, "And how wide is it?"]
    assert standalone("And how high?", chain) == f"{EARLIER[0]} And how wide is it? And how high?"


def test_without_history_nothing_is_added() -> None:
    assert standalone("And how wide is it?", []) == "And how wide is it?"
