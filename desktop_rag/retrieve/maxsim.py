"""Late interaction: how well pages of many vectors fit a question of many vectors, in two stages.

MaxSim (Khattab and Zaharia, "ColBERT", SIGIR 2020): score(q, p) = sum over the question's vectors of the largest dot
product with any vector of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from desktop_rag.models.page_embedder import Vectors
from desktop_rag.store.page_codes import CodedPages, Words, sign_codes
from desktop_rag.store.page_schema import Halves

_AT_ONCE = 65_536
"""Codes that are compared at a time: what is made of them on the way stays in a core's cache."""

_SIGN_AND_MOVED = np.int32(-0x70002000)
"""The sign of a float32, and 15 bits that were moved up by 13."""


def code_scores(query: Vectors, pages: CodedPages, threads: int = 1) -> Vectors:
    """Return the MaxSim of each page by signs alone, shape (len(pages),): minus the sum of the fewest unlike signs.

    ``pages`` have at least one vector each, as long as the question's.
    """
    wanted = sign_codes(query)
    parts = list(pairwise(_borders(pages.starts, threads)))
    with ThreadPoolExecutor(max(1, len(parts)), "page codes") as pool:
        return np.concatenate([np.zeros(0, np.float32), *pool.map(lambda part: _scored(wanted, pages, *part), parts)])


def _borders(starts: NDArray[np.int64], threads: int) -> list[int]:
    """Return the first page of each thread's share, and the end; the shares have about as many codes."""
    wanted = starts[-1] * np.arange(1, threads) // threads
    return sorted({0, *map(int, np.searchsorted(starts, wanted)), len(starts) - 1})


def _scored(wanted: Words, pages: CodedPages, first: int, last: int) -> Vectors:
    """Return the scores of the pages ``first`` to ``last``; what is compared goes into the same memory every time."""
    starts = pages.starts
    scores = np.zeros(last - first, dtype=np.float32)
    most = max(_AT_ONCE, int(np.diff(starts[first : last + 1]).max(initial=0)))
    other, ones, counts = (np.empty(most, kind) for kind in (np.uint64, np.uint8, np.uint16))
    at = first
    while at < last:
        end = min(last, max(at + 1, int(np.searchsorted(starts, starts[at] + _AT_ONCE, side="right")) - 1))
        codes = pages.codes[:, starts[at] : starts[end]]
        n = codes.shape[1]
        for vector in wanted:
            counts[:n] = 0
            for word, bits in zip(codes, vector, strict=True):
                np.bitwise_xor(word, bits, out=other[:n])
                np.bitwise_count(other[:n], out=ones[:n])
                np.add(counts[:n], ones[:n], out=counts[:n])
            scores[at - first : end - first] -= np.minimum.reduceat(counts[:n], starts[at:end] - starts[at])
        at = end
    return scores


def maxsim(query: Vectors, pages: Sequence[Halves]) -> Vectors:
    """Return the exact MaxSim of each page, shape (len(pages),); ``pages`` have shapes (n, dimensions), n > 0."""
    turned = np.ascontiguousarray(query.T)
    return np.array([(as_floats(page) @ turned).max(axis=0).sum() for page in pages], dtype=np.float32)


def as_floats(halves: Halves) -> Vectors:
    """Return finite float16 numbers as float32, three times as fast as numpy, which turns them one by one.

    Exponent and fraction move to their places; the exponent, which counts from -15 and not from -127, is made good by
    a multiplication (Giesen, "Half to float done quick", 2012).
    """
    bits = halves.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _SIGN_AND_MOVED
    floats: Vectors = bits.view(np.float32)
    floats *= np.float32(2.0**112)
    return floats


def best_pages(scores: Vectors, most: int) -> NDArray[np.int64]:
    """Return the indices of the ``most`` largest scores, the best first; equal ones keep their order."""
    if most < len(scores):
        chosen = np.argpartition(-scores, most)[:most]
        chosen.sort()
        return chosen[np.argsort(-scores[chosen], kind="stable")]
    return np.argsort(-scores, kind="stable")
