"""Questions are made of what a document has: its own questions, tables, definitions, headings and captions."""

from __future__ import annotations

from desktop_rag.core.tables import TableData
from desktop_rag.core.types import Element, ElementKind
from desktop_rag.suggest.candidates import Reading, Source, candidates
from tests.fixtures.passages import element

PROSE = (
    "The garden is open from April to October. It is looked after by the people of the street, and they meet in the "
    "shed on the first Monday of the month. What they need is bought by the treasurer."
)
PROSA = (
    "Der Garten ist von April bis Oktober geöffnet. Er wird von den Leuten der Straße gepflegt, die sich am ersten "
    "Montag des Monats im Schuppen treffen. Was sie brauchen, kauft der Kassenwart."
)
TABLE = TableData(
    "1.0",
    (
        ("", "2023", "2024", "Change"),
        ("Income", "", "", ""),
        ("Staff", "90", "95", "+5"),
        ("Gifts and fees", "40", "45", "+5"),
        ("Total", "130", "140", "+10"),
        ("Rent", "7", "8", ""),
        ("Rent", "2", "3", ""),
    ),
    1,
)
MONTHS = TableData(
    "1.1", (("Month", "Heat delivered (kWh)"), ("January 2024", "22,720"), ("February 2024", "18,360")), 1
)


def read(*elements: Element, title: str = "", tables: tuple[TableData, ...] = ()) -> Reading:
    return Reading("d1", "/docs/garden.md", title, elements, tables)


def asked(reading: Reading, source: Source) -> list[str]:
    return [one.question for one in candidates(reading) if one.source is source]


def test_a_question_of_the_document_is_taken_as_it_is_with_the_place_of_its_answer() -> None:
    faq = element(f"{PROSE}\nHow do I reset the meter?\nPress both keys for ten seconds.", name="faq")
    (one,) = (one for one in candidates(read(faq)) if one.source is Source.QUESTION)
    assert one.question == "How do I reset the meter?"
    assert one.elements == {"faq"}


def test_the_answer_may_begin_in_the_next_element() -> None:
    parts = element("How do I reset the meter?", name="q"), element("Press both keys for ten seconds.", name="a")
    (one,) = candidates(read(*parts))
    assert one.elements == {"a"}


def test_a_question_that_is_put_to_the_reader_is_none_to_suggest() -> None:
    lines = "Did you like the warm room?\n☐ yes ☐ no ☐ both of them\nWhat should be better next year?\nWho may call?"
    assert candidates(read(element(lines))) == []
    assert candidates(read(element("How do I reset the meter?"))) == []


def test_a_number_under_a_year_is_asked_for_by_its_row_the_latest_year_first() -> None:
    reading = read(element(PROSE), tables=(TABLE,))
    assert asked(reading, Source.VALUE) == [
        "What value is given for gifts and fees in 2024?",
        "What value is given for staff in 2024?",
    ]
    (one, _) = (one for one in candidates(reading) if one.source is Source.VALUE)
    assert one.holds == ("Gifts and fees", "45")


def test_a_number_beside_a_month_is_asked_for_by_its_column() -> None:
    reading = read(element(PROSE), tables=(MONTHS,))
    assert asked(reading, Source.VALUE)[0] == "What value is given for heat delivered in February 2024?"


def test_a_table_without_years_or_header_gives_no_question() -> None:
    people = TableData("1.0", (("Name", "Fee"), ("Ada Brandt", "48")), 1)
    bare = TableData("1.1", (("2023", "2024"), ("1", "2")), 0)
    assert asked(read(element(PROSE), tables=(people, bare)), Source.VALUE) == []


def test_a_section_is_asked_for_by_heading_and_title() -> None:
    rules = element(PROSE, heading=("Opening hours",))
    assert asked(read(rules, title="Rules of the garden"), Source.SECTION) == [
        "What does ‘Rules of the garden’ say about opening hours?"
    ]
    assert asked(read(rules, title="garden"), Source.SECTION) == ["What is said about opening hours?"]


def test_a_heading_that_comes_twice_or_has_next_to_nothing_under_it_is_left_out() -> None:
    twice = (
        element(PROSE, name="a", heading=("North", "Opening hours")),
        element(PROSE, name="b", heading=("South", "Opening hours")),
    )
    assert asked(read(*twice), Source.SECTION) == []
    little = element(PROSE, name="a"), element("From nine to five.", name="b", heading=("Opening hours",))
    assert asked(read(*little), Source.SECTION) == []


def test_german_documents_are_asked_in_german() -> None:
    haus = element(PROSA, heading=("Ruhezeiten und Lärm",))
    pacht = TableData("1.0", (("Posten", "2023", "2024"), ("Wassergeld", "42 €", "46 €")), 1)
    reading = read(haus, title="Ordnung des Gartens", tables=(pacht,))
    assert [one.question for one in candidates(reading)] == [
        "Was ist für Wassergeld im Jahr 2024 angegeben?",
        "Was steht in »Ordnung des Gartens« über Ruhezeiten und Lärm?",
    ]


def test_in_other_languages_only_the_document_asks() -> None:
    prose = "Le jardin est ouvert d'avril à octobre. Il est entretenu par les gens de la rue qui se retrouvent."
    question = "Comment signaler un dégât ?\nLes dégâts sont signalés par écrit au bureau."
    reading = read(element(f"{prose}\n{question}", heading=("Heures d'ouverture",)), tables=(TABLE,))
    assert [one.question for one in candidates(reading)] == ["Comment signaler un dégât ?"]


def test_a_definition_and_a_figure_are_asked_for() -> None:
    said = element(f"{PROSE} A raised bed means a bed whose soil lies above the ground. This means that it is warm.")
    figure = element("Figure 1. Visits in thousands, 2019 to 2024\n62 79 121", name="f", kind=ElementKind.FIGURE)
    reading = read(said, figure)
    assert asked(reading, Source.DEFINITION) == ["What is meant by raised bed?"]
    assert asked(reading, Source.FIGURE) == ["What does the figure ‘Visits in thousands, 2019 to 2024’ show?"]


def test_code_and_empty_documents_give_nothing() -> None:
    assert candidates(read()) == []
    assert candidates(read(element("# Is this a question?\nreturn 1 and nothing else", kind=ElementKind.CODE))) == []


def test_headings_within_an_element_of_short_sections_are_found() -> None:
    notes = element(
        f"{PROSE}\nOpening hours\nThe shed is open on Mondays from nine to five, and on Fridays from nine to noon.\n"
        "Faults of the pump\n• The valve leaked in January and was changed on the same day\n• The seal is new\n"
        "Still to do\n• Insulate the pipes in the corridor to the archive before the winter begins\n"
        "a line that goes on\nin the next one, and that one is long enough to be a sentence of its own."
    )
    assert asked(read(notes), Source.SECTION) == [
        "What is said about opening hours?",
        "What is said about faults of the pump?",
    ]
    hours = next(one for one in candidates(read(notes)) if "hours" in one.question)
    assert hours.passage.startswith("The shed is open")
    assert "valve" not in hours.passage


def test_where_nothing_stands_out_subjects_of_sentences_do() -> None:
    rules = element(
        "Quiet hours are from ten in the evening to seven. The laundry room may be used on weekdays, not on Sundays. "
        "Mr Okafor is the caretaker of both houses. Operators programmed were glad of it. We like each visit. "
        "The laundry room is cleaned by those who use it."
    )
    assert asked(read(rules), Source.SUBJECT) == [
        "What is said about the laundry room?",
        "What is said about quiet hours?",
        "What is said about Mr Okafor?",
    ]
    hecke = element(f"{PROSA} Die Hecke darf im Sommer nicht geschnitten werden. Der Zaun ist neu und aus Holz.")
    assert asked(read(hecke, title="Buch des Gartens"), Source.SUBJECT) == [
        "Was steht in »Buch des Gartens« über die Hecke?"
    ]
