"""The workspace's own questions, asked by each route: how often the page that somebody marked comes first."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.evaluation import OwnQuestion, OwnResult, OwnRun, RouteScore
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.types import Hit, Route
from desktop_rag.evaluate.metrics import summarise
from desktop_rag.evaluate.questions import Question
from desktop_rag.evaluate.runner import QuestionResult, judge


def run_own(
    search: Callable[..., Sequence[Hit]],
    marks: Sequence[OwnQuestion],
    shown: Callable[[str], str | None],
    routes: Sequence[Route],
    setup: str,
    job: Job,
) -> OwnRun:
    """Ask each question by each route; ``shown`` gives a document's file as people know it, None when it is gone.

    Raises UserFacingError when no question is left to ask, CancelledError when ``job`` is stopped.
    """
    asked, gone = _asked(marks, shown)
    if not asked:
        raise UserFacingError(
            "There is no question of your own to ask yet. Search for something and mark the page that answers it."
        )
    results: list[QuestionResult] = []
    for number, (question, file) in enumerate(asked):
        job.check()
        job.report(Progress(number, len(asked), "questions", "Searching", question.id))
        results += [judge(search, question, route, file) for route in routes]
    return OwnRun(
        id=0,
        ran_at=time.time(),
        setup=setup,
        scores=tuple(_score(route, results) for route in routes),
        results=tuple(OwnResult(one.question.question, one.route, one.judged.rank, one.judged.ms) for one in results),
        gone=gone,
    )


def _score(route: Route, results: Sequence[QuestionResult]) -> RouteScore:
    metrics = summarise([one.judged for one in results if one.route == route])
    return RouteScore(route, metrics.n, metrics.measures, metrics.ms_p50, metrics.ms_p95)


def _asked(
    marks: Sequence[OwnQuestion], shown: Callable[[str], str | None]
) -> tuple[list[tuple[Question, str]], tuple[str, ...]]:
    """Return the questions with their files, and those of which no document is left.

    A question with marks in several documents is asked once for each of them: every one is a right answer to find.
    """
    pages: dict[tuple[str, str], set[int]] = {}
    for mark in marks:
        pages.setdefault((mark.question, mark.document), set()).add(mark.page)
    files: Mapping[str, str | None] = {mark.document: shown(mark.document) for mark in marks}
    asked = []
    for number, ((question, document), right) in enumerate(pages.items()):
        file = files[document]
        if file is not None:
            made = Question(str(number), question, "", (), file, frozenset(right), None, "own", ())
            asked.append((made, file))
    left = {question.question for question, _ in asked}
    gone = dict.fromkeys(mark.question for mark in marks if mark.question not in left)
    return asked, tuple(gone)
