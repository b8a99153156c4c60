"""How texts and questions become words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_rag.core.languages import function_words, language_of
from desktop_rag.store.keywords import Wanted, index_text, wanted


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
    assert wanted("apple Apple APPLE").words == "apple"
    assert wanted("人工知能").words == "人工 工知 知能"
    assert wanted("水").words == "水"
    assert wanted("pl 118-5").words == "pl 118-5 118 pl-118-5"
    assert wanted(" …?! ").words == ""


@pytest.mark.parametrize(
    ("question", "text"),
    [("pl 118-5", "P.L. 118–5"), ("cafe", "CAFÉ"), ("email", "E-mail"), ("12345", "12,345"), ("straße", "STRASSE")],
)
def test_spellings_meet(question: str, text: str) -> None:
    assert set(wanted(question).words.split()) & set(indexed(text))


def test_endless_words_are_cut_alike() -> None:
    assert wanted("x" * 500).words == indexed("x" * 500)[0]
    assert len(wanted(" ".join(str(number) for number in range(9999))).words.split()) <= 200


@given(st.text())
def test_every_word_that_is_asked_for_in_a_text_is_indexed_in_it(text: str) -> None:
    words = set(index_text("", (), text, language_of(text, least=1)).split())
    prefixes = {word for word in wanted(text).words.split() if "-" in word}
    assert set(wanted(text).words.split()) - prefixes <= words
    assert set(wanted(text).whole.split()) <= words


@pytest.mark.parametrize(
    ("question", "text", "language"),
    [
        ("Welche Häuser stehen leer?", "Das Haus am Fluss ist verkauft.", "de"),
        ("Wo ist das Haus?", "Die Häuser am Fluss sind verkauft.", "de"),
        ("Quels chevaux sont blancs ?", "Le cheval est parti avec sa mère.", "fr"),
        ("¿Dónde cantan las canciones?", "Una canción que oye mi abuela.", "es"),
    ],
)
def test_another_form_of_a_word_is_found_in_its_language(question: str, text: str, language: str) -> None:
    plain = set(indexed(question)) - function_words(language)

    assert set(wanted(question).words.split()) & set(index_text("", (), text, language).split())
    assert not plain & set(indexed(text)), "found by the words alone"


def test_a_question_in_another_language_is_asked_without_its_function_words() -> None:
    assert wanted("Welche Distribution soll ich nehmen?") == Wanted("distribution nehm", "nehmen")
    assert wanted("Was ist das?") == Wanted("was ist das")


def test_english_is_left_to_the_index() -> None:
    text = "The houses of the workers were sold"

    assert index_text("", (), text, "en") == index_text("", (), text) == text.lower()
    assert wanted(text) == Wanted("the houses of workers were sold")
