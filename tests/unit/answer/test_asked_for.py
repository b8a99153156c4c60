"""A sentence that leaves out just what was asked for gives way to its quote, which has it."""

from __future__ import annotations

import pytest

from desktop_rag.answer.asked_form import left_out
from desktop_rag.core.answers import Verdict
from tests.fixtures.models import ScriptedModel
from tests.fixtures.passages import element, evidence, hit
from tests.unit.answer.test_answerer import Desk

FLOOR = "In September the children's floor reopened after five months of building work."


@pytest.mark.parametrize(
    ("question", "sentence", "quote", "missing"),
    [
        ("When did the floor reopen?", "The floor reopened after five months of work.", FLOOR, "a date or time"),
        ("When did the floor reopen?", "The floor reopened in September.", FLOOR, ""),
        ("How many lamps are there?", "The lamps stand in the hall.", "The 12 lamps stand in the hall.", "a number"),
        ("How many lamps are there?", "The lamps stand in the hall.", "The lamps stand in the hall.", ""),
        ("Why did fees fall?", "The council abolished fines.", "Fees fell because fines were abolished.", ""),
        ("What happened to the floor?", "The floor reopened.", FLOOR, ""),
        ("Wann öffnete die Halle?", "Die Halle öffnete nach Umbau.", "Im März öffnete die Halle.", "a date or time"),
    ],
)
def test_what_is_left_out_is_told_by_the_quote(question: str, sentence: str, quote: str, missing: str) -> None:
    assert left_out(question, sentence, evidence(quote)) == missing


def ask(reply: str) -> tuple[list[Verdict], str, list[str]]:
    answer = Desk(ScriptedModel(reply), [hit(element(FLOOR, name="floor"), 1, "report.md")]).ask(
        "When did the children's floor reopen?"
    )
    return [one.verdict for one in answer.sentences], answer.text, [one.reason for one in answer.struck]


def test_the_quote_stands_in_the_place_of_a_sentence_without_what_was_asked_for() -> None:
    verdicts, text, reasons = ask("The children's floor reopened after five months of building work.")
    assert verdicts == [Verdict.QUOTE]
    assert text == f"{FLOOR} [1]"
    assert "a date or time" in reasons[0]


def test_after_the_answer_a_sentence_may_say_more() -> None:
    verdicts, _, reasons = ask(
        "The children's floor reopened in September. The children's floor reopened after five months of building work."
    )
    assert verdicts == [Verdict.SUPPORTED, Verdict.SUPPORTED]
    assert not reasons
