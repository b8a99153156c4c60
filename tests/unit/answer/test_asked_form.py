"""What form a question wants its answer in, and whether a place has an answer of that form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop_rag.answer.asked_form import asked_form, form_fit, has_usual_form
from desktop_rag.core.types import ElementKind
from desktop_rag.core.words import content_words
from tests.fixtures.passages import evidence


def fit(question: str, *quotes: str, names: tuple[int, ...] = (), kind: ElementKind = ElementKind.TEXT) -> float:
    found = [replace(evidence(quote, n), kind=kind) for n, quote in enumerate(quotes, 1)]
    weights = dict.fromkeys(content_words(question), 1.0)
    return form_fit(question, found, weights, names or (0,) * len(found))


@pytest.mark.parametrize(
    ("question", "form", "with_it", "without_it"),
    [
        ("What does the lamp cost?", "an amount of money", "The lamp costs 40 dollars.", "It costs much in 2019."),
        ("What does the lamp cost?", "an amount of money", "The lamp is free.", "The lamp is blue and old."),
        ("What does the lamp cost?", "an amount of money", "The lamp costs nothing.", "The lamp costs."),
        ("What is the monthly fee?", "an amount of money", "A fee of 40 pounds a month.", "A fee each month."),
        ("What is the fee for the lamp?", "an amount of money", "The fee is 40 francs.", "The fee is for lamps."),
        ("Was kostet die Lampe?", "an amount of money", "Die Lampe: 40 Euro", "Die Lampe hat 40 Watt."),
        ("What share of the lamps is blue?", "a share", "17 percent of the lamps", "17 of the lamps are blue."),
        ("What share of the lamps is blue?", "a share", "Two-thirds of the lamps", "Many of the lamps are blue."),
        ("When is the lamp lit?", "a date or time", "The lamp is lit at 9 a.m.", "The lamp is lit in Rome."),
        ("When is the lamp lit?", "a date or time", "The lamp is lit on Mondays.", "The lamp is lit in Rome."),
        ("Seit wann brennt die Lampe?", "a date or time", "Die Lampe brennt seit 2 Jahren.", "Die Lampe brennt."),
        ("How many lamps burn?", "a number", "None of the lamps burns.", "The lamps burn."),
        ("How old is the lamp?", "an age", "The lamp was made in 1995.", "The lamp is blue."),
        ("When was the lamp made?", "a date or time", "The lamp was made on 3 May 2019.", "The lamp was made in Rome."),
        ("In which year was the lamp of 1990 sold?", "a date", "It was sold in 1995.", "It was sold."),
        ("How tall is the lamp?", "a length", "The lamp is 2 m tall.", "The lamp is tall for its 9 kg."),
        ("How heavy is the lamp?", "a weight", "The lamp has 9 kg.", "The lamp is 2 m tall."),
        ("How long is a code?", "a length or duration", "Code: 6 to 20 characters", "A long code"),
        ("How often is the lamp cleaned?", "a length or duration", "It is cleaned daily.", "It is cleaned."),
        ("At what temperature does the lamp melt?", "a temperature", "It melts at 90 °C.", "It melts in 9 minutes."),
        ("At what time is the lamp lit?", "a time of day", "It is lit at 6 p.m.", "It is lit by 6 people."),
        ("How many minutes does the lamp burn?", "a number of minutes", "It burns 9 minutes.", "It burns 9 oils."),
        ("How many lamps of the 12 burn?", "a number", "Of the 12 lamps 9 burn.", "The 12 lamps burn."),
        ("How much of the lamp is used?", "a number", "75% of the lamp", "The lamp is used."),
        ("How much of the lamp is used?", "a number", "Half of the lamp", "The lamp is used."),
        ("Why is the lamp blue?", "a reason", "The lamp is blue because it is cold.", "The lamp is blue."),
        ("Warum ist die Lampe blau?", "a reason", "Sie ist blau, weil die Lampe kalt ist.", "Die Lampe ist blau."),
        ("What is the phone number of the maker?", "a telephone number", "Maker: (206) 555-0100", "Maker, 12 phones"),
        ("What is the e-mail address of the maker?", "an e-mail address", "Maker: a@example.org", "Maker's address"),
        ("What is the home address of the maker?", "an address", "Maker, 12 Long Road", "The maker's home"),
    ],
)  # fmt: skip
def test_the_form_is_known_and_found(question: str, form: str, with_it: str, without_it: str) -> None:
    known = asked_form(question)
    assert known is not None
    assert known.name == form
    assert fit(question, with_it) > 0
    assert fit(question, without_it) == 0


@pytest.mark.parametrize(
    "question", ["What is a lamp?", "Who made the lamp?", "Which lamps burn?", "灯は何色ですか。", "?"]
)
def test_other_questions_take_any_text(question: str) -> None:
    assert asked_form(question) is None


def test_a_rare_form_may_answer_and_makes_no_better_quote() -> None:
    question = "When is the lamp lit?"
    for quote, usual in (("The lamp is lit each year.", False), ("The lamp is lit on 3 May.", True)):
        assert fit(question, quote) > 0
        assert has_usual_form(question, quote, "", ElementKind.TEXT) is usual


def test_the_unit_of_a_number_in_a_table_may_stand_elsewhere() -> None:
    assert fit("What does the lamp cost?", "Lamp; 47,90") == 0
    assert fit("What does the lamp cost?", "Lamp; 47,90", kind=ElementKind.TABLE) == 1
    assert fit("What does lamp 47 cost?", "Lamp 47; blue", kind=ElementKind.TABLE) == 0


def test_a_place_about_something_else_fits_less() -> None:
    right, other = "The lamp of Meier costs 40 dollars.", "A training costs 15 dollars."
    question = "What does the lamp of Meier cost?"
    assert fit(question, right, other, names=(1, 0)) == 1
    assert fit(question, "The lamp of Meier is blue.", other, names=(1, 0)) == 0


def test_half_hangs_on_the_asked_thing() -> None:
    question = "Which green lamp did the maker sell?"
    assert fit(question, "The maker did sell a green lamp.") == 1
    assert fit(question, "The maker did sell a house in May.") == pytest.approx(0.5)


def test_quotes_without_any_word_of_the_question_fit_nothing() -> None:
    assert fit("Which green lamp did the maker sell?", "Nothing of all that.") == 0


@pytest.mark.parametrize(
    "question",
    ["Are spare parts included in the fee?", "What is included in the price?", "What does the fee cover?"],
)
def test_a_question_about_what_a_fee_covers_wants_no_amount_of_money(question: str) -> None:
    assert asked_form(question) is None


def test_how_many_visits_a_fee_covers_is_a_number() -> None:
    form = asked_form("How many visits does the fee cover?")
    assert form is not None
    assert form.name == "a number"
