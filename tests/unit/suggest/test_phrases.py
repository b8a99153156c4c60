"""What of a document's words can stand in a question."""

from __future__ import annotations

import pytest

from desktop_rag.suggest.language import wordings
from desktop_rag.suggest.phrases import as_question, clean_caption, clean_heading, clean_label, clean_title, names_in

EN, DE = wordings()["en"], wordings()["de"]


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("How do I reset the meter?", "How do I reset the meter?"),
        ("3.2 How do I reset the meter?", "How do I reset the meter?"),
        ("Q4: Who reads the meter?", "Who reads the meter?"),
        ("Wie melde ich einen Schaden?", "Wie melde ich einen Schaden?"),
        ("Comment signaler un dégât ?", "Comment signaler un dégât ?"),
        ("¿Dónde está el contador de agua?", "¿Dónde está el contador de agua?"),
        ("メーターをどうやってリセットしますか？", "メーターをどうやってリセットしますか？"),
        ("Why?", ""),
        ("And then?", ""),
        ("How deep is it?", ""),
        ("and how is the meter reset?", ""),
        ("Is it on? Is it off?", ""),
        ("WHO READS THE METER?", ""),
        ("Name of the owner? ____", ""),
        ("The meter is reset once a year.", ""),
        ("How do I reset the meter when the lid is closed, the water is off and nobody has any key for the room?", ""),
    ],
)
def test_a_line_is_a_question_if_it_can_be_understood_by_itself(line: str, question: str) -> None:
    assert as_question(line) == question


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("Opening hours", "opening hours"),
        ("2.1 Opening hours", "opening hours"),
        ("Opening Hours and Fees", "Opening Hours and Fees"),
        ("Alder Street branch", "Alder Street branch"),
        ("Alder branch", "Alder branch"),
        ("How to borrow a drill", "how to borrow a drill"),
        ("Cleaning the filter", "cleaning the filter"),
        ("Introduction", ""),
        ("Table of contents", ""),
        ("Executive summary", ""),
        ("Overview", ""),
        ("1984", ""),
        ("Table 4", ""),
        ("12 of 40", ""),
        ("Clean the filter", ""),
        ("Energy is cheap", ""),
        ("About the library", ""),
        ("GENERAL TERMS AND CONDITIONS", ""),
        ("RELATED plans and other papers", ""),
        ("PDF files and their pages", "PDF files and their pages"),
        ("Limits, honestly", ""),
        ("Changed from the first design", ""),
        ("Income, spending and the reserve", "income, spending and the reserve"),
        ("Opening hours, fees,", ""),
        ("user_guide final.docx", ""),
        ("The many things that a visitor should know first", ""),
    ],
)
def test_a_heading_stands_after_about_only_if_it_is_whole_and_says_something(heading: str, shown: str) -> None:
    assert clean_heading(heading, EN, names_in("We met in Alder on Monday.")) == shown


def test_german_headings_keep_their_capitals() -> None:
    assert clean_heading("Ruhezeiten und Lärm", DE, frozenset()) == "Ruhezeiten und Lärm"
    assert clean_heading("Inhaltsverzeichnis", DE, frozenset()) == ""
    assert clean_heading("Die Ruhezeiten", DE, frozenset()) == ""
    assert clean_heading("Wasser wird abgestellt", DE, frozenset()) == ""


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("Total income", "total income"),
        ("Electricity (kWh)", "electricity"),
        ("Books*", "books"),
        ("New  books:", "new books"),
        ("Total", ""),
        ("Other", ""),
        ("Subtotal, staff", ""),
        ("12–15", ""),
        ("b", ""),
        ("fee_eur", ""),
        ("The staff was paid", ""),
    ],
)
def test_a_label_of_a_table_must_be_a_clean_phrase(label: str, shown: str) -> None:
    assert clean_label(label, EN, frozenset()) == shown


@pytest.mark.parametrize(
    ("title", "file", "shown"),
    [
        ("Annual Report 2024", "/docs/ar24.pdf", "Annual Report 2024"),
        ("Microsoft Word - Rules of the garden", "/docs/r.pdf", "Rules of the garden"),
        ("annual report 2024", "/docs/annual-report_2024.pdf", ""),
        ("scan_0042 final", "/docs/a.pdf", ""),
        ("Rules final v2.docx", "/docs/a.pdf", ""),
        ("RULES OF THE GARDEN", "/docs/a.pdf", ""),
        ("Rules", "/docs/a.pdf", ""),
    ],
)
def test_a_title_is_never_the_name_of_a_file(title: str, file: str, shown: str) -> None:
    assert clean_title(title, file) == shown


def test_a_caption_that_runs_on_in_the_next_line_is_none() -> None:
    assert clean_caption("Visits in thousands, 2019 to 2024", EN) == "Visits in thousands, 2019 to 2024"
    assert clean_caption("Visits in thousands and", EN) == ""
    assert clean_caption("Visits in thousands —", EN) == ""
    assert clean_caption("to paragraph four", EN) == ""
    assert clean_caption("Visits", EN) == ""
