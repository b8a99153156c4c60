"""What the window knows of the open workspace, and what can be asked of it. No widgets here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_rag.core.answers import Answer, Thread, Turn
from desktop_rag.core.events import AnswerEvent, LedgerChanged, SyncDone, SyncProgress
from desktop_rag.core.heat import HeatMap
from desktop_rag.core.ledger import FolderRow, FolderState
from desktop_rag.core.outline import SectionPlace
from desktop_rag.core.reports import ModelInfo
from desktop_rag.core.rules import FolderRules
from desktop_rag.core.tables import TableData
from desktop_rag.core.tags import TagRow
from desktop_rag.core.types import Route
from desktop_rag.engine.protocol import (
    NOT_RELOCATED,
    EngineLost,
    EngineLostError,
    EngineReady,
    EngineRefused,
    Relocation,
    SyncFailed,
    SyncState,
    SyncStateChanged,
)
from desktop_rag.ui.bridge import Bridge, Call, Failure

REFRESH_MS = 300
"""The folders are asked for at most this often while files change their state."""


class EngineState(StrEnum):
    """Where the engine stands, as the window sees it."""

    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    GONE = "gone"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and how: in which conversation, by which route, with prose or not, ``fresh`` or from memory.

    ``where`` is a filter as terms; see :mod:`desktop_rag.core.filters`. With a ``section`` nothing is searched: it is
    read as a whole.
    """

    text: str
    thread: str | None
    route: Route
    use_model: bool
    fresh: bool = False
    where: str = ""
    section: SectionPlace | None = None


class Session(QObject):
    """The open workspace: its folders, conversations and progress, kept fresh by the engine's events."""

    engine_changed = Signal(object, str)
    """An EngineState and a message for the person (empty while all is well)."""
    folders_changed = Signal(object)
    threads_changed = Signal(object)
    model_changed = Signal(object)
    progressed = Signal(object)
    sync_changed = Signal(object)
    sync_done = Signal(object)
    ledger_changed = Signal()
    tags_changed = Signal()
    narrowed = Signal()
    """Something else is searched from now on; :attr:`where` says what."""
    not_relocated = Signal(str)
    """The workspace could not be renamed or moved, for the reason given."""
    trouble = Signal(str)
    """A failure that needs no dialog: a sentence for the banner."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self.bridge = bridge
        self.engine = EngineState.STARTING
        self.engine_message = ""
        self.folders: tuple[FolderRow, ...] = ()
        self.folders_known = False
        self.threads: tuple[Thread, ...] = ()
        self.model = ModelInfo("", 0, "")
        self.sync = SyncState.IDLE
        self.reading = False
        """Whether files are being read; a sync that only looks for changes reads none."""
        self.thread_search = ""
        self.where = ""
        self.tags: tuple[str, ...] = ()
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(REFRESH_MS)
        self._refresh.timeout.connect(self.ask_folders)
        bridge.told.connect(self._on_event)

    @property
    def workspace(self) -> str:
        """The name of the workspace."""
        return self.bridge.workspace

    @property
    def indexed(self) -> int:
        """How many files can be asked about."""
        return sum(row.ready for row in self.folders)

    def is_offline(self, file: str) -> bool:
        """Return whether a file, as people know it, lies in a folder that cannot be reached now."""
        away = (row.path for row in self.folders if row.state is FolderState.OFFLINE)
        return any(Path(path) in (Path(file), *Path(file).parents) for path in away)

    def open(self, workspace: str, relocation: Relocation | None = None) -> None:
        """Open a workspace, after ``relocation``, leaving the present one."""
        self.folders, self.threads, self.sync = (), (), SyncState.IDLE
        self.folders_known = self.reading = False
        self._set_engine(EngineState.STARTING)
        self.folders_changed.emit(self.folders)
        self.threads_changed.emit(self.threads)
        self.bridge.open(workspace, relocation)

    def restart(self) -> None:
        """Try once more to start the engine."""
        self._set_engine(EngineState.STARTING)
        self.bridge.restart()

    def narrow(self, where: str) -> None:
        """Search only what fits this filter from now on; "" searches everything."""
        if where != self.where:
            self.where = where
            self.narrowed.emit()

    def ask_folders(self) -> None:
        """Ask for the watched folders."""
        self.bridge.call("folders", done=self._take_folders)

    def ask_threads(self) -> None:
        """Ask for the conversations that the present search finds."""
        self.bridge.call("threads", self.thread_search, done=self._take_threads)

    def ask_model(self) -> None:
        """Ask which models are in use."""
        self.bridge.call("model_info", done=self._take_model)

    def look_at_pages(self, folder: FolderRow, looks: bool) -> None:
        """Choose whether the pages of a folder are looked at."""
        self.bridge.call("look_at_pages", folder.id, looks, done=lambda _none: self.ask_folders(), failed=self.tell)

    def search_threads(self, text: str) -> None:
        """Keep only the conversations that hold ``text``."""
        self.thread_search = text
        self.ask_threads()

    def add_paths(self, paths: Sequence[str]) -> None:
        """Watch folders or files."""
        self.bridge.call("add_paths", list(paths), done=lambda _rows: self.ask_folders(), failed=self._not_added)

    def remove_folder(self, folder: FolderRow) -> None:
        """Stop watching a folder; its files leave the index, not the disk."""
        self.bridge.call("remove_folder", folder.id, done=lambda _none: self.ask_folders(), failed=self.tell)

    def set_rules(self, folder: FolderRow, rules: FolderRules) -> None:
        """Choose which files of a folder are read."""
        self.bridge.call("set_rules", folder.id, rules, done=lambda _none: self.ask_folders(), failed=self.tell)

    def read_first(self, documents: Sequence[str]) -> None:
        """Let files go before all others."""
        self.bridge.call("read_first", list(documents), failed=self.tell)

    def retry(self, documents: Sequence[str]) -> None:
        """Read files once more."""
        self.bridge.call("retry", list(documents), failed=self.tell)

    def find_file(self, document: str, found: Callable[[str], None]) -> None:
        """Ask where on the disk a document lies."""
        self.bridge.call("document_path", document, done=found, failed=self.tell)

    def find_table(self, element: str, found: Callable[[TableData], None]) -> None:
        """Ask for the whole table of which an element is a part."""
        self.bridge.call("table_of", element, done=found, failed=self.tell)

    def find_heat(self, question: str, document: str, page: int, found: Callable[[HeatMap | None], None]) -> None:
        """Ask why a page fits a question."""
        self.bridge.call("heat_map", question, document, page, done=found, failed=self.tell)

    def ask_tags(self) -> None:
        """Ask which tags there are."""
        self.bridge.call("tags", done=self._take_tags)

    def set_tag(self, documents: Sequence[str], name: str, wanted: bool) -> None:
        """Give files a tag, or take it from them."""
        method = "tag" if wanted else "untag"
        self.bridge.call(method, list(documents), name, done=lambda _none: self._tagged(), failed=self.tell)

    def set_folder_tag(self, folder: FolderRow, name: str, wanted: bool) -> None:
        """Give a watched folder, and with it all its files, a tag, or take it from it."""
        self.bridge.call(
            "tag_folder", folder.id, name, wanted, done=lambda _none: self._folder_tagged(), failed=self.tell
        )

    def pause(self, paused: bool) -> None:
        """Let the reading of files wait, or go on."""
        self.bridge.call("pause_sync" if paused else "resume_sync", failed=self.tell)

    def turns(self, thread: str, done: Callable[[tuple[Turn, ...]], None]) -> None:
        """Ask for the questions and answers of a conversation."""
        self.bridge.call("turns", thread, done=done, failed=self.tell)

    def rename_thread(self, thread: str, title: str) -> None:
        """Give a conversation another title."""
        self.bridge.call("rename_thread", thread, title, done=lambda _none: self.ask_threads(), failed=self.tell)

    def delete_thread(self, thread: str) -> None:
        """Forget a conversation."""
        self.bridge.call("delete_thread", thread, done=lambda _none: self.ask_threads(), failed=self.tell)

    def ask(
        self,
        question: Question,
        item: Callable[[AnswerEvent], None],
        done: Callable[[Answer], None],
        failed: Callable[[Failure], None],
    ) -> Call | None:
        """Ask a question; what comes of it arrives through the three functions."""
        return self.bridge.call(
            "ask",
            question.text,
            thread=question.thread,
            route=question.route,
            use_model=question.use_model,
            fresh=question.fresh,
            where=question.where or None,
            section=question.section,
            item=item,
            done=done,
            failed=failed,
        )

    def _on_event(self, event: Any) -> None:
        match event:
            case EngineReady():
                self._set_engine(EngineState.READY)
                self.ask_folders()
                self.ask_threads()
                self.ask_model()
                self.ask_tags()
            case EngineLost():
                self._set_engine(EngineState.RESTARTING if event.restarting else EngineState.GONE, event.message)
            case EngineRefused(error=name) if name == NOT_RELOCATED:
                self.not_relocated.emit(event.message)
            case EngineRefused():
                self._set_engine(EngineState.REFUSED, event.message)
            case _:
                self._on_library_event(event)

    def _on_library_event(self, event: Any) -> None:
        match event:
            case SyncProgress():
                self.reading = self.reading or event.progress.total > 0
                self.progressed.emit(event)
            case SyncStateChanged():
                self.sync = event.state
                self.reading = self.reading and event.state is not SyncState.IDLE
                self.sync_changed.emit(event.state)
            case SyncFailed():
                self.trouble.emit(event.message)
            case SyncDone():
                self.sync_done.emit(event)
                self.ask_folders()
                self.ledger_changed.emit()
            case LedgerChanged():
                if not self._refresh.isActive():
                    self._refresh.start()
                self.ledger_changed.emit()

    def _set_engine(self, state: EngineState, message: str = "") -> None:
        self.engine, self.engine_message = state, message
        self.engine_changed.emit(state, message)

    def _take_folders(self, folders: tuple[FolderRow, ...]) -> None:
        self.folders = tuple(folders)
        self.folders_known = True
        self.folders_changed.emit(self.folders)

    def _take_tags(self, rows: tuple[TagRow, ...]) -> None:
        self.tags = tuple(row.name for row in rows)
        self.tags_changed.emit()

    def _tagged(self) -> None:
        self.ask_tags()
        self.ledger_changed.emit()

    def _not_added(self, failure: Failure) -> None:
        """Say it of a lost engine, too: its own message does not tell what became of what was dropped meanwhile."""
        if isinstance(failure.error, EngineLostError):
            self.trouble.emit(self.tr("Nothing was added, as the engine does not run. Add it again once it does."))
        else:
            self.tell(failure)

    def _folder_tagged(self) -> None:
        self.ask_folders()
        self._tagged()

    def _take_threads(self, threads: tuple[Thread, ...]) -> None:
        self.threads = tuple(threads)
        self.threads_changed.emit(self.threads)

    def _take_model(self, model: ModelInfo) -> None:
        self.model = model
        self.model_changed.emit(model)

    def tell(self, failure: Failure) -> None:
        """Say why a call failed, where nobody else does."""
        # A lost engine tells by itself.
        if failure.stopped or isinstance(failure.error, EngineLostError):
            return
        self.trouble.emit(failure.message or self.tr("That did not work. The log of this workspace says more."))
