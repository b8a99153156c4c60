"""The language of a text is guessed from its function words, and left open where they do not tell."""

import pytest

from desktop_rag.core.languages import function_words, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The harvest of this year was better than that of the year before.", "en"),
        ("Die Ernte in diesem Jahr ist nicht besser als in dem Jahr zuvor, sagt der Bauer.", "de"),
        ("La récolte de cette année est meilleure que celle des années précédentes.", "fr"),
        ("La cosecha de este año fue mejor que la de los años anteriores.", "es"),
        ("今年の収穫は去年より良かった。", ""),
        ("Kiwi 12.40 11.90 Quince 8.10 7.95", ""),
        ("", ""),
    ],
)
def test_a_text_shows_its_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_question_may_show_it_by_one_word_a_passage_not() -> None:
    assert language_of("Wo liegt Zwickau?", least=1) == "de"
    assert language_of("Wo liegt Zwickau?") == ""


def test_as_many_words_of_two_languages_show_none() -> None:
    assert language_of("the welche", least=1) == ""


def test_a_few_foreign_words_in_a_long_list_are_no_language() -> None:
    assert language_of("und oder " + "12 kiwi quince " * 100) == ""


def test_unknown_languages_have_no_words() -> None:
    assert function_words("fi") == frozenset()
    assert "und" in function_words("de")
