"""German sentences are compared with their evidence in one form; what the rules read of it is pinned here."""

from __future__ import annotations

import pytest

from desktop_rag.answer.german import in_one_german, is_german, plain_german
from desktop_rag.answer.german_actors import turned_deed
from desktop_rag.answer.german_forms import parts_of, same_word
from desktop_rag.answer.polarity import clauses, contradiction
from tests.fixtures.passages import evidence


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("umgeschlagen", "umschlug"),
        ("gewechselt", "wechseln"),
        ("übernommen", "übernimmt"),
        ("Stadtwerken", "Stadtwerke"),
        ("Hafens", "Hafen"),
        ("Reinigung", "gereinigt"),
        ("abnimmt", "Abnahme"),
    ],
)
def test_forms_of_one_word_are_known(one: str, other: str) -> None:
    assert same_word(one, other)
    assert same_word(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mieter", "Miete"),
        ("schneller", "schnelle"),
        ("stieg", "sank"),
        ("öffnen", "geschlossen"),
        ("Filter", "Filiale"),
        ("zahlen", "Zahl"),
    ],
)
def test_other_words_are_not_taken_for_one(one: str, other: str) -> None:
    assert not same_word(one, other)
    assert not same_word(other, one)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Am 03.03.2024 begann es.", "Am 3 März 2024 begann es."),
        ("Am 3. März 2024 begann es.", "Am 3 März 2024 begann es."),
        ("Im dritten Quartal stieg der Umsatz.", "Im 3rd Quartal stieg der Umsatz."),
        ("Im 3. Quartal stieg der Umsatz.", "Im 3rd Quartal stieg der Umsatz."),
        ("Der Ausschuss lehnte den Bau ab und ging.", "Der Ausschuss ablehnte den Bau und ging."),
        ("Der Filter ist jährlich zu wechseln.", "Der Filter muss jährlich wechseln werden."),
        ("Wird das Gerät geöffnet, erlischt die Garantie.", "Wenn wird das Gerät geöffnet, erlischt die Garantie."),
        ("Die Frist endet am Montag, dem 6. Mai 2024, um 12 Uhr.", "Die Frist endet am Montag 6 Mai 2024 um 12 Uhr."),
        (
            "Das Werk wird nicht geschlossen, sondern erweitert.",
            "Das Werk wird nicht geschlossen, aber Das Werk wird erweitert.",
        ),
        ("Es kostet 1,2 Mio. Euro.", "Es kostet 1,2 Mio Euro."),
        ("Im Jahr 2022 sank er.", "2022 sank er."),
        ("Das würde helfen.", "Das könnte helfen."),
        (
            "Taschenrechner sind erlaubt, Handys hingegen nicht.",
            "Taschenrechner sind erlaubt, aber Handys sind nicht erlaubt.",
        ),
        ("Es waren 42. Die Filialen schlossen.", "Es waren 42. Die Filialen schlossen."),
    ],
)
def test_days_numbers_and_parted_verbs_are_written_plainly(written: str, plain: str) -> None:
    assert plain_german(written) == plain


def test_a_compound_is_its_parts_and_no_other() -> None:
    assert parts_of("Hafenbehörde", "Hafens", "Behörde")
    assert parts_of("Containeranteil", "Container", "Anteil")
    assert not parts_of("Hafenbehörde", "Baus", "Behörde")


def test_a_sentence_takes_the_words_of_its_evidence_and_leaves_the_evidence_shown_alone() -> None:
    item = evidence("Die Abnahme erfolgte am 3. März 2024 durch die Hafenbehörde.", 1)
    text, judged, _ = in_one_german("Am 03.03.2024 war die Abnahme durch die Behörde des Hafens.", item, "Wann?")
    assert text == "Am 3 März 2024 war die Abnahme durch die Hafenbehörde."
    assert judged.quote == "Die Abnahme erfolgte am 3 März 2024 durch die Hafenbehörde."
    assert item.quote == "Die Abnahme erfolgte am 3. März 2024 durch die Hafenbehörde."


def test_more_than_one_thing_and_less_than_another_are_told_apart() -> None:
    quote = "Die Mühle verbraucht weniger Strom als die Säge, aber mehr als die Pumpe."
    assert contradiction("Die Mühle verbraucht weniger Strom als die Pumpe.", quote)
    assert not contradiction("Die Mühle verbraucht mehr Strom als die Pumpe.", quote)


def test_names_that_differ_by_an_ending_stay_apart() -> None:
    item = evidence("Frau Hans leitet das Lager und die Werkstatt.", 1)
    assert in_one_german("Hansen leitet das Lager.", item, "Wer?")[0] == "Hansen leitet das Lager."


def test_a_buyer_is_no_seller_though_the_word_ends_so() -> None:
    item = evidence("Der Verkäufer haftet nicht für die Mängel.", 1)
    assert in_one_german("Der Käufer haftet nicht für die Mängel.", item, "Wer?")[0].startswith("Der Käufer")


def test_other_languages_are_left_as_they_are() -> None:
    item = evidence("The bridge over the Aller is 83 m long.", 1)
    assert not is_german("The bridge is 83 m long.", item.quote)
    assert in_one_german("The bridge is 83 m long.", item, "How long?") == (
        "The bridge is 83 m long.",
        item,
        "How long?",
    )


@pytest.mark.parametrize(
    ("sentence", "quote", "is_turned"),
    [
        ("Die Leitung wurde vom Mieter bezahlt.", "Der Mieter bezahlt die Leitung.", False),
        ("Der Mieter wurde von der Leitung bezahlt.", "Der Mieter bezahlt die Leitung.", True),
        ("Haustiere darf der Mieter halten.", "Der Mieter darf Haustiere halten.", False),
        ("Die Stadt verklagte den Betrieb.", "Die Stadt wurde vom Betrieb verklagt.", True),
        ("Das Gericht setzte der Firma eine Frist.", "Der Firma wurde vom Gericht eine Frist gesetzt.", False),
    ],
)
def test_who_does_what_is_read_from_cases_and_voices(sentence: str, quote: str, is_turned: bool) -> None:
    assert bool(turned_deed(sentence, quote)) == is_turned


def test_during_does_not_begin_a_clause_where_it_governs_a_noun() -> None:
    assert len(clauses("Die Tür darf während des Waschens nicht geöffnet werden.")) == 1
