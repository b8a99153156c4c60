"""Quotes are exact, short, placed on their lines, different from each other, and never a bare heading."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop_rag.answer.candidates import LONGEST_QUOTE, candidates
from desktop_rag.answer.citations import Choice, QuoteRules, choose
from desktop_rag.answer.places import boxes_of
from desktop_rag.core.errors import ModelError
from desktop_rag.core.types import BBox, Element, ElementKind, Hit, Span
from desktop_rag.models.embedder import Vectors
from tests.fixtures.models import WordEmbedder
from tests.fixtures.passages import element, hit

PUMP = (
    "The pump is painted grey. It weighs 38 kg. Change the oil filter every 500 hours. "
    "Spare parts are kept in the depot. The warranty ends after two years."
)


def quotes(question: str, *hits: Hit, limit: int = 6) -> Choice:
    return choose(question, hits, WordEmbedder(), lambda document, page: f"{document}/{page}", limit)


def texts(found: Element) -> list[str]:
    return [candidate.text for candidate in candidates(hit(found))]


def test_the_sentence_that_answers_comes_first_and_is_exact() -> None:
    found = element(PUMP)
    best = quotes("How often is the oil filter changed?", hit(found)).evidence[0]
    assert best.quote == "Change the oil filter every 500 hours."
    assert best.quote in found.text
    assert (best.n, best.page, best.page_label, best.context) == (1, 1, "d1/1", found.text)


def test_a_quote_lights_only_its_own_lines() -> None:
    found = element(PUMP, line_chars=60)
    start = found.text.index("Change")
    boxes = boxes_of(found, start, found.text.index(" Spare"))
    assert [box.y0 for box in boxes] == [100, 112]
    assert boxes[0].x0 == pytest.approx(50 + 5 * start, abs=5)
    assert boxes[1].x0 == 50
    assert boxes[1].x1 < found.spans[1].bbox.x1


def test_a_text_without_known_lines_is_lit_as_a_whole() -> None:
    found = Element("e", "d", 1, BBox(1, 2, 3, 4), ElementKind.TEXT, "One two.", (), "", (), "h")
    assert boxes_of(found, 0, 3) == (BBox(1, 2, 3, 4),)


def test_the_rarer_word_decides() -> None:
    common = [hit(element(f"The pump in hall {n} runs well today.", name=f"c{n}"), n) for n in range(1, 6)]
    rare = hit(element("The pump has a membrane of rubber.", name="rare"), 9)
    assert quotes("Which pump has a membrane?", *common, rare).evidence[0].element == "rare"


def test_the_year_of_the_question_tells_the_row_that_happened_from_what_is_planned() -> None:
    table = element("New books; 2023: 58,900; 2024: 64,300", name="row", kind=ElementKind.TABLE, page=2)
    others = [element(f"Part {n} of 2024 tells of the library.", name=f"o{n}") for n in range(8)]
    plan = element("The budget foresees 70,000 euros for new books of the library.", name="plan")
    found = [hit(one, rank) for rank, one in enumerate((plan, table, *others), 1)]
    assert quotes("How much did the library spend on new books in 2024?", *found).evidence[0].element == "row"


def test_an_identifier_beats_the_rank() -> None:
    first = hit(element("Valve K-12 opens at 4 bar and closes at 2 bar.", name="a"), 1)
    second = hit(element("Valve K-77 opens at 9 bar and closes at 5 bar.", name="b"), 8)
    assert quotes("At which pressure does valve K-77 open?", first, second).evidence[0].element == "b"


def test_the_same_sentence_from_two_files_is_quoted_once() -> None:
    copies = [hit(element(PUMP, name=name, document=name), rank) for rank, name in enumerate("ab", 1)]
    chosen = [item.quote for item in quotes("How often is the oil filter changed?", *copies).evidence]
    assert len(chosen) == len(set(chosen))


def test_no_more_quotes_than_asked_for() -> None:
    many = [hit(element(f"Pump {n} stands in hall {n + 20}.", name=f"m{n}"), n) for n in range(1, 9)]
    assert [item.n for item in quotes("Which pump stands in which hall?", *many, limit=3).evidence] == [1, 2, 3]


def test_a_heading_is_no_quote() -> None:
    found = element(
        "Maintenance of pumps. Change the filter every 500 hours in summer.", heading=("Maintenance of pumps",)
    )
    assert "Maintenance of pumps." not in texts(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2023 2024 Change", False),
        ("Founded 1905", True),
        ("2023 2024 Change 9.2%", True),
        ("5", True),
        ("Mill", False),
    ],
)
def test_years_over_columns_are_no_quote(text: str, said: bool) -> None:
    assert bool(texts(element(text))) is said


def test_an_introduction_keeps_what_it_introduces() -> None:
    found = element("The kit has these parts:\none wrench, two gaskets and a spare filter for the pump.")
    assert len(texts(found)) == 1


def test_a_pronoun_keeps_the_sentence_before_it() -> None:
    assert texts(
        element("The pump HP-220 has a steel housing painted in grey. It weighs 38 kg with the motor and its base.")
    )[0].startswith("The pump HP-220")


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("• The mill has four stones.\n• The weir is of oak.", ["The mill has four stones.", "The weir is of oak."]),
        ("o The mill has four stones.", ["The mill has four stones."]),
        ("- The mill has four stones.", ["The mill has four stones."]),
        ("- 5 degrees were measured at the mill.", ["- 5 degrees were measured at the mill."]),
    ],
)
def test_the_mark_of_a_lists_item_is_not_quoted(text: str, quoted: list[str]) -> None:
    assert texts(element(text)) == quoted


def test_two_items_of_a_list_that_are_one_quote_keep_the_mark_between_them() -> None:
    found = element("• The mill has four pairs of stones.\n• The stones of the mill are of granite.")
    quote = quotes("Of what are the pairs of stones of the mill?", hit(found)).evidence[0].quote
    assert quote == "The mill has four pairs of stones.\n• The stones of the mill are of granite."


def test_rows_of_a_table_are_quoted_one_by_one() -> None:
    table = element("| Model | Weight |\n| --- | --- |\n| HP-220 | 38 kg |\n| HP-340 | 52 kg |", kind=ElementKind.TABLE)
    assert texts(table) == ["| Model | Weight |", "| HP-220 | 38 kg |", "| HP-340 | 52 kg |"]


def test_a_sentence_that_is_too_long_is_cut_at_the_lines_of_the_page() -> None:
    rows = "".join(
        f"Product number {n:03d} sold {n * 7} pieces in the last twelve months ..... ".ljust(80) for n in range(30)
    )
    found = element(rows)
    pieces = list(candidates(hit(found)))
    assert all(piece.end - piece.start <= LONGEST_QUOTE for piece in pieces)
    assert all(piece.start % 80 == 0 for piece in pieces)
    assert "".join(piece.text for piece in pieces).replace(" ", "") == rows.replace(" ", "")


def test_text_without_any_break_is_cut_hard() -> None:
    assert [len(text) for text in texts(element("x1" * 400, line_chars=800))] == [350, 350, 100]


def test_meaning_is_compared_in_one_small_batch() -> None:
    embedder = WordEmbedder()
    many = [hit(element(f"Sentence number {n} speaks of pump {n} in hall {n}.", name=f"m{n}"), n) for n in range(1, 90)]
    choose("Which pump stands in hall 7?", many, embedder, lambda *_: "", 6)
    assert len(embedder.batches) == 1
    assert embedder.batches[0] <= 60


def test_without_vectors_the_words_decide() -> None:
    class Broken(WordEmbedder):
        def embed(self, texts: object) -> Vectors:
            raise ModelError("no weights")

    chosen = choose("How often is the oil filter changed?", [hit(element(PUMP))], Broken(), lambda *_: "", 6)
    assert chosen.similarity is None
    assert chosen.evidence[0].quote.startswith("Change the oil filter")


def test_no_hits_no_quotes() -> None:
    assert quotes("Anything?").evidence == ()


def test_of_a_table_row_the_cells_that_are_asked_for_are_lit() -> None:
    text = "Month: January; Rain: 40 mm; Wind: 3 m/s"
    spans = tuple(
        Span(text.index(part), text.index(part) + len(part), BBox(100 * at, 50, 100 * at + 90, 60))
        for at, part in enumerate(text.split("; "))
    )
    row = Element("e", "d", 1, BBox(0, 50, 290, 60), ElementKind.TABLE, text, spans, "", (), "h")
    assert quotes("How much rain fell in January?", hit(row)).evidence[0].boxes == (spans[0].bbox, spans[1].bbox)
    assert quotes("Which row says 3?", hit(row)).evidence[0].boxes == (spans[2].bbox,)
    assert len(quotes("Was it dry?", hit(row)).evidence[0].boxes) == 3


@pytest.mark.parametrize(
    ("question", "lit"), [("What was spent on staff in 2024?", [0, 2]), ("And in 2024?", [0, 1, 2])]
)
def test_a_cell_that_only_has_the_year_is_not_lit_alone(question: str, lit: list[int]) -> None:
    text = "Staff; 2023: 801,300; 2024: 829,500"
    spans = tuple(
        Span(text.index(part), text.index(part) + len(part), BBox(100 * at, 50, 100 * at + 90, 60))
        for at, part in enumerate(text.split("; "))
    )
    row = Element("e", "d", 1, BBox(0, 50, 290, 60), ElementKind.TABLE, text, spans, "", (), "h")
    assert quotes(question, hit(row)).evidence[0].boxes == tuple(spans[at].bbox for at in lit)


def test_the_labels_of_a_figure_are_quoted_together() -> None:
    labels = "Net cost by agency\nDefense, 17%\nHealth, 24%\nVeterans, 11%"
    assert texts(element(labels, kind=ElementKind.FIGURE)) == [labels]
    many = "\n".join(f"Agency {n} of the government, {n}%" for n in range(1, 40))
    pieces = texts(element(many, kind=ElementKind.FIGURE))
    assert len(pieces) > 2
    assert all(len(piece) <= LONGEST_QUOTE for piece in pieces)


def test_of_two_like_sentences_the_one_beside_the_words_of_the_question_comes_first() -> None:
    far = "Ships of 7 m draught can enter. " + "The rest of the coast is shallow and is left alone. " * 6
    near = "The harbour of Emden was dredged. The work took all winter. Since then ships of 11 m draught can enter."
    hits = [hit(element(far, name="far"), 1), hit(element(near, name="near"), 2)]
    question = "What draught can enter the harbour of Emden?"
    rules = QuoteRules(similarity=0)
    best = choose(question, hits, WordEmbedder(), lambda document, page: "", 6, rules).evidence
    order = [item.element for item in best if "draught" in item.quote]
    assert order[0] == "near"
    blind = choose(question, hits, WordEmbedder(), lambda document, page: "", 6, replace(rules, nearby=0)).evidence
    assert next(item.element for item in blind if "draught" in item.quote) == "far"
