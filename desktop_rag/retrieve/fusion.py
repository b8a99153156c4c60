"""Several rankings become one: reciprocal rank fusion, with places kept for the best keyword hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

RRF_K = 60
"""The constant of Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (SIGIR 2009)."""


@dataclass(frozen=True, slots=True)
class Fused:
    """An item of the fused ranking: its score, and the part that each ranking gave to it (by the ranking's name)."""

    id: str
    score: float
    parts: Mapping[str, float]


def reciprocal_rank_fusion(
    rankings: Mapping[str, Sequence[str]], weights: Mapping[str, float] | None = None, k: int = RRF_K
) -> list[Fused]:
    """Fuse rankings of ids, best first: score(d) = sum over rankings r of weight_r / (k + rank_r(d)), rank from 1.

    A ranking without a weight counts 1. Equal scores keep the order in which the ids were first seen.
    """
    weights = weights or {}
    parts: dict[str, dict[str, float]] = {}
    for name, ids in rankings.items():
        for rank, item in enumerate(ids, start=1):
            parts.setdefault(item, {})[name] = weights.get(name, 1.0) / (k + rank)
    fused = [Fused(item, sum(given.values()), given) for item, given in parts.items()]
    return sorted(fused, key=lambda one: -one.score)


def reserve(ranking: Sequence[str], favoured: Sequence[str], places: Sequence[int]) -> list[str]:
    """Return ``ranking`` with the i-th of ``favoured`` at the i-th of ``places`` (from 1) or better.

    Keyword search alone finds an identifier that vectors do not know; fusion can push such a hit below many that both
    routes find mediocre. The favoured ids keep their place when it is better already; all others keep their order.
    """
    order = list(ranking)
    for item, place in zip(favoured, places, strict=False):
        if item in order[:place]:
            continue
        if item in order:
            order.remove(item)
        order.insert(min(place - 1, len(order)), item)
    return order
