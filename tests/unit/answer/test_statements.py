"""What is said to be kept in mind is told from what is asked."""

from __future__ import annotations

import pytest

from desktop_rag.answer.statements import read_statements
from desktop_rag.core.memories import MemoryKind


@pytest.mark.parametrize(
    ("text", "term", "meaning"),
    [
        ("Q means fiscal quarter.", "Q", "fiscal quarter"),
        ('"LTMDL" stands for long-term method detection limit', "LTMDL", "long-term method detection limit"),
        ("By the owner I mean the town of Lindenbrook.", "the owner", "the town of Lindenbrook"),
        ("Remember that NO stands for net operating cost.", "NO", "net operating cost"),
        ("WP bedeutet Wärmepumpe.", "WP", "Wärmepumpe"),
    ],
)
def test_meanings(text: str, term: str, meaning: str) -> None:
    (statement,), rest = read_statements(text)
    assert (statement.kind, statement.term, statement.meaning, rest) == (MemoryKind.MEANING, term, meaning, "")
    assert statement.text == text


@pytest.mark.parametrize("text", ["Please answer in German.", "Always write briefly", "Antworte bitte auf Deutsch"])
def test_wishes(text: str) -> None:
    (statement,), rest = read_statements(text)
    assert (statement.kind, statement.text, rest) == (MemoryKind.WISH, text, "")


def test_facts() -> None:
    (statement,), _ = read_statements("Remember that the north depot closed in 2022.")
    assert (statement.kind, statement.text) == (MemoryKind.FACT, "the north depot closed in 2022.")


@pytest.mark.parametrize(
    "text",
    [
        "What does Q mean?",
        "Does Q mean fiscal quarter?",
        "What stands for peace?",
        "It means nothing to me.",
        "The report means well.",
        "Remember the Titanic",
        "How many means are there?",
        "Which answer in German is right?",
        "The contract is short for a reason.",
        "Is it noted that the depot closed?",
        "",
    ],
)
def test_questions_and_remarks_are_left_alone(text: str) -> None:
    assert read_statements(text) == ((), text)


def test_what_is_said_before_a_question_is_kept_and_the_question_asked() -> None:
    (statement,), rest = read_statements("Q means fiscal quarter. What was the revenue in Q3?")
    assert (statement.term, rest) == ("Q", "What was the revenue in Q3?")
