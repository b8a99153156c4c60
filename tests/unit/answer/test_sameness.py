"""Another wording is the same question; a changed number, name, verb, denial or direction is another one."""

from __future__ import annotations

from itertools import permutations

import pytest

from desktop_rag.answer.sameness import same_question
from desktop_rag.evaluate.sameness import load_families, measure
from tests.fixtures.models import WordEmbedder

FAMILIES = load_families()


def test_the_questions_that_come_along_are_enough_and_different() -> None:
    questions = [text for family in FAMILIES for text in (family.seed, *family.same, *family.other)]
    assert len(questions) >= 300
    assert len(set(questions)) == len(questions)


def test_no_near_miss_hits_and_most_paraphrases_do() -> None:
    result = measure(FAMILIES, WordEmbedder(), closeness=0.0)
    assert result.wrong_hits == ()
    assert result.near_misses == sum(len(family.other) * (1 + len(family.same)) for family in FAMILIES)
    assert result.hits >= 0.6 * result.paraphrases


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How do I delete the account?", "How do I update the account?"),
        ("Who met Anna?", "Who did Anna meet?"),
        ("What did Anna sell to Bert?", "What did Bert sell to Anna?"),
        ("What was sold by Meyer?", "What was sold to Meyer?"),
        ("When was it signed in Rome?", "Where was it signed in Rome?"),
        ("How high is the tower?", "How much is the tower?"),
        ("What is C++?", "What is C#?"),
        ("Is x > 5?", "Is x < 5?"),
        ("Who must sign?", "Who may sign?"),
        ("What is the date of the contract?", "What is the contract?"),
        ("Does the train stop here?", "Does the trainer stop here?"),
        ("Which is more than 5%?", "Which is more than 5?"),
    ],
)
def test_what_asks_something_else_is_told_apart_in_both_directions(one: str, other: str) -> None:
    assert [same_question(*pair) for pair in permutations((one, other))] == [False, False]


@pytest.mark.parametrize("question", ["  WHEN does the\tpool open ?", "when does the pool open"])
def test_case_blanks_and_the_mark_at_the_end_do_not_matter(question: str) -> None:
    assert same_question("When does the pool open?", question)
