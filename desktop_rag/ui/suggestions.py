"""Questions to begin with: a few that come along for the sample documents, and those made from a person's own files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from desktop_rag.core.ledger import FolderRow
from desktop_rag.core.paths import resource
from desktop_rag.engine.protocol import SyncState
from desktop_rag.ui.bridge import Failure
from desktop_rag.ui.chat import Chat
from desktop_rag.ui.session import EngineState, Session

SETTLE_MS = 700
"""After the last change, until the engine is asked for questions."""

RETRY_MS = 4000
"""Until it is asked once more where it had something else to do."""


def sample_questions(folders: Sequence[FolderRow]) -> tuple[str, ...]:
    """Return a few questions if the samples are watched and nothing else is, else none."""
    try:
        samples = resource("samples").resolve()
        questions = resource("suggestions", "samples.txt").read_text(encoding="utf-8")
    except OSError:
        return ()
    if [Path(folder.path).expanduser().resolve() for folder in folders] != [samples]:
        return ()
    return tuple(line.strip() for line in questions.splitlines() if line.strip())


class Suggestions(QObject):
    """Keeps the welcome's questions fresh: asks the engine for them when it is idle and somebody may see them."""

    def __init__(self, session: Session, chat: Chat, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._chat = session, chat
        self._watched: list[str] = []
        self._asked = False
        self._again = False
        self.questions: tuple[str, ...] = ()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self._ask)
        session.folders_changed.connect(self._take_folders)
        session.sync_done.connect(lambda _done: self._look())
        session.sync_changed.connect(lambda _state: self._look())
        session.engine_changed.connect(lambda _state, _message: self._leave())
        chat.thread_changed.connect(self._look)

    def _leave(self) -> None:
        """What was asked of another engine gets no answer."""
        self._asked = self._again = False

    def _take_folders(self, folders: Sequence[FolderRow]) -> None:
        watched = [row.path for row in folders]
        if watched != self._watched:
            self._watched = watched
            self._offer(sample_questions(folders))
        self._look()

    def _look(self) -> None:
        if self._watched and not sample_questions(self._session.folders):
            self._timer.start()

    def _ask(self) -> None:
        session = self._session
        ready = session.engine is EngineState.READY and session.sync is SyncState.IDLE and session.indexed
        if not ready or session.reading or self._chat.turns:
            return
        self._again = self._asked
        if not self._asked:
            self._asked = True
            watched = self._watched
            session.bridge.call("suggestions", done=lambda found: self._take(watched, found), failed=self._failed)

    def _take(self, watched: Sequence[str], found: Sequence[str]) -> None:
        self._asked = False
        if watched == self._watched and not sample_questions(self._session.folders):
            self._offer(tuple(found))
        if self._again or watched != self._watched:
            self._look()

    def _failed(self, failure: Failure) -> None:
        """While the index is being read or tidied there are none; nothing else is worth a message."""
        self._asked = False
        if failure.stopped:
            QTimer.singleShot(RETRY_MS, self, self._ask)

    def _offer(self, questions: tuple[str, ...]) -> None:
        if questions != self.questions:
            self.questions = questions
            self._chat.welcome.suggest(questions)
