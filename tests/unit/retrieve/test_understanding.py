"""Quoted phrases are meant exactly; a misspelt word finds the right one all the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from desktop_rag.core.types import BBox, Element, ElementKind, Route
from desktop_rag.retrieve.query_vectors import QueryVectors
from desktop_rag.retrieve.retriever import Retriever
from desktop_rag.retrieve.routes import KeywordRoute, TextRoute
from desktop_rag.retrieve.understanding import perhaps_misspelt, phrases
from desktop_rag.store.elements import ElementStore
from tests.fixtures.models import WordEmbedder


def retriever(folder: Path, texts: Sequence[str]) -> Retriever:
    embedder = WordEmbedder()
    store = ElementStore(str(folder / "elements"), embedder.dimensions)
    box = BBox(0, 0, 1, 1)
    elements = [
        Element(str(number), "doc", 1, box, ElementKind.TEXT, text, (), "", (), str(number))
        for number, text in enumerate(texts)
    ]
    vectors = dict(zip((one.content_hash for one in elements), embedder.embed(texts), strict=True))
    store.replace({"doc": elements}, vectors, embedder.fingerprint)
    store.optimize()  # as each sync does; rows that are not in the index yet are searched for exact words only
    return Retriever([TextRoute(store, QueryVectors(embedder)), KeywordRoute(store)], lambda _: "doc.pdf")


def found(search: Retriever, question: str, route: Route = Route.KEYWORD) -> list[str]:
    return [hit.element.text for hit in search.search(question, route, 10)]


@pytest.mark.parametrize("route", [Route.KEYWORD, Route.TEXT])
def test_a_quoted_phrase_must_stand_in_what_is_found(tmp_path: Path, route: Route) -> None:
    texts = ["the valve of type K\nLong costs 47", "type of valve: long, K", "Typ (K+) is out of stock"]
    search = retriever(tmp_path, texts)

    assert found(search, 'What does "Type K long" cost?', route) == texts[:1]
    assert found(search, "valve „Typ (K+)“", route) == texts[2:]


def test_a_phrase_that_stands_nowhere_is_taken_for_words(tmp_path: Path) -> None:
    search = retriever(tmp_path, ["the valve costs 47", "a hose"])

    assert found(search, 'What does the "golden valve" cost?') == ["the valve costs 47"]


def test_quotes_of_several_languages_are_seen() -> None:
    assert phrases('„eins“ “two” « trois » "four\'s"') == ("eins", "two", "trois", "four's")
    assert phrases("it's a 'plain' question") == ()


def test_a_misspelt_word_finds_the_right_one(tmp_path: Path) -> None:
    texts = ["The government pays interest.", "A garden has trees.", "Nothing of the kind."]

    assert found(retriever(tmp_path, texts), "goverment") == texts[:1]


def test_words_that_were_found_are_not_taken_for_misspelt() -> None:
    texts = ["The interests of the governments"]

    assert perhaps_misspelt("government interest goverment of 12345 cats", texts) == ("gover",)
    assert len(perhaps_misspelt("alphaa betaaa gammaa deltaa", texts)) == 3
