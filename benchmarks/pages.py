"""Page search: ours in two stages, LanceDB's own ways, and byaldi's, side by side on the same vectors.

``python -m benchmarks.pages [PAGES …] [--only real|random] [--brief]``. Vectors are those of the embedder that comes
along over the pages of the benchmark's documents, repeated with noise to reach the wanted number, and then random ones
of ColPali's shape, each page another.
Questions are a few noisy vectors of one page each, so that it is known which page is the right one.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from desktop_rag.core.settings import Settings
from desktop_rag.models.page_embedder import PageContent, PageVectors, QueryVectors
from desktop_rag.models.page_words import WordPageEmbedder
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.retrieve.maxsim import best_pages, maxsim
from desktop_rag.retrieve.page_route import RESCORED, Looker, PageSearch
from desktop_rag.store.page_schema import StoredPage
from desktop_rag.store.pages import PageStore

_TOKENS = 12
_NOISE = 0.6
_QUERIES = 100
_SLOW_QUERIES = 3
"""Ways that take seconds are asked so often only."""

_KINDS = ("real", "random")
_MODEL = "bench"
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Measured:
    """One way of searching: milliseconds for a question (median), and how near to the exact result it comes."""

    name: str
    ms: float
    score: float
    same_first: float
    queries: int


def main() -> int:
    """Measure and print a table for each number of pages."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.add_argument("pages", nargs="*", type=int, default=[500, 2000, 5000])
    parser.add_argument("--only", choices=_KINDS, help="only one kind of vectors; random ones are of 1,030 x 128")
    parser.add_argument("--brief", action="store_true", help="leave out LanceDB's index and the other first stages")
    given = parser.parse_args()
    for kind in [given.only] if given.only else _KINDS:
        seeds = _random_pages(max(given.pages)) if kind == "random" else _real_pages()
        print("\nrandom vectors" if kind == "random" else f"\n{len(seeds)} real pages, repeated with noise")
        for count in given.pages:
            with tempfile.TemporaryDirectory(prefix="desktop-rag-bench-") as folder:
                _measure(seeds, count, Path(folder), given.brief)
    return 0


def _measure(seeds: Sequence[PageVectors], count: int, folder: Path, brief: bool) -> None:
    random = np.random.default_rng(1)
    pages = [_noisy(seeds[index % len(seeds)], random, index >= len(seeds)) for index in range(count)]
    queries = [_query(pages[int(random.integers(count))].vectors, random) for _ in range(_QUERIES)]
    vectors = [page.vectors.astype(np.float16) for page in pages]
    exact = _exact(queries, vectors)
    store = PageStore(str(folder / "ours"))
    for start in range(0, count, 250):
        store.put([_stored(index, pages[index]) for index in range(start, min(start + 250, count))])
    with warnings.catch_warnings(action="ignore"):  # nobody else reads this index, so older versions may go
        store.optimize(timedelta(0))
    before = psutil.Process().memory_info().rss
    search = PageSearch(store, [], Settings().model_threads)
    looker = Looker(WordPageEmbedder(SentenceTransformerEmbedder()), _MODEL)  # never loaded: vectors are at hand

    def ours(query: Floats) -> list[int]:
        found = search.search(QueryVectors(("",) * len(query), query), looker, 10)
        return [page.page - 1 for page, _ in found]

    ours(queries[0])
    grown = psutil.Process().memory_info().rss - before
    print(f"\n{count:,} pages", flush=True)
    results = [_timed(f"ours (first {RESCORED} scored exactly)", ours, queries, exact)]
    for name, tiles in {} if brief else {"rows": (32, 1), "square tiles": (6, 6)}.items():
        small = [_tile_means(page, *tiles) for page in pages]
        results.append(_timed(f"  first stage: means of {name}", _two_stages(small, vectors), queries, exact))
    results += _others(pages, queries, exact, folder, brief)
    size = sum(file.stat().st_size for file in (folder / "ours").rglob("*") if file.is_file())
    print(f"  {size / count / 1000:.0f} KB a page on the disk; {grown / 1e6:.0f} MB of memory")
    for one in results:
        print(f"  {one.name:<44}{one.ms:>9.1f} ms   top-10 score {one.score:.4f}   same first {one.same_first:.2f}"
              f"   ({one.queries} questions)")  # fmt: skip


def _exact(queries: Sequence[Floats], vectors: Sequence[NDArray[np.float16]]) -> Floats:
    """Return the exact scores, shape (queries, pages); all questions at once, or it would take longer than the rest."""
    tokens = np.concatenate(queries).T
    scores = np.zeros((len(queries), len(vectors)), dtype=np.float32)
    for index, page in enumerate(vectors):
        best = (page.astype(np.float32) @ tokens).max(axis=0)
        scores[:, index] = best.reshape(len(queries), -1).sum(axis=1)
    return scores


def _timed(name: str, search: Callable[[Floats], Sequence[int]], queries: Sequence[Floats], exact: Floats) -> Measured:
    times, shares, same = [], [], 0
    for query, scores in zip(queries, exact, strict=False):
        started = time.perf_counter()
        found = list(search(query))
        times.append((time.perf_counter() - started) * 1000)
        best = best_pages(scores, 10)
        shares.append(float(scores[found].sum() / scores[best].sum()))
        same += found[0] == int(best[0])
    return Measured(name, float(np.median(times)), float(np.mean(shares)), same / len(times), len(times))


def _tile_means(page: PageVectors, rows: int, columns: int) -> Floats:
    """Return the means of the vectors in each of so many tiles of the page, at most, as unit vectors."""
    high, wide = page.cells.shape
    means = []
    for row in np.array_split(np.arange(high), min(rows, high)):
        for column in np.array_split(np.arange(wide), min(columns, wide)):
            inside = page.cells[np.ix_(row, column)]
            members = np.unique(inside[inside >= 0])
            if len(members):
                means.append(page.vectors[members].mean(axis=0))
    return _unit(np.stack(means) if means else page.vectors[:1])


def _two_stages(small: Sequence[Floats], vectors: Sequence[NDArray[np.float16]]) -> Callable[[Floats], list[int]]:
    starts = np.concatenate([[0], np.cumsum([len(one) for one in small])])
    every = np.concatenate(small)

    def search(query: Floats) -> list[int]:
        best = np.maximum.reduceat(every @ query.T, starts[:-1], axis=0).sum(axis=1)
        chosen = best_pages(best, RESCORED)
        scores = maxsim(query, [vectors[int(index)] for index in chosen])
        return [int(chosen[int(index)]) for index in best_pages(scores, 10)]

    return search


def _others(
    pages: Sequence[PageVectors], queries: Sequence[Floats], exact: Floats, folder: Path, brief: bool
) -> list[Measured]:
    from lancedb.index import IvfPq

    few = queries[:_SLOW_QUERIES]
    flat = _lance_table(pages, folder / "flat")
    measured = [_timed("LanceDB flat, float32", _lance_search(flat), few, exact)]
    if not brief:
        # LanceDB's own rule of thumb for the number of partitions.
        partitions = int(max(8, sum(len(page.vectors) for page in pages) ** 0.5 / 4))
        flat.create_index("vector", config=IvfPq(distance_type="cosine", num_partitions=partitions))
        measured.append(_timed("LanceDB IVF_PQ, refined 20 times", _lance_search(flat, refine=20), few, exact))
    measured.append(_timed("byaldi's own search (exact, in memory)", _byaldi_search(pages), few, exact))
    return measured


def _lance_table(pages: Sequence[PageVectors], folder: Path) -> Any:
    import lancedb
    import pyarrow as pa

    width = pages[0].vectors.shape[1]
    kind = pa.list_(pa.list_(pa.float32(), width))
    schema = pa.schema([pa.field("page", pa.int32()), pa.field("vector", kind)])
    table = lancedb.connect(str(folder)).create_table("pages", schema=schema)
    for start in range(0, len(pages), 100):
        some = pages[start : start + 100]
        inner = pa.FixedSizeListArray.from_arrays(
            pa.array(np.concatenate([page.vectors for page in some]).reshape(-1)), width
        )
        offsets = pa.array(np.concatenate([[0], np.cumsum([len(page.vectors) for page in some])]), pa.int32())
        numbers = pa.array(range(start, start + len(some)), pa.int32())
        table.add(pa.table([numbers, pa.ListArray.from_arrays(offsets, inner).cast(kind)], schema=schema))
    return table


def _lance_search(table: Any, refine: int | None = None) -> Callable[[Floats], list[int]]:
    def search(query: Floats) -> list[int]:
        asked = (
            table.search(query, vector_column_name="vector")
            .distance_type("cosine")
            .select(["page", "_distance"])
            .limit(10)
        )
        if refine is not None:
            asked = asked.refine_factor(refine).nprobes(20)
        return [int(page) for page in asked.to_arrow()["page"].to_pylist()]

    return search


def _byaldi_search(pages: Sequence[PageVectors]) -> Callable[[Floats], list[int]]:
    """Byaldi keeps all vectors in a list and scores them with colpali-engine's processor, as here."""
    from desktop_rag.models.torchvision_repair import ensure_torchvision

    ensure_torchvision()
    import torch
    from colpali_engine.utils.processing_utils import BaseVisualRetrieverProcessor

    held = [torch.from_numpy(page.vectors).to(torch.bfloat16) for page in pages]

    def search(query: Floats) -> list[int]:
        asked = [torch.from_numpy(query).to(torch.bfloat16)]
        scores = BaseVisualRetrieverProcessor.score_multi_vector(asked, held, device="cpu")
        return [int(index) for index in scores.numpy().argsort(axis=1)[0][-10:][::-1]]

    return search


def _stored(index: int, page: PageVectors) -> StoredPage:
    return StoredPage("d", index + 1, _MODEL, "", page.vectors.astype(np.float16), page.cells)


def _query(vectors: Floats, random: np.random.Generator) -> Floats:
    chosen = vectors[random.integers(len(vectors), size=_TOKENS)]
    return _unit(chosen + _NOISE * _noise(random, chosen.shape))


def _noisy(page: PageVectors, random: np.random.Generator, noise: bool) -> PageVectors:
    if not noise:
        return page
    return PageVectors(_unit(page.vectors + 0.5 * _noise(random, page.vectors.shape)), page.cells)


def _noise(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    made: Floats = (random.standard_normal(shape) / shape[1] ** 0.5).astype(np.float32)
    return made


def _unit(vectors: Floats) -> Floats:
    made: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return made


def _random_pages(count: int) -> list[PageVectors]:
    random = np.random.default_rng(0)
    cells = np.arange(1024, dtype=np.int16).reshape(32, 32)
    return [PageVectors(_unit(_noise(random, (1030, 128))), cells) for _ in range(count)]


def _real_pages() -> list[PageVectors]:
    """Return the pages of the benchmark's documents as the embedder that comes along sees them."""
    import pymupdf

    from benchmarks.documents import find_documents
    from desktop_rag.engine.environment import prepare_environment

    prepare_environment(Settings().model_threads)
    embedder = WordPageEmbedder(SentenceTransformerEmbedder(None, 1))
    made = []
    for path in find_documents().pdfs:
        with pymupdf.open(path) as document:
            for index in range(min(document.page_count, 12)):
                content = _content(document[index])
                vectors = embedder.encode_page(content)
                if len(vectors.vectors) >= _TOKENS:
                    made.append(vectors)
    return made


def _content(page: Any) -> PageContent:
    from desktop_rag.core.types import BBox
    from desktop_rag.models.page_embedder import PageWord, Passage

    passages = []
    for block in {word[5] for word in page.get_text("words")}:
        words, text = [], ""
        for x0, y0, x1, y1, word, *place in page.get_text("words"):
            if place[0] == block:
                words.append(PageWord(len(text), len(text) + len(word), BBox(x0, y0, x1, y1)))
                text += f"{word} "
        passages.append(Passage(text, tuple(words)))
    return PageContent(page.number + 1, page.rect.width, page.rect.height, "", tuple(passages))


if __name__ == "__main__":
    raise SystemExit(main())
