"""``python -m benchmarks.search WORKSPACE QUESTIONS.jsonl [--rows N]``: how long ``hybrid`` and ``best`` take.

Warm, one question after the other. With ``--rows``, also on an index grown to N elements: copies of the workspace's
elements with changed words and slightly moved vectors, in a folder that is deleted afterwards.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.open_index import OpenIndex, open_index
from desktop_rag.core.types import Element
from desktop_rag.evaluate.questions import load_questions
from desktop_rag.models.embedder import Embedder
from desktop_rag.retrieve.best import BestRoute
from desktop_rag.retrieve.clock import clocked
from desktop_rag.retrieve.query_vectors import QueryVectors
from desktop_rag.retrieve.routes import HybridRoute, KeywordRoute, SearchRoute, TextRoute
from desktop_rag.store.elements import ElementStore

_WARM = 5
_BATCH = 5_000
_CHANGED = 3
"""One word of so many is another one in a copy."""


def routes(elements: ElementStore, vectors: QueryVectors) -> dict[str, SearchRoute]:
    """Return the routes that are measured."""
    hybrid = HybridRoute([TextRoute(elements, vectors), KeywordRoute(elements)])
    return {"hybrid": hybrid, "best": BestRoute(hybrid, elements, vectors)}


def measure(name: str, route: SearchRoute, questions: Sequence[str], fresh: QueryVectors) -> float:
    """Print the times of a route and of its steps in milliseconds; return the 95th percentile."""
    for question in questions[:_WARM]:
        route.search(question, 10, None)
    totals: list[float] = []
    steps: dict[str, list[float]] = {}
    for question in questions[_WARM:]:
        fresh.forget()
        with clocked() as clock:
            started = time.perf_counter()
            route.search(question, 10, None)
            totals.append((time.perf_counter() - started) * 1000)
        for step, ms in clock.ms.items():
            steps.setdefault(step, []).append(ms)
    shares = ", ".join(f"{step} {sum(ms) / sum(totals):.0%}" for step, ms in steps.items())
    p50, p95 = (float(np.percentile(totals, share)) for share in (50, 95))
    print(f"| {name} | {p50:.0f} | {p95:.0f} | {shares} |", flush=True)
    return p95


def grown(index: OpenIndex, folder: str, rows: int, embedder: Embedder) -> ElementStore:
    """Return a store of ``rows`` elements made from those of ``index``."""
    store = ElementStore(folder, embedder.dimensions)
    known = [one for document in index.elements.documents() for one in index.elements.of_document(document)]
    random = np.random.default_rng(7)
    vectors = embedder.embed([one.retrieval_text for one in known[:2_000]])  # enough different places to search among
    for number, start in enumerate(range(0, rows, _BATCH)):
        batch = [_copy(known[(start + at) % len(known)], number, at) for at in range(min(_BATCH, rows - start))]
        moved = vectors[random.integers(0, len(vectors), len(batch))]
        moved = moved + random.normal(0, 0.03, moved.shape).astype(np.float32)
        by_hash = {one.content_hash: vector for one, vector in zip(batch, moved, strict=True)}
        store.replace({f"copy-{number}": batch}, by_hash, embedder.fingerprint)
    store.optimize()
    return store


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
        print(
            f"| {index.elements.count():,} elements | ms, half | ms, 95 % | share of the steps |\n|---|---:|---:|---|"
        )
        small = {name: measure(name, route, questions, index.vectors) for name, route in _both(index)}
        if given.rows:
            with tempfile.TemporaryDirectory(prefix="desktop-rag-bench-") as folder:
                store = grown(index, folder, given.rows, index.embedder)
                for name, route in routes(store, index.vectors).items():
                    p95 = measure(f"{name}, {given.rows:,} elements", route, questions, index.vectors)
                    print(f"{name}: {p95 / small[name]:.1f} times")
                store.close()


def _both(index: OpenIndex) -> Sequence[tuple[str, SearchRoute]]:
    return tuple(routes(index.elements, index.vectors).items())


if __name__ == "__main__":
    main()
