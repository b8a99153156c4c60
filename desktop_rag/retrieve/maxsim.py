"""Late interaction: how well pages of many vectors fit a question of many vectors, in two stages.

MaxSim (Khattab and Zaharia, "ColBERT", SIGIR 2020): score(q, p) = sum over the question's vectors of the largest dot
product with any vector of the page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from desktop_rag.models.page_embedder import Vectors
from desktop_rag.store.page_schema import Halves
from desktop_rag.store.pages import FirstStage

_PAGES_AT_ONCE = 64
_AT_ONCE = 65_536
"""Vectors that are turned into float32 at a time: 100 MB at 384 dimensions would be too much beside a chat model."""


def first_scores(query: Vectors, pages: FirstStage) -> Vectors:
    """Return the MaxSim of each page's small vectors, shape (len(pages),)."""
    starts = pages.starts
    scores = np.zeros(len(pages), dtype=np.float32)
    at = 0
    while at < len(pages):
        end = max(at + 1, int(np.searchsorted(starts, starts[at] + _AT_ONCE, side="right")) - 1)
        part = pages.vectors[starts[at] : starts[end]].astype(np.float32)
        best = np.maximum.reduceat(part @ query.T, starts[at:end] - starts[at], axis=0)
        scores[at:end] = best.sum(axis=1)
        at = end
    return scores


def maxsim(query: Vectors, pages: Sequence[Halves]) -> Vectors:
    """Return the exact MaxSim of each page, shape (len(pages),); ``pages`` have shapes (n, dimensions), n > 0."""
    scores = np.zeros(len(pages), dtype=np.float32)
    for start in range(0, len(pages), _PAGES_AT_ONCE):
        some = pages[start : start + _PAGES_AT_ONCE]
        starts = np.cumsum([0, *(len(vectors) for vectors in some[:-1])])
        products = np.concatenate(some).astype(np.float32) @ query.T
        scores[start : start + len(some)] = np.maximum.reduceat(products, starts, axis=0).sum(axis=1)
    return scores


def best_pages(scores: Vectors, most: int) -> NDArray[np.int64]:
    """Return the indices of the ``most`` largest scores, the best first; equal ones keep their order."""
    if most < len(scores):
        chosen = np.argpartition(-scores, most)[:most]
        chosen.sort()
        return chosen[np.argsort(-scores[chosen], kind="stable")]
    return np.argsort(-scores, kind="stable")
