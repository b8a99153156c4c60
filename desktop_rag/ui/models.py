"""The models of this installation as the window knows them, and what is under way with them. No widgets here."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from desktop_rag.core.job import Progress
from desktop_rag.core.model_rows import ModelKind, ModelRow, ModelTrial, Redoing
from desktop_rag.ui.bridge import Call, Failure
from desktop_rag.ui.session import EngineState, Session


class Models(QObject):
    """Everything goes through the engine, which is asked again after each change. Outlives the dialog.

    One model is fetched at a time; it goes on while the dialog is closed.
    """

    changed = Signal()
    fetch_changed = Signal()
    said = Signal(str, bool)
    """What was done, or why not; whether it is bad news."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.rows: tuple[ModelRow, ...] = ()
        self.fetching = ""
        """The model that is being fetched; empty for none."""
        self.progress: Progress | None = None
        self.bytes_per_second = 0.0
        self._call: Call | None = None
        self._began: tuple[float, int] | None = None
        session.engine_changed.connect(self._engine_changed)

    def refresh(self) -> None:
        """Ask for the models."""
        self._session.bridge.call("models", done=self._take, failed=self._tell)

    def add(self, path: str) -> None:
        """Take up a model from this computer; it is looked at first, which takes a while for a large one."""

        def done(row: ModelRow) -> None:
            self.said.emit(self.tr("{name} was added. Try it, or use it.").format(name=row.name), False)
            self.refresh()

        self.said.emit(self.tr("Looking at the files …"), False)
        self._session.bridge.call("add_model", path, done=done, failed=self._tell)

    def fetch(self, row: ModelRow) -> None:
        """Fetch a known model over the network."""
        if self.fetching:
            return
        self.fetching, self.progress, self.bytes_per_second, self._began = row.name, None, 0.0, None
        self._call = self._session.bridge.call(
            "pull_model", row.name, item=self._progressed, done=self._fetched, failed=self._not_fetched
        )
        self.fetch_changed.emit()

    def stop(self) -> None:
        """Stop fetching; what is here by then is kept."""
        if self._call is not None:
            self._call.cancel()

    def verify(self, row: ModelRow) -> None:
        """Compare all files of a model with what they were."""
        fine = self.tr("All files of {name} are as they were.").format(name=row.name)
        self.said.emit(self.tr("Reading all files of {name} …").format(name=row.name), False)
        self._session.bridge.call(
            "verify_model", row.name, done=lambda _row: self.said.emit(fine, False), failed=self._tell
        )

    def remove(self, row: ModelRow) -> None:
        """Forget a model, and delete what was fetched of it."""
        self._change(self.tr("{name} is gone.").format(name=row.name), "remove_model", row.name)

    def ask_redoing(self, row: ModelRow, then: Callable[[Redoing | None], None]) -> None:
        """Ask what choosing a model makes the program do anew."""
        self._session.bridge.call("redoing", row.name, row.kind, done=then, failed=self._tell)

    def choose(self, row: ModelRow) -> None:
        """Use a model from now on."""
        self._change(self.tr("{name} is in use now.").format(name=row.name), "choose_model", row.name, row.kind)

    def try_it(
        self, row: ModelRow, question: str, done: Callable[[ModelTrial], None], failed: Callable[[Failure], None]
    ) -> Call | None:
        """Ask the documents with a model that is not chosen yet."""
        return self._session.bridge.call("try_model", row.name, row.kind, question, done=done, failed=failed)

    def _change(self, said: str, method: str, *arguments: str | ModelKind) -> None:
        def done(_none: object) -> None:
            self.said.emit(said, False)
            self._session.ask_model()
            self.refresh()

        self.said.emit(self.tr("One moment …"), False)
        self._session.bridge.call(method, *arguments, done=done, failed=self._tell)

    def _progressed(self, progress: Progress) -> None:
        now = time.monotonic()
        if self._began is None:
            self._began = now, progress.done
        began, had = self._began
        if now - began > 1.0:
            self.bytes_per_second = (progress.done - had) / (now - began)
        self.progress = progress
        self.fetch_changed.emit()

    def _fetched(self, row: ModelRow) -> None:
        self._end_fetching()
        text = self.tr("{name} is here, and its checksums are right. Try it, or use it.")
        self.said.emit(text.format(name=row.name), False)
        self.refresh()

    def _not_fetched(self, failure: Failure) -> None:
        name = self.fetching
        self._end_fetching()
        if failure.stopped:
            self.said.emit(self.tr("Fetching {name} was stopped; it can go on later.").format(name=name), False)
        else:
            self._tell(failure)
        self.refresh()

    def _end_fetching(self) -> None:
        self.fetching, self.progress, self._call = "", None, None
        self.fetch_changed.emit()

    def _take(self, rows: Sequence[ModelRow]) -> None:
        self.rows = tuple(rows)
        self.changed.emit()

    def _tell(self, failure: Failure) -> None:
        if not failure.stopped:
            self.said.emit(failure.message or self.tr("That did not work. The log says more."), True)

    def _engine_changed(self, state: EngineState, _message: str) -> None:
        """Another engine knows nothing of what the one before was fetching."""
        if state in (EngineState.STARTING, EngineState.RESTARTING) and self.fetching:
            self._end_fetching()
