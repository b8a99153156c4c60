"""A pronoun stands for the person of an earlier answer only where there is no doubt who that is."""

from __future__ import annotations

import pytest

from desktop_rag.answer.pronouns import people_in, resolved

WHO = "Who runs the harbour?"
SAID = "On 3 March 2024 Ann-Marie van der Lee of the Harbour Authority became its director."


@pytest.mark.parametrize(
    ("text", "asked", "people"),
    [
        (SAID, WHO, ["Ann-Marie van der Lee"]),
        ("In May Tom Becker of the Board took over.", WHO, ["Tom Becker"]),
        ("Dr. Ann Lee and Tom Becker run it.", WHO, ["Dr. Ann Lee", "Tom Becker"]),
        ("The director is Ms. Vogel.", WHO, ["Ms. Vogel"]),
        ("Leiterin ist seit dem 1. März 2024 Jana Berg.", "Wer leitet den Hafen?", ["Jana Berg"]),
        ("The Chief Financial Officer, Ann Lee, joined.", "Who is the chief financial officer?", ["Ann Lee"]),
        ("Director: Ann Lee\nTelephone 1204", WHO, ["Ann Lee"]),
        ("Nobody runs it.", WHO, []),
    ],
)
def test_people_are_found_by_their_names(text: str, asked: str, people: list[str]) -> None:
    assert people_in(text, asked) == people


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("When did she join?", "When did Ann-Marie van der Lee join?"),
        ("Where is her office?", "Where is Ann-Marie van der Lee's office?"),
        ("Who worked with her?", "Who worked with Ann-Marie van der Lee?"),
        ("Wo arbeitet sie?", "Wo arbeitet Ann-Marie van der Lee?"),
    ],
)
def test_the_person_stands_in_the_place_of_the_pronoun(question: str, meant: str) -> None:
    assert resolved(question, [(WHO, SAID)]) == meant


@pytest.mark.parametrize(
    ("question", "earlier"),
    [
        ("How deep is it?", [(WHO, SAID)]),
        ("Was he or she paid?", [(WHO, SAID)]),
        ("Können Sie das erklären?", [(WHO, SAID)]),
        ("When did she join?", [(WHO, "Ann Lee and Tom Becker run it.")]),
        ("When did she join?", [(WHO, "")]),
        ("When did she join?", [(WHO, SAID), ("How deep is the harbour?", "It is 12 m deep.")]),
        ("When did she join?", [("When was the director chosen?", SAID)]),
        ("When did she join?", []),
    ],
)
def test_in_doubt_nobody_is_put_there(question: str, earlier: list[tuple[str, str]]) -> None:
    assert resolved(question, earlier) is None


def test_questions_about_one_person_may_follow_each_other() -> None:
    assert resolved("And did she leave?", [(WHO, SAID), ("When did she join?", "")]) == (
        "And did Ann-Marie van der Lee leave?"
    )
