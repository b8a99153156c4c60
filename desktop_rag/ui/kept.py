"""What a person wants kept in mind, as the window knows it. No widgets here."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop_rag.core.memories import Memory, MemoryScope
from desktop_rag.ui.session import EngineState, Session


class Kept(QObject):
    """The kept statements; every change goes through the engine, which is asked again after it."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.memories: tuple[Memory, ...] = ()
        self.forgotten: Memory | None = None
        """The statement that was forgotten last, until it is brought back or another change is made."""
        session.engine_changed.connect(self._engine_changed)

    def refresh(self) -> None:
        """Ask for the statements."""
        self._session.bridge.call("memories", done=self._take, failed=self._session.tell)

    def add(self, text: str, scope: MemoryScope) -> None:
        """Keep a statement."""
        self._change("remember", text, scope)

    def change(self, memory: Memory, text: str, scope: MemoryScope) -> None:
        """Put other words, or another scope, to a statement."""
        self._change("change_memory", memory.id, text, scope)

    def forget(self, memory: Memory) -> None:
        """Do not keep a statement any more."""
        self._change("forget_memory", memory.id)
        self.forgotten = memory

    def bring_back(self) -> None:
        """Keep again what was forgotten last; where it was said is not known any more."""
        if self.forgotten is not None:
            self.add(self.forgotten.statement.text, self.forgotten.scope)

    def _change(self, method: str, *args: object) -> None:
        self.forgotten = None
        self._session.bridge.call(method, *args, done=lambda _new: self.refresh(), failed=self._session.tell)

    def _take(self, memories: tuple[Memory, ...]) -> None:
        self.memories = tuple(memories)
        self.changed.emit()

    def _engine_changed(self, state: EngineState, _message: str) -> None:
        if state is EngineState.READY:
            self.refresh()
        elif state is EngineState.STARTING:
            self.memories, self.forgotten = (), None
            self.changed.emit()
