"""A model's second look at the first candidates, as long as there is time for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from desktop_rag.core.log import get_logger
from desktop_rag.models.reranker import Reranker

_log = get_logger(__name__)
_BATCH = 4
"""Passages between two looks at the time."""


def rescored(
    reranker: Reranker,
    question: str,
    passages: Mapping[str, str],
    scores: Mapping[str, float],
    budget_ms: float,
    now: Callable[[], float] = time.perf_counter,
) -> dict[str, float] | None:
    """Return new scores, between 0 and 1, of the ``passages`` (by id, the best first); None when time ran out.

    Both kinds of scores are stretched to reach from 0 to 1 among the passages and mixed by the reranker's trust.
    Half a reranking would rank what the model saw against what it did not see, so it is all or nothing.
    """
    started = now()
    ids = list(passages)
    given: dict[str, float] = {}
    for start in range(0, len(ids), _BATCH):
        if (now() - started) * 1000 >= budget_ms:
            _log.info("reranking stopped after %d of %d passages: %.0f ms are over", start, len(ids), budget_ms)
            return None
        some = ids[start : start + _BATCH]
        values = reranker.scores(question, [passages[item] for item in some])
        given.update(zip(some, map(float, values), strict=True))
    before, after = stretched([scores[item] for item in ids]), stretched([given[item] for item in ids])
    pairs = zip(ids, before, after, strict=True)
    return {item: (1 - reranker.trust) * old + reranker.trust * new for item, old, new in pairs}


def stretched(values: Sequence[float]) -> list[float]:
    """Return ``values`` moved and scaled so that they reach from 0 to 1; all 0 when they are equal."""
    if not values:
        return []
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]
