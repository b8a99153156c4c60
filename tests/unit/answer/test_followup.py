"""Follow-up questions are searched with the question that they lean on, others as they are."""

from __future__ import annotations

import pytest

from desktop_rag.answer.followup import standalone
from desktop_rag.answer.searched import as_searched
from desktop_rag.core.answers import Turn

EARLIER = ["How long is the bridge over the Aller?"]


@pytest.mark.parametrize(
    "question",
    ["And how wide is it?", "How wide is it?", "Why?", "What about the tunnel?", "Und wann?", "Even if it rains?"],
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


@pytest.mark.parametrize(
    ("earlier", "question", "searched"),
    [
        ("How many cells were made in 2023?", "And in 2024?", "How many cells were made in 2024? And in 2024?"),
        ("What does the LX-4 weigh?", "What about the LX-5?", "What does the LX-5 weigh? What about the LX-5?"),
        ("What is it at 25 °C?", "And at -10 °C?", "What is it at -10 °C? And at -10 °C?"),
        ("What does the LX-4 weigh?", "And in 2024?", "What does the LX-4 weigh? And in 2024?"),
        ("What did it cost in 2022 and 2023?", "And in 2024?", "What did it cost in 2022 and 2023? And in 2024?"),
    ],
)
def test_a_value_takes_the_place_of_the_one_of_its_kind(earlier: str, question: str, searched: str) -> None:
    assert standalone(question, [earlier]) == searched


def test_what_was_only_kept_in_mind_is_no_question() -> None:
    earlier = ["How long is the bridge over the Aller?", "Remember that the bridge is closed in May."]
    turns = [Turn(n, "thread", 0.0, question, None) for n, question in enumerate(earlier, 1)]
    assert as_searched("Why?", turns, ()) == f"{earlier[0]} Why?"


def test_without_history_nothing_is_added() -> None:
    assert standalone("And how wide is it?", []) == "And how wide is it?"
