"""The best route: what agrees comes first, a model may look again in its time, neighbours join, copies fold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from desktop_rag.core.types import BBox, Element, ElementKind, Span
from desktop_rag.models.reranker import Scores
from desktop_rag.retrieve.agreement import Weights, coverage, signals
from desktop_rag.retrieve.best import BestRoute, SecondLook
from desktop_rag.retrieve.clock import clocked
from desktop_rag.retrieve.merge import folded, joined
from desktop_rag.retrieve.query_vectors import QueryVectors
from desktop_rag.retrieve.rerank import rescored
from desktop_rag.retrieve.routes import HybridRoute, KeywordRoute, Ranked, TextRoute
from desktop_rag.store.elements import ElementStore
from tests.fixtures.models import WordEmbedder


def element(name: str, text: str, page: int = 1, kind: ElementKind = ElementKind.TEXT) -> Element:
    box = BBox(10, 10.0 * len(name), 90, 10.0 * len(name) + 8)
    return Element(name, "doc", page, box, kind, text, (Span(0, len(text), box),), "", (), name)


def ranked(name: str, text: str, position: int, page: int = 1, kind: ElementKind = ElementKind.TEXT) -> Ranked:
    return Ranked(element(name, text, page, kind), 1.0, {}, position, position)


class Counting:
    """A reranker that likes passages with many of a letter, and counts its calls."""

    name, trust = "counting", 0.9

    def __init__(self, letter: str = "z") -> None:
        self.calls = 0
        self._letter = letter

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        self.calls += 1
        return np.array([passage.count(self._letter) for passage in passages], dtype=np.float32)


@pytest.fixture
def store(tmp_path: Path) -> ElementStore:
    return ElementStore(str(tmp_path / "elements"), WordEmbedder.dimensions)


def best(store: ElementStore, texts: Sequence[str], look: SecondLook | None = None) -> BestRoute:
    embedder = WordEmbedder()
    elements = [element(f"e{number}", text, page=number + 1) for number, text in enumerate(texts)]
    vectors = embedder.embed([one.retrieval_text for one in elements])
    by_hash = {one.content_hash: vector for one, vector in zip(elements, vectors, strict=True)}
    store.replace({"doc": elements}, by_hash, embedder.fingerprint)
    asked = QueryVectors(embedder)
    return BestRoute(HybridRoute([TextRoute(store, asked), KeywordRoute(store)]), store, asked, look)


TEXTS = (
    "The harbour crane lifts forty tonnes at low tide.",
    "The crane in the yard was painted green last summer.",
    "Forty tonnes of gravel were delivered to the yard.",
    "The harbour office opens at eight, zzz says the porter.",
)


def test_the_passage_that_holds_most_of_what_was_asked_comes_first(store: ElementStore) -> None:
    hits = best(store, TEXTS).search("How many tonnes does the harbour crane lift?", 3, None)

    assert hits[0].element.text == TEXTS[0]
    assert set(hits[0].why) == {"cosine", "words", "agreement"}
    assert len(hits) == 3


def test_the_filter_holds_for_the_best_route_too(store: ElementStore) -> None:
    hits = best(store, TEXTS).search("How many tonnes does the harbour crane lift?", 9, "page > 1")

    assert hits
    assert all(hit.element.page > 1 for hit in hits)


def test_a_reranker_has_its_say(store: ElementStore) -> None:
    look = SecondLook(Counting(), candidates=4, budget_ms=60_000)

    hits = best(store, TEXTS, look).search("the crane or the porter of the harbour yard", 4, None)

    assert hits[0].element.text == TEXTS[3]
    assert hits[0].why["reranker"] > hits[1].why["reranker"]


def test_without_time_the_order_is_that_of_the_search(store: ElementStore) -> None:
    question = "How many tonnes does the harbour crane lift?"
    reranker = Counting()
    plain = best(store, TEXTS).search(question, 4, None)

    hurried = best(store, TEXTS, SecondLook(reranker, candidates=4, budget_ms=0)).search(question, 4, None)

    assert [hit.element.id for hit in hurried] == [hit.element.id for hit in plain]
    assert reranker.calls == 0


def test_half_a_reranking_counts_for_nothing() -> None:
    ticks = iter([0.0, 0.0, 5.0])  # the start, the first batch, the second batch
    passages = {str(number): "z" * number for number in range(8)}

    assert rescored(Counting(), "q", passages, dict.fromkeys(passages, 1.0), 1000, lambda: next(ticks)) is None


def test_every_step_of_a_search_is_timed(store: ElementStore) -> None:
    route = best(store, TEXTS, SecondLook(Counting(), 4, 60_000))
    with clocked() as clock:
        route.search("the harbour crane", 3, None)

    assert set(clock.ms) == {"embed", "vector search", "keyword search", "fuse", "rescore", "rerank", "merge"}
    assert all(ms >= 0 for ms in clock.ms.values())


def test_a_question_is_embedded_once_for_all_routes() -> None:
    embedder = WordEmbedder()
    vectors = QueryVectors(embedder)

    first, again = vectors.of("the harbour"), vectors.of("the harbour")

    assert np.array_equal(first, again)
    assert embedder.batches == [1]


def test_rare_words_weigh_more_than_common_ones() -> None:
    texts = {"rare": "a xylophone", "common": "a yard", "other": "the yard", "none": "nothing"}

    covered = coverage("Is there a xylophone in the yard?", texts)

    assert covered["rare"] > covered["common"] > covered["none"] == 0.0
    assert coverage("of the?", texts) == dict.fromkeys(texts, 0.0)


def test_an_element_without_a_vector_is_scored_by_its_words() -> None:
    elements = {"a": element("a", "gravel"), "b": element("b", "sand")}

    looked = signals("gravel?", elements, {"b": 0.2}, {"keyword": ["a"], "text": ["b"]})

    assert looked["a"].cosine == 0.0
    assert looked["a"].score(Weights()) > looked["b"].score(Weights())


def test_neighbours_on_a_page_become_one_hit_with_all_their_places() -> None:
    second, first = ranked("bb", "Second part.", 4), ranked("a", "First part.", 3)

    (hit,) = joined([second, first])

    assert hit.element.text == "First part.\nSecond part."
    assert hit.element.id == "bb"
    assert [hit.element.text[span.start : span.end] for span in hit.element.spans] == ["First part.", "Second part."]
    assert hit.element.bbox == BBox.around((first.element.bbox, second.element.bbox))
    assert (hit.position, hit.last) == (3, 4)


@pytest.mark.parametrize(
    "other",
    [
        ranked("b", "Further down.", 6),
        ranked("b", "On the next page.", 4, page=2),
        ranked("b", "Row: 1", 4, kind=ElementKind.TABLE),
        ranked("b", "x" * 3000, 4),
        Ranked(element("b", "Nobody knows where."), 1.0),
    ],
    ids=["apart", "page", "kind", "long", "unknown"],
)
def test_what_does_not_touch_stays_by_itself(other: Ranked) -> None:
    assert len(joined([ranked("a", "First part.", 3), other])) == 2


def test_copies_come_behind_everything_else() -> None:
    text = "The committee shall meet twice a year and publish minutes of each meeting for its members"
    copy = text.replace("its", "all")
    hits = [ranked("a", text, 0), ranked("copy", copy, 0, page=9), ranked("b", "Something else entirely.", 3)]

    assert [hit.element.id for hit in folded(hits)] == ["a", "b", "copy"]


def test_two_reports_made_from_one_form_are_no_copies() -> None:
    form = "Weekly report of the depot: deliveries received {}, returned parcels two, forklift out of service"
    hits = [ranked("a", form.format(38), 0), ranked("b", form.format(51), 0, page=2), ranked("c", "Else.", 5)]

    assert [hit.element.id for hit in folded(hits)] == ["a", "b", "c"]
