"""Runs a question set against an index and says how often the right page comes first, by route and kind of evidence."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from desktop_rag.answer.followup import standalone
from desktop_rag.core.answers import Answer
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import FileRow, Ledger
from desktop_rag.core.types import INSIDE, Hit, Route
from desktop_rag.evaluate.gold import AnswerScore, score_answers
from desktop_rag.evaluate.metrics import Judged, Metrics, summarise
from desktop_rag.evaluate.questions import Question, load_questions

_PAGES = 10
_CONTEXTS = 5
_ELEMENTS = 40
"""Elements asked for, so that ten different pages are among them."""


class Searchable(Protocol):
    """The part of an open library that an evaluation needs."""

    def status(self) -> Ledger:
        """Return the ledger."""

    def search(self, query: str, *, route: Route | None = None, k: int = 10) -> tuple[Hit, ...]:
        """Return ranked hits."""

    def ask(self, question: str, *, use_model: bool = True, job: Job | None = None) -> Answer:
        """Answer a question outside any conversation."""


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A page of a ranking, with the score of its best element."""

    file: str
    page: int
    score: float


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What one route made of one question."""

    question: Question
    route: Route
    judged: Judged
    pages: tuple[RankedPage, ...]

    def as_json(self) -> dict[str, object]:
        """Return the result in the form of the JSON contract."""
        return {
            "id": self.question.id,
            "route": str(self.route),
            "rank": self.judged.rank,
            "ms": round(self.judged.ms, 1),
            "hits": [{"file": one.file, "page": one.page, "score": round(one.score, 6)} for one in self.pages],
        }


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """All results of a run. ``not_indexed`` are questions about files that the workspace was never given."""

    results: tuple[QuestionResult, ...]
    not_indexed: tuple[Question, ...]
    answers: AnswerScore | None

    def metrics(self, route: Route, questions: Collection[Question]) -> Metrics | None:
        """Return the means of ``route`` over ``questions``; None when there are none of them."""
        judged = [one.judged for one in self.results if one.route == route and one.question in questions]
        return summarise(judged) if judged else None

    def as_json(self) -> dict[str, object]:
        """Return the evaluation in the form of the JSON contract."""
        routes = dict.fromkeys(one.route for one in self.results)
        return {
            "routes": {str(route): self._route_json(route) for route in routes},
            "questions": [one.as_json() for one in self.results],
            "answers": self.answers.as_json() if self.answers else None,
            "not_indexed": [question.id for question in self.not_indexed],
        }

    def _route_json(self, route: Route) -> dict[str, object]:
        questions = [one.question for one in self.results if one.route == route]
        evidence = dict.fromkeys(question.evidence for question in questions)
        kinds = dict.fromkeys(question.kind for question in questions)
        return {
            "all": self._json(route, questions),
            "by_evidence": {
                str(name): self._json(route, [one for one in questions if one.evidence == name]) for name in evidence
            },
            "by_kind": {name: self._json(route, [one for one in questions if one.kind == name]) for name in kinds},
        }

    def _json(self, route: Route, questions: Collection[Question]) -> dict[str, object] | None:
        metrics = self.metrics(route, questions)
        return {**metrics.as_json(), "ci95": metrics.intervals_json()} if metrics else None


def evaluate(
    library: Searchable,
    questions_path: Path,
    root: Path,
    routes: Sequence[Route],
    *,
    answers: bool = False,
    use_model: bool = False,
    job: Job | None = None,
) -> EvaluationReport:
    """Ask every question by every route, and with ``answers`` for a whole answer too.

    ``root`` is the folder to which the questions' files are relative. Questions about files without a row in the
    ledger are left out and counted apart; a file that has a row but could not be read counts as a miss. Raises
    UserFacingError when the question file is not as it should be.
    """
    job = job or Job()
    questions = load_questions(questions_path)
    rows = library.status().files
    known = _files(questions, root, rows)
    asked = [question for question in questions if question.answerable and question.file in known]
    results = []
    for number, question in enumerate(asked):
        job.check()
        job.report(Progress(number, len(asked), "questions", "Searching", question.id))
        results += [judge(library.search, question, route, known[question.file or ""]) for route in routes]
    missing = tuple(question for question in questions if question.answerable and question.file not in known)
    score = None
    if answers:
        to_answer = [question for question in questions if question not in missing]
        score = score_answers(lambda text: library.ask(text, use_model=use_model, job=job), to_answer, job)
    return EvaluationReport(tuple(results), missing, score)


def _files(questions: Iterable[Question], root: Path, rows: Sequence[FileRow]) -> Mapping[str, str]:
    """Map each question's file to the path under which the ledger shows it, for the files that the ledger has."""
    shown = {Path(row.file).resolve(): row.file for row in rows}
    wanted = {question.file: (root / question.file).resolve() for question in questions if question.file}
    return {file: shown[path] for file, path in wanted.items() if path in shown}


def judge(search: Callable[..., Sequence[Hit]], question: Question, route: Route, file: str) -> QuestionResult:
    """Search by one route and judge what it finds; ``file`` is how the ledger shows the question's file."""
    text = standalone(question.question, question.history[::2])
    started = time.perf_counter()
    hits = search(text, route=route, k=_ELEMENTS)
    ms = (time.perf_counter() - started) * 1000
    pages = ranked_pages(hits)[:_PAGES]
    gains, seen = [], False
    for one in pages:
        right = _is_right(question, file, one.file, one.page)
        # Where any page of the file is right, one of them is the answer's place and the others add nothing.
        gains.append(right and (bool(question.pages) or not seen))
        seen = seen or right
    contexts = tuple(_is_right(question, file, hit.file, hit.element.page) for hit in hits[:_CONTEXTS])
    judged = Judged(tuple(gains), max(1, len(question.pages)), ms, contexts)
    return QuestionResult(question, route, judged, tuple(pages))


def _is_right(question: Question, file: str, found: str, page: int) -> bool:
    """What is attached to a message belongs to it, but has pages of its own: it counts where any page is right."""
    if question.pages:
        return found == file and page in question.pages
    return found == file or found.startswith(f"{file}{INSIDE}")


def ranked_pages(hits: Iterable[Hit]) -> list[RankedPage]:
    """Return the pages of ``hits`` in their order, each once: several elements of a page are one place."""
    pages: dict[tuple[str, int], RankedPage] = {}
    for hit in hits:
        pages.setdefault((hit.file, hit.element.page), RankedPage(hit.file, hit.element.page, hit.score))
    return list(pages.values())
