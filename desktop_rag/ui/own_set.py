"""The workspace's own questions with their right pages, and their runs, as the window knows them. No widgets here."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop_rag.core.evaluation import OwnQuestion, OwnRun
from desktop_rag.ui.bridge import Call, Failure
from desktop_rag.ui.session import EngineState, Session


class OwnSet(QObject):
    """Marks pages, runs the set, and keeps what the engine says of both."""

    changed = Signal()
    """The questions, the runs, or whether a run is going on."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._call: Call | None = None
        self.questions: tuple[OwnQuestion, ...] = ()
        self.runs: tuple[OwnRun, ...] = ()
        session.engine_changed.connect(self._engine_changed)

    @property
    def running(self) -> bool:
        """Whether the questions are being asked now."""
        return self._call is not None

    def pages_of(self, question: str) -> set[tuple[str, int]]:
        """Return document and page of each mark of ``question``."""
        return {(one.document, one.page) for one in self.questions if one.question == question.strip()}

    def refresh(self) -> None:
        """Ask for questions and runs."""
        bridge = self._session.bridge
        bridge.call("own_questions", done=self._take_questions, failed=self._session.tell)
        bridge.call("own_runs", done=self._take_runs, failed=self._session.tell)

    def toggle(self, question: str, document: str, page: int) -> None:
        """Keep that a page answers a question; or, where that is kept already, forget it."""
        for one in self.questions:
            if (one.question, one.document, one.page) == (question.strip(), document, page):
                self.remove(one.id)
                return
        self._session.bridge.call(
            "mark_right_page", question, document, page, done=lambda _mark: self.refresh(), failed=self._session.tell
        )

    def remove(self, number: int) -> None:
        """Forget a mark."""
        self._session.bridge.call(
            "remove_own_question", number, done=lambda _none: self.refresh(), failed=self._session.tell
        )

    def run(self) -> None:
        """Ask all questions by each way of searching; one run at a time."""
        if not self.running:
            self._call = self._session.bridge.call("run_own_questions", done=self._ran, failed=self._did_not_run)
            self.changed.emit()

    def stop(self) -> None:
        """End the run; nothing of it is kept."""
        if self._call is not None:
            self._call.cancel()

    def export(self, file: str) -> None:
        """Write the latest run to ``file``, in the form that its ending says."""
        self._session.bridge.call("export_own_runs", file, failed=self._session.tell)

    def _ran(self, _run: OwnRun) -> None:
        self._call = None
        self.refresh()
        self.changed.emit()

    def _did_not_run(self, failure: Failure) -> None:
        self._call = None
        self._session.tell(failure)
        self.changed.emit()

    def _take_questions(self, questions: tuple[OwnQuestion, ...]) -> None:
        self.questions = tuple(questions)
        self.changed.emit()

    def _take_runs(self, runs: tuple[OwnRun, ...]) -> None:
        self.runs = tuple(runs)
        self.changed.emit()

    def _engine_changed(self, state: EngineState, _message: str) -> None:
        if state is EngineState.READY:
            self.refresh()
        elif state is EngineState.STARTING:
            self.questions, self.runs, self._call = (), (), None
            self.changed.emit()
