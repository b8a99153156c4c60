"""Numbers, dates, identifiers and names are recognised in the forms in which documents write them."""

from __future__ import annotations

import pytest

from desktop_rag.answer.facts import find_facts, stands_in
from desktop_rag.answer.quantities import find_quantities


def says(known: str, asked: str, around: frozenset[str] = frozenset()) -> bool:
    theirs = list(find_quantities(known))
    return all(any(one.said_by(other, around) for other in theirs) for one in find_quantities(asked))


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        ("1,695.1", "1.695,1"),
        ("12,400 pupils", "12400 pupils"),
        ("17 %", "17 percent"),
        ("17%", "17 Prozent"),
        ("$5 million", "5 million dollars"),
        ("1.2 million", "1,200,000"),
        ("five spare parts", "5 spare parts"),
        ("twenty-one days", "21 days"),
        ("one hundred and fifty kilowatts", "150 kW"),
        ("150kW", "150 kilowatts"),
        ("a 12-foot beam", "12 feet"),
        ("3rd", "third"),
        ("between 6 and 20 characters", "6 to 20 characters"),
        ("pages 17-37", "17 to 37"),
        ("-6.2 °C", "−6.2 °C"),
    ],
)
def test_the_same_quantity_in_another_form(known: str, asked: str) -> None:
    assert says(known, asked)


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        ("1,695.1", "1,659.1"),
        ("83 m", "83 feet"),
        ("5 million", "5 billion"),
        ("5 million", "5"),
        ("17 %", "17"),
        ("83 m", "83 dollars"),
        ("-6.2 °C", "6.2 °C"),
        ("1,695", "1.695"),
        ("five", "six"),
        ("31 °C", "31 °F"),
    ],
)
def test_another_quantity(known: str, asked: str) -> None:
    assert not says(known, asked)


def test_the_unit_of_a_table_may_stand_around_the_number() -> None:
    assert says("1,412.6", "$1,412.6 billion", frozenset({"$", "billion"}))
    assert not says("1,412.6", "$1,412.6 billion")


@pytest.mark.parametrize(
    ("known", "asked", "agrees"),
    [
        ("January 1, 2025", "1 January 2025", True),
        ("2025-01-01", "January 1, 2025", True),
        ("4. Mai 1987", "May 4, 1987", True),
        ("11.7.2006", "July 11, 2006", True),
        ("07/11/2006", "July 11, 2006", True),
        ("July 11, 2006", "July 2006", True),
        ("July 2006", "July 11, 2006", False),
        ("July 11, 2006", "July 12, 2006", False),
        ("July 11, 2006", "June 11, 2006", False),
        ("July 11, 2006", "July 11, 2007", False),
    ],
)
def test_dates(known: str, asked: str, agrees: bool) -> None:
    theirs, ours = find_facts(known).dates, find_facts(asked).dates
    assert len(ours) == 1
    assert ours[0].said_by(theirs[0]) is agrees


@pytest.mark.parametrize("identifier", ["P.L. 118-5", "DH-06-12", "1634-04-4", "P12.1.2", "2274-COL-AC2-26", "BM-3468"])
def test_identifiers_are_found_whole(identifier: str) -> None:
    found = find_facts(f"See {identifier} for more.").identifiers
    assert len(found) == 1
    assert stands_in(found[0], f"as in {identifier}, above")
    assert not stands_in(found[0], f"as in {identifier}7, above")


def test_numbers_inside_identifiers_and_dates_are_no_quantities() -> None:
    facts = find_facts("Hole DH-06-12 was drilled on July 11, 2006 to 200 feet.")
    assert [str(quantity.value) for quantity in facts.quantities] == ["200"]


def test_names_are_capitalised_words_but_not_the_first_word_of_a_sentence() -> None:
    assert find_facts("Visitors met Carlo Bassi of NASA. They left in May.").names == ("carlo", "bassi", "nasa")
