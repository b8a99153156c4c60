"""Measures of a ranking against known pages. Shares are between 0 and 1, times in milliseconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """One question's ranking: for each place whether it is a right page, how many right pages there are, the time.

    ``gains`` has one entry per place of the ranking (pages, each once). ``right`` is at least 1.
    """

    gains: tuple[bool, ...]
    right: int
    ms: float

    @property
    def rank(self) -> int | None:
        """The place of the first right page from 1, or None."""
        return self.gains.index(True) + 1 if True in self.gains else None

    def hit(self, k: int) -> float:
        """1 when a right page stands among the first ``k`` places, else 0."""
        return float(any(self.gains[:k]))

    def reciprocal_rank(self) -> float:
        """1 / rank of the first right page among the first 10 places, else 0."""
        return 1.0 / self.rank if self.rank is not None and self.rank <= _DEPTH else 0.0

    def ndcg(self) -> float:
        """Normalised discounted cumulative gain at 10 with binary gains (Järvelin and Kekäläinen 2002)."""
        gained = sum(1 / math.log2(place + 2) for place, right in enumerate(self.gains[:_DEPTH]) if right)
        best = sum(1 / math.log2(place + 2) for place in range(min(self.right, _DEPTH)))
        return gained / best


@dataclass(frozen=True, slots=True)
class Metrics:
    """Means over ``n`` questions."""

    n: int
    hit_at_1: float
    hit_at_5: float
    mrr_at_10: float
    ndcg_at_10: float
    ms_p50: float
    ms_p95: float

    def as_json(self) -> dict[str, float]:
        """Return the measures under the names of the JSON contract."""
        return {
            "n": self.n,
            "hit@1": round(self.hit_at_1, 4),
            "hit@5": round(self.hit_at_5, 4),
            "mrr@10": round(self.mrr_at_10, 4),
            "ndcg@10": round(self.ndcg_at_10, 4),
            "ms_p50": round(self.ms_p50, 1),
            "ms_p95": round(self.ms_p95, 1),
        }


def summarise(judged: Sequence[Judged]) -> Metrics:
    """Return the means over ``judged``; raises ValueError when there is none."""
    if not judged:
        raise ValueError("no questions to summarise")
    times = [one.ms for one in judged]
    return Metrics(
        n=len(judged),
        hit_at_1=_mean([one.hit(1) for one in judged]),
        hit_at_5=_mean([one.hit(5) for one in judged]),
        mrr_at_10=_mean([one.reciprocal_rank() for one in judged]),
        ndcg_at_10=_mean([one.ndcg() for one in judged]),
        ms_p50=_percentile(times, 0.50),
        ms_p95=_percentile(times, 0.95),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
