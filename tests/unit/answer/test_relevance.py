"""What is true but answers another question is not shown as an answer."""

from __future__ import annotations

import pytest

from desktop_rag.answer.audit import audit
from desktop_rag.answer.relevance import beside_the_question
from desktop_rag.answer.writer import to_the_point
from desktop_rag.core.answers import Evidence, Verdict
from tests.fixtures.passages import evidence

STAY = evidence("Visitors may stay for two nights without notice. Quiet hours begin at ten.", 1)
FEE = evidence("The customer pays a fee of 480 pounds a month.", 2)
HARBOUR = evidence("Ingrid Solberg leads the authority.", 1)


@pytest.mark.parametrize(
    ("question", "draft", "shown"),
    [
        ("How long may visitors stay?", "Visitors may stay for two nights without notice.", True),
        ("How long may visitors stay?", "The customer pays a fee of 480 pounds a month.", False),
        ("How long may visitors stay?", "Quiet hours begin at ten.", False),
        ("What must the customer pay?", "The customer pays a fee of 480 pounds a month.", True),
    ],
)
def test_only_what_bears_on_the_question_is_shown(question: str, draft: str, shown: bool) -> None:
    items = [STAY, FEE]
    judged = to_the_point(audit(draft, items, question), items, question)
    assert (judged.sentence.verdict is Verdict.SUPPORTED) is shown
    if not shown:
        assert judged.sentence.reason == "it speaks of something else than the question"
        assert judged.nearest is None


ORDER = evidence("Ines Falk: order two switches by 21 March.", 1)
OCTANE = evidence("Please do not order from Octane.", 2)
ARRIVES = evidence("The contractor arrives within 8 hours.", 1, title="Contract")
RUNS = evidence("The contract runs for three years.", 2, title="Contract")


@pytest.mark.parametrize(
    ("question", "item", "others", "reason"),
    [
        ("Should we order from Octane?", ORDER, [OCTANE], "it does not speak of 'octan'"),
        ("Should Ines order from Octane?", OCTANE, [ORDER], ""),
        ("How soon does the contractor arrive?", RUNS, [ARRIVES], "it speaks of something else than the question"),
        ("How soon does the contractor arrive?", ARRIVES, [RUNS], ""),
    ],
)
def test_names_persons_and_titles_tell_what_a_quote_is_about(
    question: str, item: Evidence, others: list[Evidence], reason: str
) -> None:
    items = sorted([item, *others], key=lambda one: one.n)
    assert beside_the_question(item.quote, item, items, question) == reason


PETS = evidence("Dogs are allowed only on the ground floor. Cats are allowed on all floors.", 1)


@pytest.mark.parametrize(
    ("question", "latest", "draft", "shown"),
    [
        ("Where are dogs allowed?", "Where are dogs allowed?", "Cats are allowed on all floors.", False),
        ("Where are dogs allowed? And cats?", "And cats?", "Dogs are allowed only on the ground floor.", False),
        ("Where are dogs allowed? And cats?", "And cats?", "Cats are allowed on all floors.", True),
        ("Where are dogs allowed? Why?", "Why?", "Dogs are allowed only on the ground floor.", True),
    ],
)
def test_the_latest_question_is_the_one_that_is_answered(question: str, latest: str, draft: str, shown: bool) -> None:
    judged = to_the_point(audit(draft, [PETS], question), [PETS], question, latest)
    assert (judged.sentence.verdict is Verdict.SUPPORTED) is shown


@pytest.mark.parametrize("question", ["What are the main points?", "Summarise the key findings.", "What does it say?"])
def test_a_question_for_what_a_text_says_is_answered_with_anything_in_it(question: str) -> None:
    items = [STAY, evidence("The main point: the customer pays 480 pounds a month.", 2), FEE]
    judged = audit("Quiet hours begin at ten.", items, question)
    assert to_the_point(judged, items, question) is judged


def test_an_answer_in_other_words_than_the_question_is_shown() -> None:
    question = "Who is the boss of the port?"
    judged = audit("Ingrid Solberg leads the authority.", [HARBOUR], question)
    assert to_the_point(judged, [HARBOUR], question) is judged
