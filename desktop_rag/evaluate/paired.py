"""Two runs over the same questions: which were won, which were lost, and whether that could be chance."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.evaluation import Estimate
from desktop_rag.evaluate.bootstrap import estimate
from desktop_rag.evaluate.runner import EvaluationReport

Ranks = Mapping[str, Mapping[str, int | None]]
"""The place of the first right page by route and question id."""

_DEPTH = 10
_NOISE = 1e-9
"""Differences of sums that are equal but for rounding."""


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose first right page stands elsewhere now; None is not among the first ten pages."""

    question: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Paired:
    """One route before and after: the questions ``n`` of both runs, the difference of MRR@10, what changed."""

    route: str
    n: int
    mrr: Estimate
    hit_at_1: float
    hit_at_5: float
    won: tuple[Change, ...]
    lost: tuple[Change, ...]

    @property
    def regressed(self) -> bool:
        """Whether a measure is lower than before: a search gives the same each time, so that is no noise."""
        return min(self.mrr.value, self.hit_at_1, self.hit_at_5) < -_NOISE

    def as_json(self) -> dict[str, object]:
        """Return the comparison as JSON has it."""
        return {
            "route": self.route,
            "n": self.n,
            "mrr@10": self.mrr.as_json(),
            "hit@1": round(self.hit_at_1, 4),
            "hit@5": round(self.hit_at_5, 4),
            "won": [[one.question, one.before, one.after] for one in self.won],
            "lost": [[one.question, one.before, one.after] for one in self.lost],
            "regressed": self.regressed,
        }


def ranks_of(report: EvaluationReport) -> Ranks:
    """Return the ranks of a run."""
    ranks: dict[str, dict[str, int | None]] = {}
    for one in report.results:
        ranks.setdefault(str(one.route), {})[one.question.id] = one.judged.rank
    return ranks


def load_ranks(path: Path) -> Ranks:
    """Read the ranks of an earlier run, as ``eval --json`` wrote them; raises UserFacingError if that cannot be."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        ranks: dict[str, dict[str, int | None]] = {}
        for one in data["questions"]:
            rank = one["rank"]
            ranks.setdefault(str(one["route"]), {})[str(one["id"])] = None if rank is None else int(rank)
    except OSError as error:
        raise UserFacingError(
            f"{path} cannot be read: {error.strerror}. Name the JSON file of an earlier run."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserFacingError(
            f"{path} is not the result of a run. Write one with `desktop-rag eval … --json`."
        ) from error
    return ranks


def paired(before: Ranks, after: Ranks) -> tuple[Paired, ...]:
    """Compare the routes and questions that both runs have; routes without common questions are left out."""
    found = []
    for route in (name for name in after if name in before):
        ids = [item for item in after[route] if item in before[route]]
        if ids:
            found.append(_paired(route, [Change(item, before[route][item], after[route][item]) for item in ids]))
    return tuple(found)


def _paired(route: str, pairs: list[Change]) -> Paired:
    gains = [_reciprocal(one.after) - _reciprocal(one.before) for one in pairs]
    return Paired(
        route,
        len(pairs),
        estimate(gains),
        sum(_within(one.after, 1) - _within(one.before, 1) for one in pairs) / len(pairs),
        sum(_within(one.after, 5) - _within(one.before, 5) for one in pairs) / len(pairs),
        tuple(one for one, gain in zip(pairs, gains, strict=True) if gain > 0),
        tuple(one for one, gain in zip(pairs, gains, strict=True) if gain < 0),
    )


def _reciprocal(rank: int | None) -> float:
    return 1 / rank if rank is not None and rank <= _DEPTH else 0.0


def _within(rank: int | None, k: int) -> int:
    return int(rank is not None and rank <= k)
