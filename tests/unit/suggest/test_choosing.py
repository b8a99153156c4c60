"""Only questions that are answered, from where they were made, are offered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from desktop_rag.core.answers import Answer, Evidence, Timings
from desktop_rag.core.types import Route
from desktop_rag.suggest.candidates import Candidate, Source
from desktop_rag.suggest.choosing import MOST, choose, is_answered
from tests.fixtures.passages import evidence

SAID = "The meter is reset by both keys, held for ten seconds."


def answer(question: str, *quotes: Evidence, refused: bool = False) -> Answer:
    return Answer(
        question, "", refused, "", 0.9, (), (), quotes, "", False, "", "q", Timings(0, 0, None, 0), Route.BEST
    )  # fmt: skip


def candidate(question: str, document: str = "d1", source: Source = Source.SECTION) -> Candidate:
    return Candidate(question, source, document, frozenset(["e1"]))


def quote(text: str = SAID, document: str = "d1", name: str = "e1") -> Evidence:
    return replace(evidence(text, name=name), document=document)


def test_the_first_quote_must_come_from_the_place() -> None:
    one = candidate("What is said about meters?")
    assert is_answered(one, answer("", quote()))
    assert not is_answered(one, answer("", quote(), refused=True))
    assert not is_answered(one, answer(""))
    assert not is_answered(one, answer("", quote(name="e2")))
    assert not is_answered(one, answer("", quote(document="d2")))


def test_the_quote_must_say_more_than_the_question_and_not_break_off_before() -> None:
    one = replace(candidate("How is the meter reset by both keys?"), apart="How is the meter reset by both keys?")
    assert not is_answered(one, answer("", quote("How is the meter reset by both keys?")))
    assert is_answered(one, answer("", quote(f"How is the meter reset by both keys? {SAID}")))
    assert not is_answered(candidate("What is said about meters?"), answer("", quote(f"that is one and {SAID}")))


def test_the_quote_of_a_value_must_hold_row_and_number() -> None:
    one = Candidate("What value is given for staff in 2024?", Source.VALUE, "d1", holds=("Staff", "829,500"))
    assert is_answered(one, answer("", quote("Staff; 2023: 801,300; 2024: 829,500")))
    assert not is_answered(one, answer("", quote("Staff; 2023: 801,300; 2024: 900,000")))


def asking(right: Callable[[str], bool], log: list[str]) -> Callable[[str], Answer]:
    def ask(question: str) -> Answer:
        log.append(question)
        return answer(question, quote(document=question.split()[-1].strip("?")), refused=not right(question))

    return ask


def test_each_document_gives_one_question_in_the_order_of_documents() -> None:
    documents = [[candidate(f"What is said about {n} in d{n}?", f"d{n}")] for n in range(9)]
    found = choose(documents, asking(lambda _: True, []))
    assert found == tuple(f"What is said about {n} in d{n}?" for n in range(MOST))


def test_a_refused_question_gives_way_to_the_next_one_of_its_document() -> None:
    documents = [[candidate("Bad in d1?"), candidate("Good in d1?"), candidate("Better in d1?")]]
    log: list[str] = []
    found = choose(documents, asking(lambda question: "Bad" not in question, log))
    assert found == ("Good in d1?", "Better in d1?")
    assert sorted(log) == sorted(set(log)), "no question is asked twice"


def test_kinds_take_turns_but_a_documents_own_questions_come_first() -> None:
    documents = [
        [candidate(f"Value in d{n}?", f"d{n}", Source.VALUE), candidate(f"Section in d{n}?", f"d{n}")] for n in (1, 2)
    ]
    documents.append([candidate("Own in d3?", "d3", Source.QUESTION)])
    documents.append([candidate("Own in d4?", "d4", Source.QUESTION), candidate("Section in d4?", "d4")])
    found = choose(documents, asking(lambda _: True, []))
    assert found == ("Value in d1?", "Section in d2?", "Own in d3?", "Own in d4?")


def test_what_a_person_would_be_noted_to_have_said_is_no_question() -> None:
    assert choose([[candidate("Remember that d1")]], asking(lambda _: True, [])) == ()


def test_only_so_many_questions_are_asked() -> None:
    log: list[str] = []
    documents = [[candidate(f"Is {n} {k} in d{n}?", f"d{n}") for k in range(9)] for n in range(30)]
    assert choose(documents, asking(lambda _: False, log)) == ()
    assert len(log) == 16


def test_poor_kinds_come_after_the_others_of_all_documents() -> None:
    documents = [
        [candidate("Who is d1?", "d1", Source.SUBJECT)],
        [candidate("Rules of d2?", "d2"), candidate("Who is d2?", "d2", Source.SUBJECT)],
    ]
    log: list[str] = []
    found = choose(documents, asking(lambda _: True, log))
    assert found == ("Rules of d2?", "Who is d1?", "Who is d2?")


def test_a_quote_of_another_section_is_no_answer() -> None:
    one = replace(candidate("How is the meter reset?", source=Source.QUESTION), passage=SAID)
    assert is_answered(one, answer("", quote(SAID)))
    assert not is_answered(one, answer("", quote("The rent is due on the third working day of each month.")))
