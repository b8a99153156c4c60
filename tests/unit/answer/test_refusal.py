"""What speaks against an answer: things that the question names and no place near the quotes does."""

from __future__ import annotations

import pytest

from desktop_rag.answer.citations import Choice, choose
from desktop_rag.answer.refusal import judge
from tests.fixtures.models import WordEmbedder
from tests.fixtures.passages import element, hit

METHOD = "The long-term detection limit of MTBE in the method is 0.17 micrograms per litre. Boeing 737 aircraft use it."


def choice(question: str, text: str = METHOD) -> Choice:
    return choose(question, [hit(element(text))], WordEmbedder(), lambda document, page: "", 6)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What is the long-term detection limit of PFOA in the method?", ("PFOA",)),
        ("What is the long-term detection limit of MTBE in the method?", ()),
        ("How many PDFs describe the detection limit of the method?", ()),
        ("Which Boeing 787 aircraft use the method?", ("787",)),
        ("Which Boeing 737 aircraft use the method?", ()),
        ("What was the long-term detection limit of MTBE in 2019?", ()),
        ("When was version 2.0 of the method published?", ("2.0",)),
        ("Which limit of the method is 0.17 micrograms per litre?", ()),
        ("Which limit of the method is above 500 micrograms?", ()),
        ("Was the method used before May 2019 or on October 3?", ()),
        ("What is the LTDL of the method?", ()),
        ("What is the HPLC of the method?", ("HPLC",)),
        ("Who uses the method in the USA?", ()),
        ("WHAT IS THE DETECTION LIMIT OF PFOA IN THE METHOD?", ()),
    ],
)
def test_an_acronym_or_model_number_that_stands_nowhere_is_missing(question: str, missing: tuple[str, ...]) -> None:
    text = METHOD + " One PDF describes it."
    assert judge(question, choice(question, text)).signals.missing == missing


def test_what_is_missing_is_refused_by_its_name() -> None:
    question = "What is the long-term detection limit of PFOA in the method?"
    judgement = judge(question, choice(question))
    assert judgement.reason == "nothing about PFOA was found"
    assert judge(question.replace("PFOA", "MTBE"), choice(question.replace("PFOA", "MTBE"))).reason == ""


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Did Canada use the method?", ("canada",)),
        ("Did anybody use it in 2019?", ("2019",)),
        ("Was kostet ein Ventil in der Mühle?", ()),
        ("この方法の検出限界はどこですか。", ()),
    ],
)
def test_names_are_told_by_capitals_only_where_writing_tells_them(question: str, names: tuple[str, ...]) -> None:
    assert judge(question, choice(question)).signals.missing_names == names
