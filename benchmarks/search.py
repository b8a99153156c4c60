"""``python -m benchmarks.search WORKSPACE QUESTIONS.jsonl [--rows N]``: how long ``hybrid`` and ``best`` take.

Warm, one question after the other. With ``--rows``, also on an index grown to N elements: copies of the workspace's
elements with changed words and moved vectors, in a folder that is deleted afterwards. Also says how many of the 50
nearest vectors the index of the vectors finds, by the side of comparing them all, and in what time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.open_index import OpenIndex, open_index
from desktop_rag.core.types import Element
from desktop_rag.evaluate.questions import load_questions
from desktop_rag.retrieve.best import BestRoute
from desktop_rag.retrieve.clock import clocked
from desktop_rag.retrieve.query_vectors import QueryVectors
from desktop_rag.retrieve.routes import HybridRoute, KeywordRoute, SearchRoute, TextRoute
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.table import ElementTable
from desktop_rag.store.vector_index import Holdings, nearest

_WARM = 5
_BATCH = 5_000
_CHANGED = 3
"""One word of so many is another one in a copy."""

_MOVED = 0.03
"""How far a copy's vector is moved in each direction: its cosine with the original is 0.86 then."""

_NEAREST = 50
"""Vectors that a search by meaning hands on."""


def routes(elements: ElementStore, vectors: QueryVectors) -> dict[str, SearchRoute]:
    """Return the routes that are measured."""
    hybrid = HybridRoute([TextRoute(elements, vectors), KeywordRoute(elements)])
    return {"hybrid": hybrid, "best": BestRoute(hybrid, elements, vectors)}


def measure(name: str, route: SearchRoute, questions: Sequence[str], fresh: QueryVectors) -> float:
    """Print the times of a route and of its steps in milliseconds; return the 95th percentile."""
    for question in questions[:_WARM]:
        route.search(question, 10, None)
    totals: list[float] = []
    busy: list[float] = []
    steps: dict[str, list[float]] = {}
    for question in questions[_WARM:]:
        fresh.forget()
        with clocked() as clock:
            started, worked = time.perf_counter(), time.process_time()
            route.search(question, 10, None)
            totals.append((time.perf_counter() - started) * 1000)
            busy.append((time.process_time() - worked) * 1000)
        for step, ms in clock.ms.items():
            steps.setdefault(step, []).append(ms)
    shares = ", ".join(f"{step} {sum(ms) / sum(totals):.0%}" for step, ms in steps.items())
    p50, p95 = (float(np.percentile(totals, share)) for share in (50, 95))
    print(f"| {name} | {p50:.0f} | {p95:.0f} | {np.median(busy):.0f} | {shares} |", flush=True)
    return p95


def compare_all(uri: str, questions: Sequence[str], vectors: QueryVectors) -> None:
    """Print what the index of the vectors gives up, by the side of comparing all vectors, and the time of both."""
    table = ElementTable(uri, len(vectors.of(questions[0])), read_only=True).existing()
    held = Holdings().of(table, vectors.fingerprint)
    shares: list[float] = []
    ms: dict[str, list[float]] = {"index": [], "all": []}
    for question in questions:
        found: dict[str, set[str]] = {}
        for name in ms:
            search = nearest(table, vectors.of(question), held, filtered=False)
            search = search.bypass_vector_index() if name == "all" else search
            started = time.perf_counter()
            found[name] = set(search.select(["id", "_distance"]).limit(_NEAREST).to_arrow()["id"].to_pylist())
            ms[name].append((time.perf_counter() - started) * 1000)
        shares.append(len(found["index"] & found["all"]) / len(found["all"]))
    times = ", ".join(f"{name} {np.median(values):.0f} ms" for name, values in ms.items())
    print(f"of the {_NEAREST} nearest vectors the index finds {np.mean(shares):.4f} ({times})", flush=True)


def grown(index: OpenIndex, folder: str, rows: int) -> ElementStore:
    """Return a store of ``rows`` elements made from those of ``index`` that have a vector."""
    store = ElementStore(folder, index.embedder.dimensions)
    known, vectors = _with_vectors(index)
    random = np.random.default_rng(7)
    for number, start in enumerate(range(0, rows, _BATCH)):
        places = [(start + at) % len(known) for at in range(min(_BATCH, rows - start))]
        batch = [_copy(known[place], number, at) for at, place in enumerate(places)]
        moved = vectors[places] + random.normal(0, _MOVED, (len(places), vectors.shape[1])).astype(np.float32)
        by_hash = {one.content_hash: vector for one, vector in zip(batch, moved, strict=True)}
        store.replace({f"copy-{number}": batch}, by_hash, index.embedder.fingerprint)
    store.optimize()
    return store


def _with_vectors(index: OpenIndex) -> tuple[list[Element], NDArray[np.float32]]:
    elements = [one for document in index.elements.documents() for one in index.elements.of_document(document)]
    vectors = index.catalogue.vectors.get(index.embedder.fingerprint, [one.content_hash for one in elements])
    known = [one for one in elements if one.content_hash in vectors]
    return known, np.stack([vectors[one.content_hash] for one in known])


def _copy(element: Element, number: int, at: int) -> Element:
    words = [f"{word}{number}" if place % _CHANGED == 0 else word for place, word in enumerate(element.text.split(" "))]
    name = f"{number}-{at}"
    return replace(element, id=name, document=f"copy-{number}", content_hash=name, text=" ".join(words))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    parser.add_argument("workspace")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--rows", type=int, default=0)
    given = parser.parse_args()
    questions = [one.question for one in load_questions(given.questions)]
    with open_index(given.workspace) as index:
        small = _measured(index.elements, index.uri, index.vectors, questions)
        if given.rows:
            with tempfile.TemporaryDirectory(prefix="desktop-rag-bench-") as folder:
                store = grown(index, folder, given.rows)
                large = _measured(store, folder, index.vectors, questions)
                store.close()
            print(", ".join(f"{name}: {p95 / small[name]:.1f} times" for name, p95 in large.items()))


def _measured(store: ElementStore, uri: str, vectors: QueryVectors, questions: Sequence[str]) -> dict[str, float]:
    print(f"| {store.count():,} elements | ms, half | ms, 95 % | ms of processors, half | share of the steps |")
    print("|---|---:|---:|---:|---|")
    measured = {name: measure(name, route, questions, vectors) for name, route in routes(store, vectors).items()}
    compare_all(uri, questions, vectors)
    return measured


if __name__ == "__main__":
    main()
