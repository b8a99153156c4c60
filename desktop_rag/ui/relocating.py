"""Renaming or moving the workspace that is open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop_rag.engine.protocol import Relocation
from desktop_rag.ui.session import EngineState, Session
from desktop_rag.ui.widgets import Banner
from desktop_rag.ui.window_state import WindowState

Reopen = Callable[[str, Relocation | None], None]


class Relocating(QObject):
    """The engine that holds the workspace ends, and the next one renames or moves it before it opens it."""

    def __init__(self, session: Session, state: WindowState, banner: Banner, reopen: Reopen, parent: QObject) -> None:
        """``reopen`` leaves the open workspace and opens one, after what shall be done with it before."""
        super().__init__(parent)
        self._state, self._banner, self._reopen = state, banner, reopen
        self._wanted: Relocation | None = None
        self._news, self._kind = "", "plain"
        session.not_relocated.connect(self._failed)
        session.engine_changed.connect(self._engine_changed)

    def begin(self, wanted: Relocation, thread: str | None) -> None:
        """Do it; ``thread`` is the conversation that is open, and will be so again."""
        self._state.set_thread(wanted.then, thread)
        self._wanted, self._kind = wanted, "plain"
        self._reopen(wanted.then, wanted)
        if wanted.new_name:
            said, self._news = self.tr("“{name}” gets its new name …"), self.tr("“{name}” is called “{new}” now.")
        else:
            said, self._news = self.tr("“{name}” is being moved …"), self.tr("“{name}” was moved to {folder}.")
        self._news = self._news.format(name=wanted.name, new=wanted.new_name, folder=wanted.folder)
        self._banner.say(said.format(name=wanted.name), "plain")

    def _failed(self, message: str) -> None:
        if self._wanted is not None:
            self._news, self._kind = message, "bad"
            self._reopen(self._wanted.name, None)

    def _engine_changed(self, state: EngineState, _message: str) -> None:
        if state is EngineState.READY and self._wanted is not None:
            self._wanted = None
            self._banner.say(self._news, self._kind)
