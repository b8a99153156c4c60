"""Late interaction: how well pages of many vectors fit a question of many vectors, in two stages.

MaxSim (Khattab and Zaharia, "ColBERT", SIGIR 2020): score(q, p) = sum over the question's vectors of the largest dot
product with any vector of the page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from desktop_rag.models.page_embedder import Vectors
from desktop_rag.store.page_codes import CodedPages, Words, sign_codes
from desktop_rag.store.page_schema import Halves

_AT_ONCE = 16_384
"""Codes that are compared at a time: what is made of them on the way stays in a core's cache."""

_SIGN_AND_MOVED = np.int32(-0x70002000)
"""The sign of a float32, and 15 bits that were moved up by 13."""


def code_scores(query: Vectors, pages: CodedPages) -> Vectors:
    """Return the MaxSim of each page by signs alone, shape (len(pages),): minus the sum of the fewest unlike signs.

    ``pages`` have at least one vector each, as long as the question's.
    """
    scores = np.zeros(len(pages), dtype=np.float32)
    wanted = sign_codes(query)
    starts = pages.starts
    at = 0
    while at < len(pages):
        end = max(at + 1, int(np.searchsorted(starts, starts[at] + _AT_ONCE, side="right")) - 1)
        part = pages.codes[:, starts[at] : starts[end]]
        for vector in wanted:
            fewest = np.minimum.reduceat(_unlike(part, vector), starts[at:end] - starts[at])
            scores[at:end] -= fewest
        at = end
    return scores


def _unlike(codes: Words, vector: Words) -> NDArray[np.uint16]:
    """Return how many signs of each of ``codes``, shape (words, n), differ from those of ``vector``, shape (words,)."""
    counts = np.zeros(codes.shape[1], dtype=np.uint16)
    for word, wanted in zip(codes, vector, strict=True):
        counts += np.bitwise_count(word ^ wanted)
    return counts


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
