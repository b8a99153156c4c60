"""Elements: of a size that a model reads, on one page, under one heading, with places that stay true."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop_rag.core.types import BBox, Block, ElementKind, Page, ReadDocument, Span
from desktop_rag.ingest.chunks import chunk, estimate_tokens

BOX = BBox(10, 10, 200, 20)
LONG = " ".join(f"Sentence number {n} tells of the {n * 7}th lamp in the harbour." for n in range(40))


def text_block(text: str, page: int = 1, level: int = 0, kind: ElementKind = ElementKind.TEXT) -> Block:
    return Block(kind, text, page, (Span(0, len(text), BOX),), level)


def document(*blocks: Block, title: str = "Manual") -> ReadDocument:
    return ReadDocument(title, (Page(1, 595, 842), Page(2, 595, 842)), blocks)


def test_long_text_is_cut_at_sentence_ends_within_the_budget() -> None:
    elements = chunk("d", document(text_block(LONG)), 100)
    assert all(element.text.endswith(".") and estimate_tokens(element.text) <= 100 for element in elements)
    assert " ".join(element.text for element in elements) == LONG


def test_no_element_crosses_a_page() -> None:
    elements = chunk("d", document(text_block("On the first page."), text_block("On the second page.", 2)), 160)
    assert [(element.page, element.text) for element in elements] == [
        (1, "On the first page."),
        (2, "On the second page."),
    ]


def test_headings_give_the_path_and_stay_with_their_text() -> None:
    blocks = [
        text_block("Pumps", level=1),
        text_block("Care", level=2),
        text_block(LONG),
        text_block("Valves", level=1),
    ]
    elements = chunk("d", document(*blocks), 100)
    assert elements[0].text.startswith("Pumps\nCare\nSentence number 0")
    assert all(element.heading == ("Pumps", "Care") for element in elements[:-1])
    assert (elements[-1].text, elements[-1].heading) == ("Valves", ("Valves",))
    assert elements[0].retrieval_text.startswith("Manual > Pumps > Care\n")


def test_short_sections_of_a_page_share_an_element() -> None:
    blocks = []
    for name in ("Red", "Green", "Blue"):
        blocks += [text_block(name + " lamps", level=2), text_block(f"The {name} lamp is lit at night.")]
    (element,) = chunk("d", document(text_block("Lamps", level=1), *blocks), 160)
    assert element.heading == ("Lamps",)
    assert "Green lamps\nThe Green lamp is lit at night." in element.text


def test_no_crumb_is_left_at_the_end() -> None:
    text = LONG + " Short end."
    elements = chunk("d", document(text_block(text)), 120)
    assert len(elements[-1].text) > 100


def test_rows_and_lines_of_code_stay_whole() -> None:
    rows = "\n".join(f"Item {n} {n * 1.5} {n * 3}" for n in range(60))
    for kind in (ElementKind.TEXT, ElementKind.CODE):
        elements = chunk("d", document(text_block(rows, kind=kind)), 80)
        assert len(elements) > 2
        assert "\n".join(element.text for element in elements) == rows


def test_text_without_any_blank_is_cut_hard() -> None:
    elements = chunk("d", document(text_block("x" * 5000)), 100)
    assert "".join(element.text for element in elements) == "x" * 5000
    assert all(estimate_tokens(element.text) <= 200 for element in elements)


def test_identity_stays_when_other_pages_change_and_repeats_are_told_apart() -> None:
    first = chunk("d", document(text_block("One.", 1), text_block("Two.", 2)), 160)
    second = chunk("d", document(text_block("Another.", 1), text_block("Two.", 2)), 160)
    assert first[1].id == second[1].id
    assert first[0].id != second[0].id
    assert chunk("other", document(text_block("One.", 1)), 160)[0].id != first[0].id
    assert chunk("other", document(text_block("One.", 1)), 160)[0].content_hash == first[0].content_hash
    twice = [text_block(LONG, kind=ElementKind.CODE), text_block("x", level=1), text_block(LONG, kind=ElementKind.CODE)]
    ids = [element.id for element in chunk("d", document(*twice), 160)]
    assert len(set(ids)) == len(ids)


def test_a_title_and_headings_that_are_long_leave_less_room_for_text() -> None:
    heading = text_block("A very long heading about the lamps in the harbour and their keepers " * 2, level=1)
    elements = chunk("d", document(heading, text_block(LONG), title="A long title of a manual " * 4), 160)
    assert all(estimate_tokens(element.retrieval_text) <= 160 + 40 + 20 for element in elements)


@given(st.text(alphabet="ab .\n\u00ad\ufb01é", max_size=300), st.integers(32, 64))
def test_spans_always_lie_in_their_text(text: str, budget: int) -> None:
    for element in chunk("d", document(text_block(text)), budget):
        assert element.text == element.text.strip()
        assert all(0 <= span.start < span.end <= len(element.text) for span in element.spans)


def test_a_heading_goes_with_the_table_below_it() -> None:
    heading = Block(ElementKind.TEXT, "Power system", 1, (Span(0, 12, BBox(10, 10, 90, 20)),), level=1)
    rows = "Voltage: 400 V\nFrequency: 50 Hz"
    spans = (Span(0, 14, BBox(10, 30, 90, 40)), Span(15, 31, BBox(10, 40, 90, 50)))
    table = Block(ElementKind.TABLE, rows, 1, spans, markdown="| Voltage | 400 V |")
    document = ReadDocument("Sheet", (Page(1, 100, 100),), (heading, table))

    (element,) = chunk("d", document, 100)

    assert element.kind is ElementKind.TABLE
    assert element.text == f"Power system\n{rows}"
    assert element.heading == ("Power system",)
