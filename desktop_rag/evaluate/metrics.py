"""Measures of a ranking against known pages. Shares are between 0 and 1, times in milliseconds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from desktop_rag.core.evaluation import MEASURES, Estimate
from desktop_rag.evaluate.bootstrap import estimate

_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """One question's ranking: for each place whether it is a right page, how many right pages there are, the time.

    ``gains`` has one entry per place of the ranking (pages, each once). ``right`` is at least 1. ``contexts`` says for
    each of the first elements, as an answer would be given them, whether it stands on a right page.
    """

    gains: tuple[bool, ...]
    right: int
    ms: float
    contexts: tuple[bool, ...] = ()

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

    def context_precision(self) -> float:
        """The share of the first elements that stand on a right page; 0 without any."""
        return _mean(self.contexts) if self.contexts else 0.0

    def measures(self) -> dict[str, float]:
        """Return every measure of this question by the names in ``core.evaluation.MEASURES``."""
        values = (self.hit(1), self.hit(5), self.reciprocal_rank(), self.ndcg(), self.context_precision())
        return dict(zip(MEASURES, values, strict=True))


@dataclass(frozen=True, slots=True)
class Metrics:
    """Means over ``n`` questions, each with its 95 % interval; times in milliseconds."""

    n: int
    measures: Mapping[str, Estimate]
    ms_p50: float
    ms_p95: float

    def as_json(self) -> dict[str, float]:
        """Return the means and times under the names of the JSON contract."""
        means = {name: round(estimate.value, 4) for name, estimate in self.measures.items()}
        return {"n": self.n, **means, "ms_p50": round(self.ms_p50, 1), "ms_p95": round(self.ms_p95, 1)}

    def intervals_json(self) -> dict[str, list[float]]:
        """Return the lower and upper ends of the intervals by the measures' names."""
        return {name: estimate.as_json()[1:] for name, estimate in self.measures.items()}


def summarise(judged: Sequence[Judged]) -> Metrics:
    """Return the means over ``judged``; raises ValueError when there is none."""
    if not judged:
        raise ValueError("no questions to summarise")
    times = [one.ms for one in judged]
    each = [one.measures() for one in judged]
    measures = {name: estimate([one[name] for one in each]) for name in MEASURES}
    return Metrics(len(judged), measures, _percentile(times, 0.50), _percentile(times, 0.95))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
