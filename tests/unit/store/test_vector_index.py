"""The index of the vectors: made when there are enough, anew when it does not fit, and giving up next to nothing."""

from __future__ import annotations

from pathlib import Path

import lancedb
import numpy as np
import pytest
from numpy.typing import NDArray

from desktop_rag.core.types import Element, ElementKind
from desktop_rag.store import vector_index
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.schema import TABLE
from tests.unit.store.make import element

_DIMENSIONS = 16
_PART = 20


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "FEWEST", 200)
    monkeypatch.setattr(vector_index, "_PART", _PART)
    monkeypatch.setattr(vector_index, "_FEWEST_PROBES", 25)


def vectors(count: int, seed: int = 1) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).normal(size=(count, _DIMENSIONS)).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def fill(store: ElementStore, document: str, made: NDArray[np.float32], model: str = "model") -> list[Element]:
    kinds = (ElementKind.TEXT, ElementKind.TABLE)
    elements = [
        element(document, number, f"{document} {number}", kind=kinds[number % 2]) for number in range(len(made))
    ]
    store.replace({document: elements}, dict(zip((one.content_hash for one in elements), made, strict=True)), model)
    return elements


def indices(folder: Path) -> list[str]:
    table = lancedb.connect(folder).open_table(TABLE)
    return [index.name for index in table.list_indices() if index.columns == ["vector"]]


def nearest(made: NDArray[np.float32], query: NDArray[np.float32], count: int) -> list[int]:
    return [int(number) for number in np.argsort(-(made @ query))[:count]]


def test_few_vectors_are_all_compared(tmp_path: Path) -> None:
    store = ElementStore(str(tmp_path), _DIMENSIONS)
    fill(store, "d", vectors(150))
    store.optimize()

    assert indices(tmp_path) == []


def test_many_vectors_get_an_index_that_finds_what_comparing_all_finds(tmp_path: Path) -> None:
    store = ElementStore(str(tmp_path), _DIMENSIONS)
    made = vectors(1_000)
    elements = fill(store, "d", made)
    store.optimize()
    assert [name.rsplit("_", 1)[0] for name in indices(tmp_path)] == ["vector_50"]

    kept = total = 0
    for query in vectors(40, seed=2):
        found = store.search_vector(query, 10, None, "model")
        best = nearest(made, query, 10)
        kept += len({one.element.id for one in found} & {elements[number].id for number in best})
        total += len(best)
        for one in found:  # scores are those of the full vectors
            assert one.score == pytest.approx(float(made[elements.index(one.element)] @ query), abs=1e-5)
    assert kept / total > 0.9


def test_with_a_filter_nothing_is_given_up(tmp_path: Path) -> None:
    store = ElementStore(str(tmp_path), _DIMENSIONS)
    made = vectors(1_000)
    elements = fill(store, "d", made)
    store.optimize()
    assert indices(tmp_path)

    for query in vectors(10, seed=3):
        best = [elements[number].id for number in nearest(made, query, 1_000) if number % 2 and number < 40][:5]
        few = ", ".join(f"'{one.id}'" for one in elements[:40])
        found = store.search_vector(query, 5, f"kind = 'table' AND id IN ({few})", "model")
        assert [one.element.id for one in found] == best


def test_the_index_is_made_anew_when_it_has_grown_and_when_the_model_is_another_one(tmp_path: Path) -> None:
    store = ElementStore(str(tmp_path), _DIMENSIONS)
    fill(store, "a", vectors(200))
    store.optimize()
    first = indices(tmp_path)
    fill(store, "b", vectors(200, seed=4))
    store.optimize()
    assert indices(tmp_path) == first
    fill(store, "c", vectors(500, seed=5))
    store.optimize()
    grown = indices(tmp_path)
    assert len(grown) == 1
    assert grown != first

    elements = [one for document in "abc" for one in store.of_document(document)]
    made = vectors(900, seed=6)
    new = {one.id: vector for one, vector in zip(elements, made, strict=True)}
    half = dict(list(new.items())[:450])
    store.put_vectors(half, "other")
    store.optimize()
    assert indices(tmp_path) == grown
    found = store.search_vector(made[0], 450, None, "other")
    assert {one.element.id for one in found} <= set(half)
    store.put_vectors(new, "other")
    store.optimize()
    assert len(indices(tmp_path)) == 1
    assert indices(tmp_path) != grown
    assert store.search_vector(made[7], 1, None, "other")[0].element.id == elements[7].id
    assert store.search_vector(made[7], 5, None, "model") == []


def test_elements_without_a_vector_take_nobodys_place(tmp_path: Path) -> None:
    store = ElementStore(str(tmp_path), _DIMENSIONS)
    waiting = [element("w", number, f"waits {number}") for number in range(100)]
    store.replace({"w": waiting}, {}, "model")
    made = vectors(300)
    elements = fill(store, "d", made[:150])
    assert len(store.search_vector(made[0], 150, None, "model")) == 150
    elements += fill(store, "e", made[150:])
    store.optimize()
    assert indices(tmp_path)

    found = store.search_vector(made[160], 200, None, "model")
    assert found[0].element.id == elements[160].id
    assert len(found) == 200
    assert not {one.element.id for one in found} & {one.id for one in waiting}


def test_what_is_not_in_the_index_yet_is_found(tmp_path: Path) -> None:
    store = ElementStore(str(tmp_path), _DIMENSIONS)
    made = vectors(400)
    fill(store, "d", made[:390])
    store.optimize()
    late = fill(store, "late", made[390:])

    assert store.search_vector(made[395], 1, None, "model")[0].element.id == late[5].id
