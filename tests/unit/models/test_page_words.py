"""The page embedder that comes along: words in their places, with the real text model."""

from __future__ import annotations

import numpy as np
import pytest

from desktop_rag.core.types import BBox, Element, ElementKind, Page, Span
from desktop_rag.ingest.page_words import word_content
from desktop_rag.models.page_embedder import checked_vectors
from desktop_rag.models.page_pooling import pooled
from desktop_rag.models.page_words import WordPageEmbedder, grid_rows
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder

PAGE = Page(1, 600, 800)
TOP, BOTTOM = BBox(50, 20, 550, 40), BBox(50, 740, 550, 760)


def element(text: str, box: BBox, name: str = "e") -> Element:
    return Element(
        name, "d", 1, box, ElementKind.TEXT, text, (Span(0, len(text), box),), "Manual", ("Care",), f"{name}{text}"
    )


@pytest.fixture(scope="module")
def embedder() -> WordPageEmbedder:
    return WordPageEmbedder(SentenceTransformerEmbedder(threads=1))


@pytest.mark.slow
def test_words_stand_in_their_patches_and_what_fits_a_question_is_found_there(embedder: WordPageEmbedder) -> None:
    care = element("The heat pump needs new oil every second year.", TOP)
    school = element("Pupils start school in the first week of September.", BOTTOM, "f")
    made = checked_vectors(embedder.encode_page(word_content(PAGE, [care, school])), 1, "a.pdf")

    rows, columns = made.cells.shape
    full = np.argwhere(made.cells >= 0)
    assert (rows, columns) == (21, 16)
    assert set(full[:, 0]) == {0, rows - 2}  # the title is context, and stands nowhere
    assert full[:, 1].min() == 1
    query = embedder.encode_query("When does school begin?")
    assert query.words == ("When", "does", "school", "begin", "?")
    best = (made.vectors @ query.vectors.T).sum(axis=1).argmax()
    assert np.argwhere(made.cells == best)[0][0] == rows - 2


@pytest.mark.slow
def test_a_page_without_words_has_no_vectors(embedder: WordPageEmbedder) -> None:
    made = embedder.encode_page(word_content(PAGE, []))
    assert made.vectors.shape == (0, 384)
    assert (made.cells == -1).all()


@pytest.mark.slow
def test_within_a_long_page_there_are_several_pauses_and_none_within_a_question() -> None:
    pauses: list[int] = []
    embedder = WordPageEmbedder(SentenceTransformerEmbedder(threads=1), lambda: pauses.append(1))
    long = [element(f"Part {number} says what the oil of a heat pump costs. " * 10, TOP) for number in range(8)]

    made = embedder.encode_page(word_content(PAGE, long))

    assert len(made.vectors) > 0
    within = len(pauses)
    assert within > 2
    embedder.encode_query("What does oil cost?")
    assert len(pauses) == within


def test_the_digest_follows_words_and_places() -> None:
    before = word_content(PAGE, [element("Oil", TOP)]).digest
    assert word_content(PAGE, [element("Oil", TOP)]).digest == before
    assert word_content(PAGE, [element("Oils", TOP)]).digest != before
    assert word_content(PAGE, [element("Oil", BOTTOM)]).digest != before


@pytest.mark.parametrize(
    ("width", "height", "rows"), [(595, 842, 23), (960, 540, 9), (14_400, 14_400, 16), (10, 9000, 40)]
)
def test_patches_are_about_square_on_any_page(width: float, height: float, rows: int) -> None:
    assert grid_rows(width, height) == rows


@pytest.mark.slow
def test_pooling_keeps_a_third_and_every_place(embedder: WordPageEmbedder) -> None:
    text = " ".join(f"Line {number} says something about topic {number % 7}." for number in range(30))
    made = embedder.encode_page(word_content(PAGE, [element(text, BBox(50, 20, 550, 780))]))
    few = pooled(made, 3)
    assert len(few.vectors) == len(made.vectors) // 3
    assert ((few.cells >= 0) == (made.cells >= 0)).all()
    assert np.allclose(np.linalg.norm(few.vectors, axis=1), 1.0, atol=1e-5)
