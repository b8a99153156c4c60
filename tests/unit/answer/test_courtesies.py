"""Thanks and greetings are told from questions, and only where they are the whole message."""

from __future__ import annotations

import pytest

from desktop_rag.answer.courtesies import courtesy_reply
from desktop_rag.answer.searched import as_searched
from desktop_rag.core.answers import Turn

ENGLISH, GERMAN = "Ask a question about your documents.", "Stelle eine Frage zu deinen Dokumenten."


@pytest.mark.parametrize(
    "message",
    ["Thanks!", "hello", "OK great", "Thank you so much for your help.", "Good morning, how are you?", "okay … got it",
     "That was very good, thanks a lot", "Hi there 👋", "👍", "!!!"],
)  # fmt: skip
def test_courtesies_get_a_line(message: str) -> None:
    assert courtesy_reply(message) == ENGLISH


@pytest.mark.parametrize(
    "message", ["Danke!", "Hallo zusammen", "ok, vielen Dank", "Guten Tag", "Alles klar, danke schön"]
)
def test_german_ones_get_a_german_line(message: str) -> None:
    assert courtesy_reply(message) == GERMAN


@pytest.mark.parametrize(
    "message",
    ["Thanks. When does the library open?", "Who says thanks?", "hello world example", "Is it good?", "Was that all?",
     "good practice", "the thank you letter", "Danke, und wann ist geöffnet?", "What is a good day rate?",
     "And in 2024?", "Why?", "you", "2024", "thanks " * 20, "谢谢你的合同在哪里", ""],
)  # fmt: skip
def test_whatever_else_is_said_is_a_question(message: str) -> None:
    assert courtesy_reply(message) == ""


def test_a_follow_up_leans_on_the_question_before_the_thanks() -> None:
    asked = Turn(1, "t", 0.0, "How much did the library spend on books in 2023?", None)
    thanks = Turn(2, "t", 0.0, "Thanks!", None)
    assert as_searched("And in 2024?", [asked, thanks], ()) == as_searched("And in 2024?", [asked], ())
