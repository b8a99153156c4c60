"""The workspace's own questions with their right pages, and the runs of that set."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from desktop_rag.core.evaluation import Estimate, OwnQuestion, OwnResult, OwnRun, RouteScore
from desktop_rag.core.types import Route
from desktop_rag.store.database import Database

_TIMES = frozenset({"route", "n", "ms_p50", "ms_p95"})


class OwnQuestions:
    """Questions that people marked the right pages of. A question may have several pages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def mark(self, question: str, document: str, file: str, page: int) -> OwnQuestion:
        """Store that ``page`` answers ``question``; marking it again changes nothing."""
        with self._database.transaction():
            self._database.execute(
                """INSERT INTO own_questions (question, document, file, page, marked_at) VALUES (?, ?, ?, ?, ?)
                   ON CONFLICT (question, document, page) DO UPDATE SET file = excluded.file""",
                (question, document, file, page, time.time()),
            )
            rows = self._database.query(
                f"{_SELECT} WHERE question = ? AND document = ? AND page = ?", (question, document, page)
            )
        return OwnQuestion(*rows[0])

    def all(self) -> tuple[OwnQuestion, ...]:
        """Return the marks in the order in which they were made."""
        return tuple(OwnQuestion(*row) for row in self._database.query(f"{_SELECT} ORDER BY id"))

    def remove(self, question_id: int) -> bool:
        """Forget a mark; return whether there was one."""
        return self._database.execute("DELETE FROM own_questions WHERE id = ?", (question_id,)) > 0

    def keep_run(self, run: OwnRun) -> OwnRun:
        """Store a run; return it with its id."""
        number = self._database.insert(
            "INSERT INTO own_runs (ran_at, setup, report) VALUES (?, ?, ?)",
            (run.ran_at, run.setup, json.dumps(run.as_json(), ensure_ascii=False)),
        )
        return OwnRun(number, run.ran_at, run.setup, run.scores, run.results, run.gone)

    def runs(self) -> tuple[OwnRun, ...]:
        """Return the runs, the latest first."""
        rows = self._database.query("SELECT id, ran_at, setup, report FROM own_runs ORDER BY id DESC")
        return tuple(_run(number, ran_at, setup, json.loads(report)) for number, ran_at, setup, report in rows)


_SELECT = "SELECT id, question, document, file, page, marked_at FROM own_questions"


def _run(number: int, ran_at: float, setup: str, report: Mapping[str, Any]) -> OwnRun:
    results = tuple(
        OwnResult(one["question"], Route(one["route"]), one["rank"], one["ms"]) for one in report["questions"]
    )
    return OwnRun(number, ran_at, setup, tuple(map(_score, report["routes"])), results, tuple(report["gone"]))


def _score(stored: Mapping[str, Any]) -> RouteScore:
    measures = {name: Estimate(*value) for name, value in stored.items() if name not in _TIMES}
    return RouteScore(Route(stored["route"]), stored["n"], measures, stored["ms_p50"], stored["ms_p95"])
