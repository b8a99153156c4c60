"""Filters as people type them."""

from datetime import date

import pytest

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.filters import Days, Filters, Range, Terms, parse_filters
from desktop_rag.core.types import ElementKind


def test_terms_of_all_kinds_are_understood() -> None:
    text = 'folder:Work/Reports/ file:"annual Report" type:.PDF kind:table page:3-10 page:20- date:2024-02 -type:csv'

    assert parse_filters(text) == Filters(
        Terms(
            ("work/reports",),
            ("annual report",),
            ("pdf",),
            (ElementKind.TABLE,),
            (Range(3, 10), Range(20, None)),
            (Days(date(2024, 2, 1), date(2024, 2, 29)),),
        ),
        Terms(types=("csv",)),
    )


@pytest.mark.parametrize(
    ("value", "days"),
    [
        ("2023", Days(date(2023, 1, 1), date(2023, 12, 31))),
        ("2023-11-05", Days(date(2023, 11, 5), date(2023, 11, 5))),
        ("2023..2024-06", Days(date(2023, 1, 1), date(2024, 6, 30))),
        ("2024..", Days(date(2024, 1, 1), None)),
        ("..2019", Days(None, date(2019, 12, 31))),
    ],
)
def test_days(value: str, days: Days) -> None:
    assert parse_filters(f"date:{value}") == Filters(Terms(dates=(days,)))


@pytest.mark.parametrize("text", ["kind = 'table' AND page < 10", "page IN (1, 2)", "title LIKE 'a: b'"])
def test_a_condition_is_left_to_the_index(text: str) -> None:
    assert parse_filters(text) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour:red", "The keys are folder, file"),
        ("kind:prose", "The kinds are text, table"),
        ("page:x", "Write page:7"),
        ("page:-", "Write page:7"),
        ("date:yesterday", "Write date:2024"),
        ("date:2024-13", "Write date:2024"),
        ("date:..", "Write date:2024"),
        ("language:klingon", "The languages are en, de"),
        ('type:pdf "left over', "quotes"),
        ("type:pdf OR 1=1", "quotes"),
    ],
)
def test_what_cannot_be_is_named_with_the_remedy(text: str, said: str) -> None:
    with pytest.raises(UserFacingError, match=said):
        parse_filters(text)


def test_languages_are_codes() -> None:
    assert parse_filters("language:DE language:fr") == Filters(Terms(languages=("de", "fr")))


def test_nothing_typed_filters_nothing() -> None:
    assert parse_filters("  ") == Filters()
