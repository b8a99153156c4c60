"""What speaks against an answer: things that the question names and no place near the quotes does."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_rag.answer.citations import Choice, choose
from desktop_rag.answer.refusal import Judgement, judge, load_rules
from desktop_rag.core.errors import UserFacingError
from tests.fixtures.models import WordEmbedder
from tests.fixtures.passages import element, hit

METHOD = "The long-term detection limit of MTBE in the method is 0.17 micrograms per litre. Boeing 737 aircraft use it."


def choice(question: str, text: str = METHOD) -> Choice:
    return choose(question, [hit(element(text))], WordEmbedder(), lambda document, page: "", 6)


def judged(question: str, text: str = METHOD) -> Judgement:
    return judge(question, choice(question, text), load_rules())


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
    assert judged(question, text).signals.missing == missing


def test_what_is_missing_is_refused_by_its_name() -> None:
    question = "What is the long-term detection limit of PFOA in the method?"
    assert judged(question).reason == "nothing about PFOA was found"
    assert judged(question.replace("PFOA", "MTBE")).reason == ""


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
    assert judged(question).signals.missing_names == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who used the Canadian method?", ()),
        ("Who used the American method?", ()),
        ("Who used the Canal method?", ("canal",)),
        ("Who used the Norwegian method?", ("norwegian",)),
    ],
)
def test_a_people_is_named_by_its_country_too(question: str, names: tuple[str, ...]) -> None:
    assert judged(question, "Canada and the United States use the method.").signals.missing_names == names


def test_names_must_stand_in_one_place() -> None:
    hits = [
        hit(element("The method of Boeing finds MTBE.", name="e1"), 1),
        hit(element("The method of Canada finds little.", name="e2", document="d2"), 2),
    ]
    question = "Does the method of Boeing find anything in Canada?"
    found = choose(question, hits, WordEmbedder(), lambda document, page: "", 6)
    assert judge(question, found, load_rules()).signals.missing_names == ("canada",)


def test_what_is_not_of_the_asked_form_is_refused_by_its_form() -> None:
    assert (
        judged("What does the method cost in the laboratory?").reason
        == "no place was found that gives an amount of money"
    )
    assert judged("What does the method cost?", "The method costs $40 in the laboratory.").reason == ""


@pytest.mark.parametrize("text", ["", "{", "[]", '{"rules": {"bias": 1}}', '{"rules": {"bias": NaN}}'])
def test_rules_that_are_none_are_told_with_their_file(text: str, tmp_path: Path) -> None:
    file = tmp_path / "refusal.json"
    file.write_text(text)
    with pytest.raises(UserFacingError, match=r"refusal\.json does not say when .*calibrate refusal"):
        load_rules(str(file))
    with pytest.raises(UserFacingError, match=r"gone\.json"):
        load_rules(str(tmp_path / "gone.json"))
