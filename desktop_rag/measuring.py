"""The part of an open library that measures itself: the workspace's own questions with their right pages, and runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.evaluation import OwnQuestion, OwnRun
from desktop_rag.core.files import write_for_person
from desktop_rag.core.filters import Filters
from desktop_rag.core.job import Job
from desktop_rag.core.types import Hit, Route
from desktop_rag.evaluate.export import as_csv, as_html
from desktop_rag.evaluate.own import run_own
from desktop_rag.retrieve.retriever import checked_question
from desktop_rag.store.catalogue import Catalogue


class Measuring(ABC):
    """Own questions of one workspace; the library is one of these."""

    _catalogue: Catalogue

    @property
    @abstractmethod
    def read_only(self) -> bool:
        """Whether nothing may be kept."""

    @property
    @abstractmethod
    def routes(self) -> tuple[Route, ...]:
        """The routes that can be chosen now."""

    @abstractmethod
    def search(
        self, query: str, *, route: Route | None = None, k: int = 10, where: str | Filters | None = None
    ) -> tuple[Hit, ...]:
        """Return ranked hits."""

    @property
    @abstractmethod
    def _setup(self) -> str:
        """With what is searched: the model and the settings that matter."""

    @abstractmethod
    def _need_writer(self) -> None:
        """Raise UserFacingError when the workspace is open for reading only."""

    @abstractmethod
    def _shown(self, document: str) -> str | None:
        """Return the file of a document as people know it; None when it is gone."""

    def mark_right_page(self, question: str, document: str, page: int) -> OwnQuestion:
        """Keep that ``page`` of ``document`` answers ``question``, for measuring how well this workspace is searched.

        Raises UserFacingError for an empty question, or a document or page that is not there.
        """
        self._need_writer()
        record = self._catalogue.files.get(document)
        if record is None or not 1 <= page <= max(1, record.pages):
            raise UserFacingError(f"Page {page} of this document is not in the workspace. Search again, then mark it.")
        return self._catalogue.own.mark(checked_question(question), document, record.shown, page)

    def own_questions(self) -> tuple[OwnQuestion, ...]:
        """Return the marked pages with their questions."""
        return self._catalogue.own.all()

    def remove_own_question(self, question_id: int) -> None:
        """Forget a mark; raises UserFacingError when there is none of that number."""
        self._need_writer()
        if not self._catalogue.own.remove(question_id):
            raise UserFacingError(f"There is no question number {question_id}. List them: desktop-rag questions list")

    def run_own_questions(self, routes: Sequence[Route] | None = None, *, job: Job | None = None) -> OwnRun:
        """Ask the own questions by each of ``routes`` (default: all that are ready), and keep what came of it."""
        marks = self.own_questions()
        run = run_own(self.search, marks, self._shown, routes or self.routes, self._setup, job or Job())
        return run if self.read_only else self._catalogue.own.keep_run(run)

    def own_runs(self) -> tuple[OwnRun, ...]:
        """Return the kept runs of the own questions, the latest first."""
        return self._catalogue.own.runs()

    def export_own_runs(self, file: str) -> None:
        """Write the latest run to ``file``: a table (.csv), or a page with a plot and the run before it (.html).

        Raises UserFacingError for another ending, when there is no run, or when the file cannot be written.
        """
        path = Path(file)
        ending = path.suffix.lower()
        if ending not in (".csv", ".html", ".htm"):
            raise UserFacingError(f"'{path.name}' must end in .csv or .html.")
        runs = self.own_runs()
        if not runs:
            raise UserFacingError("There is no run to export yet. Make one: desktop-rag questions run")
        write_for_person(path, as_csv(runs[0]) if ending == ".csv" else as_html(runs[:2]))
