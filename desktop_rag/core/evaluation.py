"""What an evaluation on known pages says: measures with their certainty, and the workspace's own questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from desktop_rag.core.types import Route

MEASURES = ("hit@1", "hit@5", "mrr@10", "ndcg@10", "context_precision")
"""The measures by name, each between 0 and 1; higher is better."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and the interval in which it lies in 95 of 100 draws of as many questions."""

    value: float
    low: float
    high: float

    def as_json(self) -> list[float]:
        """Return ``[value, low, high]``."""
        return [round(self.value, 4), round(self.low, 4), round(self.high, 4)]


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question of the workspace's own set, and a page that answers it; ``marked_at`` in seconds since the epoch."""

    id: int
    question: str
    document: str
    file: str
    page: int
    marked_at: float

    def as_json(self) -> dict[str, object]:
        """Return the question as JSON has it."""
        return {"id": self.id, "question": self.question, "file": self.file, "page": self.page}


@dataclass(frozen=True, slots=True)
class OwnResult:
    """What one route made of one question: the place of the first right page (None: not found) and the time."""

    question: str
    route: Route
    rank: int | None
    ms: float


@dataclass(frozen=True, slots=True)
class RouteScore:
    """How well one route does: the estimates by the names in :data:`MEASURES`, and its times."""

    route: Route
    n: int
    measures: Mapping[str, Estimate]
    ms_p50: float
    ms_p95: float

    def as_json(self) -> dict[str, object]:
        """Return the score as JSON has it."""
        measures = {name: estimate.as_json() for name, estimate in self.measures.items()}
        return {
            "route": str(self.route),
            "n": self.n,
            **measures,
            "ms_p50": round(self.ms_p50, 1),
            "ms_p95": round(self.ms_p95, 1),
        }


@dataclass(frozen=True, slots=True)
class OwnRun:
    """A run of the workspace's own questions. ``setup`` says with what: the model and the settings that matter.

    ``gone`` are questions whose document is not in the workspace any more; they are left out.
    """

    id: int
    ran_at: float
    setup: str
    scores: tuple[RouteScore, ...]
    results: tuple[OwnResult, ...]
    gone: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the run as JSON has it."""
        return {
            "id": self.id,
            "ran_at": self.ran_at,
            "setup": self.setup,
            "routes": [score.as_json() for score in self.scores],
            "questions": [
                {"question": one.question, "route": str(one.route), "rank": one.rank, "ms": round(one.ms, 1)}
                for one in self.results
            ],
            "gone": list(self.gone),
        }
