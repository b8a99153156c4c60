"""How texts and questions become words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_rag.store.keywords import index_text, query_text


def indexed(text: str) -> list[str]:
    return index_text("", (), text).split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("P.L. 118-5", ["pl", "118-5", "118", "pl-118-5"]),
        ("DH-06-12", ["dh-06-12", "dh", "06", "12"]),
        ("DH 06–12", ["dh", "06-12", "06", "12", "dh-06-12"]),
        ("1634-04-4", ["1634-04-4", "1634", "04"]),
        ("P12.1.2", ["p12.1.2", "p12"]),
        ("1,234,567.8 and 13.8 %", ["1234567.8", "and", "13.8"]),
        ("e-mail, co-operation", ["email", "mail", "cooperation", "co", "operation"]),
        ("snake_case/path.py", ["snake_case/path.py", "snake", "case", "path", "py"]),
        ("C++ and C#", ["c++", "and", "c#"]),
        ("the bank’s U.S. office", ["the", "bank", "us", "office"]),
        ("naïve ﬁnance CO₂ Ａ１", ["naive", "finance", "co2", "a1"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("知能A1", ["知", "能", "知能", "a1"]),
        ("हिन्दी", ["हिन्दी"]),
        ("end.Next", ["end.next", "end", "next"]),
    ],
)
def test_a_text_is_indexed_as(text: str, words: list[str]) -> None:
    assert indexed(text) == words


def test_title_and_headings_are_indexed_before_the_text() -> None:
    assert index_text("Annual", ("Part 1", "Scope"), "Body") == "annual part 1 scope body"


def test_a_question_asks_each_word_once_and_cjk_in_pairs_only() -> None:
    assert query_text("apple Apple APPLE") == "apple"
    assert query_text("人工知能") == "人工 工知 知能"
    assert query_text("水") == "水"
    assert query_text("pl 118-5") == "pl 118-5 118 pl-118-5"
    assert query_text(" …?! ") == ""


@pytest.mark.parametrize(
    ("question", "text"),
    [("pl 118-5", "P.L. 118–5"), ("cafe", "CAFÉ"), ("email", "E-mail"), ("12345", "12,345"), ("straße", "STRASSE")],
)
def test_spellings_meet(question: str, text: str) -> None:
    assert set(query_text(question).split()) & set(indexed(text))


def test_endless_words_are_cut_alike() -> None:
    assert query_text("x" * 500) == indexed("x" * 500)[0]
    assert len(query_text(" ".join(str(number) for number in range(9999))).split()) <= 200


@given(st.text())
def test_every_word_that_is_asked_for_in_a_text_is_indexed_in_it(text: str) -> None:
    words = set(indexed(text))
    prefixes = {word for word in query_text(text).split() if "-" in word}
    assert set(query_text(text).split()) - prefixes <= words
