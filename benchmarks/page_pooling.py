"""``python -m benchmarks.page_pooling QUESTIONS.jsonl ROOT WORKSPACE``: what the setting ``page_pooling`` costs.

The pages of the documents of ROOT have been looked at without it, with words and places. What was seen is pooled here
by several factors and scored exactly. Nothing is written.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.open_index import arguments, open_index
from desktop_rag.answer.followup import standalone
from desktop_rag.evaluate.questions import load_questions
from desktop_rag.models.page_embedder import PageVectors, Vectors
from desktop_rag.models.page_pooling import pooled
from desktop_rag.models.page_words import WordPageEmbedder
from desktop_rag.retrieve.maxsim import as_floats, best_pages
from desktop_rag.store.page_schema import Halves, StoredPage
from desktop_rag.store.pages import PageStore

_FACTORS = (1, 2, 3, 4, 6)


def main() -> None:
    """Measure and print the table."""
    given = arguments("page_pooling", __doc__)
    with open_index(given.workspace) as index:
        embedder = WordPageEmbedder(index.embedder)
        store = PageStore(index.uri, read_only=True)
        coded = store.codes(embedder.fingerprint)
        pages = [] if coded is None else store.fetch(coded, range(len(coded)), embedder.fingerprint)
        if not pages:
            sys.exit(
                "No page of this workspace has been looked at with words and places. Index it with its pages first."
            )
        places = [(index.shown(page.document), page.page) for page in pages]
        asked = index.answerable(load_questions(given.questions), given.root)
        right = [
            [one == file and (not question.pages or number in question.pages) for one, number in places]
            for question, file in asked
        ]
        texts = [standalone(question.question, question.history[::2]) for question, _ in asked]
        queries = [embedder.encode_query(text).vectors for text in texts]
    print(f"{len(asked)} questions, {len(pages):,} pages")
    print("| one vector for | vectors of a page | hit@1 | hit@5 | ms to pool a page |\n|---:|---:|---:|---:|---:|")
    for factor in _FACTORS:
        started = time.perf_counter()
        some = [_pooled(page, factor) for page in pages]
        each = (time.perf_counter() - started) * 1000 / len(pages)
        ranks = [best_pages(scores, 5) for scores in _scores(queries, some)]
        first, five = (_share(ranks, right, most) for most in (1, 5))
        vectors = np.mean([len(vectors) for vectors in some])
        print(f"| {factor} | {vectors:.0f} | {first:.3f} | {five:.3f} | {each:.1f} |", flush=True)


def _pooled(page: StoredPage, factor: int) -> Halves:
    made = pooled(PageVectors(as_floats(page.vectors), page.cells), factor)
    halves: Halves = made.vectors.astype(np.float16)
    return halves


def _scores(queries: Sequence[Vectors], pages: Sequence[Halves]) -> Vectors:
    """Return the MaxSim of each question and page, shape (questions, pages)."""
    tokens = np.concatenate(queries).T
    starts = np.cumsum([0, *(len(query) for query in queries[:-1])])
    return np.stack([np.add.reduceat((as_floats(page) @ tokens).max(axis=0), starts) for page in pages], axis=1)


def _share(ranks: Sequence[np.ndarray], right: Sequence[Sequence[bool]], most: int) -> float:
    found = [any(of_question[index] for index in rank[:most]) for rank, of_question in zip(ranks, right, strict=True)]
    return float(np.mean(found))


if __name__ == "__main__":
    main()
