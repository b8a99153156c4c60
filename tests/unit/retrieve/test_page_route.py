"""Late interaction over pages: exact scores, filters, and the place that is lit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.types import BBox, Element, ElementKind, Page, Route, Span
from desktop_rag.models.page_embedder import QueryVectors, Vectors
from desktop_rag.retrieve.maxsim import best_pages, maxsim
from desktop_rag.retrieve.page_route import RESCORED, Looker, PageRoute, PageSearch
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.page_schema import StoredPage
from desktop_rag.store.pages import PageStore
from tests.fixtures.page_looks import PlainPageEmbedder, word_vector

SIZE = Page(1, 200, 100)
CORNERS = {(0, 0): BBox(5, 5, 40, 15), (0, 1): BBox(110, 5, 150, 15), (1, 0): BBox(5, 60, 40, 70)}


class Shelf:
    """Pages of words in the corners of a two by two grid, and the route over them."""

    def __init__(self, folder: Path) -> None:
        self.pages = PageStore(str(folder / "lancedb"))
        self.elements = ElementStore(str(folder / "lancedb"), 4)
        self.embedder = PlainPageEmbedder()
        search = PageSearch(self.pages, [Looker(self.embedder, "plain-1")])
        self.route = PageRoute(search, self.elements, lambda document, page: SIZE)

    def add(self, document: str, page: int, *words: str, kind: ElementKind = ElementKind.TEXT) -> None:
        cells = np.full((2, 2), -1, dtype=np.int16)
        elements = []
        for index, (word, (corner, box)) in enumerate(zip(words, CORNERS.items(), strict=False)):
            cells[corner] = index
            spans = (Span(0, len(word), box),)
            name = f"{document}-{page}-{word}"
            elements.append(Element(name, document, page, box, kind, word, spans, "", (), name))
        self.elements.add(document, elements, {}, "m")
        self.look(document, page, cells, *words)

    def look(self, document: str, page: int, cells: np.ndarray, *words: str) -> None:
        vectors: Vectors = np.stack([word_vector(word) for word in words])
        self.pages.put([StoredPage(document, page, "plain-1", "d", vectors.astype(np.float16), cells)])


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_the_page_that_holds_both_words_comes_first_and_its_best_element_is_lit(shelf: Shelf) -> None:
    shelf.add("a", 1, "heat", "cellar")
    shelf.add("a", 2, "roof", "pump", "heat")
    shelf.add("b", 1, "garden")

    hits = shelf.route.search("heat pump", 10, None)

    assert [(hit.element.document, hit.element.page) for hit in hits] == [("a", 2), ("a", 1), ("b", 1)]
    assert hits[0].element.text in {"heat", "pump"}
    assert hits[0].score == pytest.approx(2.0, abs=0.01)
    assert list(hits[0].why) == ["maxsim of plain"]


def test_a_filter_on_elements_holds_for_pages(shelf: Shelf) -> None:
    shelf.add("a", 1, "heat")
    shelf.add("a", 2, "heat", kind=ElementKind.TABLE)

    assert [hit.element.page for hit in shelf.route.search("heat", 10, "kind = 'table'")] == [2]
    assert shelf.route.search("heat", 10, "page > 5") == []
    with pytest.raises(UserFacingError, match="cannot be used"):
        shelf.route.search("heat", 10, "colour = 'red'")


def test_a_page_without_words_is_lit_where_it_fits_best(shelf: Shelf) -> None:
    shelf.look("chart", 3, np.array([[1, 0], [-1, -1]], dtype=np.int16), "bars", "sky")

    hit = shelf.route.search("bars", 1, None)[0]

    assert (hit.element.page, hit.element.kind, hit.element.text) == (3, ElementKind.FIGURE, "")
    assert hit.element.bbox == BBox(100, 0, 200, 50)


def test_the_heat_map_says_which_part_fits_which_word(shelf: Shelf) -> None:
    shelf.add("a", 1, "heat", "pump")

    heat = shelf.route.heat_map("pump heat", "a", 1)

    assert heat is not None
    assert (heat.columns, heat.rows, heat.model) == (2, 2, "plain")
    values = {one.word: one.values for one in heat.words}
    assert values["heat"] == (1.0, 0.0, 0.0, 0.0)
    assert values["pump"] == (0.0, 1.0, 0.0, 0.0)
    assert heat.total == (1.0, 1.0, 0.0, 0.0)
    assert shelf.route.heat_map("pump", "a", 9) is None


def test_pages_that_come_or_go_are_noticed(shelf: Shelf) -> None:
    assert not shelf.route.ready
    assert shelf.route.search("heat", 5, None) == []
    shelf.add("a", 1, "heat")
    assert len(shelf.route.search("heat", 5, None)) == 1
    shelf.add("b", 1, "heat")
    assert len(shelf.route.search("heat", 5, None)) == 2
    shelf.pages.remove(["a"])
    assert [hit.element.document for hit in shelf.route.search("heat", 5, None)] == ["b"]
    assert shelf.route.route is Route.PAGE


def test_many_pages_are_found_in_two_stages_as_one_by_one(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    pages = PageStore(str(tmp_path / "lancedb"))
    cells = np.arange(48, dtype=np.int16).reshape(8, 6)
    topics = random.normal(size=(60, 32))
    stored = []
    for number in range(1, 3 * RESCORED):
        vectors = topics[random.integers(60, size=8)].repeat(6, axis=0) + 0.4 * random.normal(size=(48, 32))
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        stored.append(StoredPage("a", number, "m", "d", vectors.astype(np.float16), cells))
    pages.put(stored)
    query = QueryVectors(("a", "b", "c"), topics[:3].astype(np.float32))
    found = PageSearch(pages, []).search(query, Looker(PlainPageEmbedder(), "m"), 10)

    exact = maxsim(query.vectors, [one.vectors for one in stored])
    best = best_pages(exact, 10)
    assert found[0][0].page == stored[int(best[0])].page
    assert sum(score for _, score in found) >= 0.98 * float(exact[best].sum())


def test_vectors_without_any_order_are_found_in_two_stages_as_one_by_one(tmp_path: Path) -> None:
    """Nothing but the vector itself tells where it is: means of neighbours, for one, would miss it."""
    random = np.random.default_rng(0)
    pages = PageStore(str(tmp_path / "lancedb"))
    cells = np.arange(64, dtype=np.int16).reshape(8, 8)
    vectors = unit(random.normal(size=(400, 64, 128)))
    halves = vectors.astype(np.float16)
    pages.put([StoredPage("a", number, "m", "d", one, cells) for number, one in enumerate(halves)])
    search, looker = PageSearch(pages, []), Looker(PlainPageEmbedder(), "m")
    shares = []
    for wanted in range(0, 400, 40):
        query = unit(vectors[wanted, :12] + 0.6 * random.normal(size=(12, 128)) / 128**0.5)
        found = search.search(QueryVectors(("",) * 12, query), looker, 10)
        exact = maxsim(query, list(halves))
        assert found[0][0].page == wanted == int(exact.argmax())
        shares.append(sum(score for _, score in found) / float(exact[best_pages(exact, 10)].sum()))
    assert np.mean(shares) > 0.98


def unit(vectors: np.ndarray) -> Vectors:
    made: Vectors = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return made


def test_vectors_that_no_search_would_find_are_refused_with_their_page(shelf: Shelf) -> None:
    cells = np.zeros((1, 1), dtype=np.int16)
    bad = np.array([[np.nan] * 32], dtype=np.float16)
    with pytest.raises(ValueError, match="page 4 of document a"):
        shelf.pages.put([StoredPage("a", 4, "m", "d", bad, cells)])
    assert shelf.pages.documents() == set()
