"""The window: puts the parts together and lets them talk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMainWindow, QVBoxLayout, QWidget

from desktop_rag.core.answers import Answer, Evidence
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.ledger import FolderRow
from desktop_rag.core.paths import resource, workspace_names, workspace_paths
from desktop_rag.engine.protocol import Relocation, SyncState
from desktop_rag.ui import wording
from desktop_rag.ui.chat import Chat
from desktop_rag.ui.dialogs import appearance_menu, ask_name, ask_paths
from desktop_rag.ui.drop_overlay import DropOverlay, dropped_paths
from desktop_rag.ui.files_panel import FilesPanel
from desktop_rag.ui.header import Header
from desktop_rag.ui.locked_files import LockedFiles
from desktop_rag.ui.models import Models
from desktop_rag.ui.panes import Panes
from desktop_rag.ui.pictures import Pictures
from desktop_rag.ui.relocating import Relocating
from desktop_rag.ui.results import Results, Tab
from desktop_rag.ui.session import EngineState, Session
from desktop_rag.ui.sidebar import Sidebar
from desktop_rag.ui.sidebar_actions import SidebarActions
from desktop_rag.ui.status_bar import StatusBar
from desktop_rag.ui.suggestions import Suggestions
from desktop_rag.ui.theme import Theme, ThemeName
from desktop_rag.ui.welcome import WelcomeState
from desktop_rag.ui.widgets import Banner
from desktop_rag.ui.window_actions import WindowActions
from desktop_rag.ui.window_state import WindowState

_SIZE = (1440, 900)
_LEAST_SIZE = (860, 560)
_GOOD_NEWS_MS = 8000


class MainWindow(QMainWindow):
    """One workspace at a time; drop folders or files anywhere."""

    def __init__(self, theme: Theme, session: Session, state: WindowState, base: Path | None = None) -> None:
        super().__init__()
        self.theme, self.session, self.state, self._base = theme, session, state, base
        self._wants_results, self._lost = True, False
        self._wanted_thread: str | None = None
        self.pictures = Pictures(session.bridge)
        self.banner = Banner(theme)
        self.locked = LockedFiles(theme, session, self.pictures, self)
        self.sidebar = Sidebar(theme)
        self.header = Header(theme)
        self.chat = Chat(theme, session, self.pictures)
        self.suggestions = Suggestions(session, self.chat, self)
        self.results = Results(theme, session, self.pictures)
        self.status = StatusBar(theme)
        self.overlay = DropOverlay(theme, self)
        self.files: FilesPanel | None = None
        self.models = Models(session)
        self.menus = SidebarActions(
            session, self.models, self, self._leave_thread, lambda text: self.banner.say(text, "plain")
        )
        self._lay_out()
        self._connect()
        self._relocating = Relocating(session, state, self.banner, self.open_workspace, self)
        self.shortcuts = WindowActions(self)
        self.sidebar.menu_button.setMenu(
            appearance_menu(self, theme, self._choose_theme, self.shortcuts.show_help, self.show_models)
        )
        self.setAcceptDrops(True)
        self.setMinimumSize(*_LEAST_SIZE)
        self._restore()
        self.focus_question()
        self.show_results(False)

    def open_workspace(self, name: str, relocation: Relocation | None = None) -> None:
        """Leave this workspace and open another one, after it was renamed or moved if that is asked for."""
        try:
            workspace_paths(name, self._base)
        except UserFacingError as error:
            self.banner.say(str(error), "bad")
            return
        self.banner.hide()
        self.pictures.leave()
        self.locked.forget()
        self.chat.new_thread()
        self.status.take_state(SyncState.IDLE)
        self.status.say_idle("")
        self._wanted_thread = self.state.thread(name)
        self.session.open(name, relocation)
        self.state.workspace = name
        self._list_workspaces()
        self.setWindowTitle(self.tr("{workspace} – Desktop RAG").format(workspace=name))
        self._refresh_welcome()

    def show_results(self, shown: bool) -> None:
        """Open or close the right pane."""
        self.panes.show_results(shown)
        self.header.set_results(shown)

    def add_folder(self) -> None:
        """Let a person choose a folder to watch."""
        ask_paths(self, self.tr("Watch a folder"), QFileDialog.FileMode.Directory, self.session.add_paths)

    def add_files(self) -> None:
        """Let a person choose files to watch."""
        ask_paths(self, self.tr("Watch files"), QFileDialog.FileMode.ExistingFiles, self.session.add_paths)

    def use_samples(self) -> None:
        """Watch the sample documents that come with the program."""
        try:
            self.session.add_paths([str(resource("samples"))])
        except FileNotFoundError as error:
            self.banner.say(str(error), "bad")

    def show_files(self, words: str = "") -> None:
        """Show every file with its state; with ``words``, those that have them in their path, state, tags or reason."""
        if self.files is None:
            self.files = FilesPanel(self.theme, self.session, self)
            self.files.password_wanted.connect(self.locked.ask)
            self.files.read_wanted.connect(lambda text, place: self.chat.ask(text, section=place))
        self.files.filter.setText(words)
        self.files.show()
        self.files.raise_()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Say what dropping will do."""
        paths = dropped_paths(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.overlay.offer(paths, self.session.workspace)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Nothing will be dropped."""
        self.overlay.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Watch what was dropped."""
        self.overlay.hide()
        paths = dropped_paths(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.session.add_paths(paths)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the overlay over everything."""
        super().resizeEvent(event)
        self.overlay.setGeometry(self.rect())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember how everything stood, and end the engine."""
        self.state.set_layout("window", self.saveGeometry())
        self.state.set_layout("panes", self.panes.saveState())
        self.state.set_layout("results", self.results.splitter.saveState())
        self.state.set_thread(self.session.workspace, self.chat.thread_id)
        self.hide()
        self.session.bridge.close()
        super().closeEvent(event)

    def _engine_changed(self, state: EngineState, message: str) -> None:
        came_back = state is EngineState.READY and self._lost
        self._lost = state in (EngineState.RESTARTING, EngineState.GONE) or (
            self._lost and state is EngineState.STARTING
        )
        if state is EngineState.RESTARTING:
            self.banner.say(message, "warn")
        elif state is EngineState.GONE:
            self.banner.say(message, "bad", self.tr("Start again"))
        elif came_back:
            self.banner.say(self.tr("The engine is running again. Nothing was lost."), "plain")
            QTimer.singleShot(_GOOD_NEWS_MS, self.banner, self.banner.hide)
        if state is not EngineState.READY:
            self.status.take_state(SyncState.IDLE)
        if state is EngineState.REFUSED:
            self.chat.new_thread()
        self._refresh_welcome(message)

    def _refresh_welcome(self, message: str = "") -> None:
        session, welcome = self.session, self.chat.welcome
        if session.engine is EngineState.REFUSED or session.engine is EngineState.GONE:
            welcome.show_state(WelcomeState.BLOCKED, message or session.engine_message)
        elif not session.folders_known:
            welcome.show_state(WelcomeState.STARTING)
        elif not session.folders:
            welcome.show_state(WelcomeState.NOTHING)
        elif session.sync is SyncState.PAUSED:
            welcome.show_state(WelcomeState.PAUSED)
        elif session.reading or not session.indexed:
            welcome.show_state(WelcomeState.READING)
        else:
            welcome.show_state(WelcomeState.READY)

    def _take_folders(self, folders: Sequence[FolderRow]) -> None:
        self.sidebar.take_folders(folders, self.session.folders_known)
        self.status.take_watching(bool(self.session.folders))
        self.status.say_idle(wording.folders_told(folders))
        self._refresh_welcome()

    def _take_threads(self) -> None:
        self.chat.adopt_thread()
        wanted = self._wanted_thread
        if self.session.engine is EngineState.READY:
            self._wanted_thread = None
        begun = self.chat.busy or self.chat.turns  # somebody was quicker with a question of another conversation
        if wanted and not begun and any(thread.id == wanted for thread in self.session.threads):
            self.chat.open_thread(wanted)
        self._refresh_thread()

    def _refresh_thread(self) -> None:
        self.sidebar.take_threads(self.session.threads, self.chat.thread_id)
        present = next((t.title for t in self.session.threads if t.id == self.chat.thread_id), "")
        # A conversation of one question needs no title above: the question itself stands there.
        self.header.set_title(present if len(self.chat.turns) > 1 else "")

    def _evidence_found(self, evidence: tuple[Evidence, ...]) -> None:
        self.results.take(evidence, self.chat.marked_question)
        if evidence:
            self.show_results(self._wants_results)
            self.results.show_citation(evidence[0].n)
        elif self.results.tab is Tab.CITATIONS:
            self.show_results(False)

    def _answered(self, answer: Answer) -> None:
        """Turn to the place that the answer cites first, unless the person looks at another one already."""
        cited = next((n for sentence in answer.sentences for n in sentence.citations), None)
        if cited is not None and answer.evidence and self.results.active == answer.evidence[0].n != cited:
            self.results.show_citation(cited)

    def _cited(self, evidence: tuple[Evidence, ...], n: int) -> None:
        self.results.take(evidence, self.chat.marked_question)
        self.show_tab(Tab.CITATIONS)
        self.results.show_citation(n)

    def toggle_results(self) -> None:
        """Open the right pane, or close it, for the questions to come as well."""
        self._wants_results = self.results.isHidden()
        self.show_results(self._wants_results)

    def show_tab(self, tab: Tab) -> None:
        """Show a tab of the right pane."""
        self._wants_results = True
        self.results.show_tab(tab)
        self.show_results(True)

    def _choose_workspace(self, name: str) -> None:
        if not name:
            ask_name(self, self.tr("New workspace"), self.tr("Name"), "", self.open_workspace)
        elif name != self.session.workspace:
            self.open_workspace(name)

    def show_workspaces(self) -> None:
        """Show all workspaces, and what can be done with them."""
        self.menus.show_workspaces(
            self._list_workspaces,
            self.open_workspace,
            lambda wanted: self._relocating.begin(wanted, self.chat.thread_id),
        )

    def show_models(self) -> None:
        """Show all models, and what can be done with them."""
        suggested = self.suggestions.questions
        asked = self.chat.marked_question or (suggested[0] if suggested else "")
        self.menus.show_models(self.theme, asked)

    def _list_workspaces(self) -> None:
        present = self.session.workspace
        names = sorted({*workspace_names(self._base), present})
        self.sidebar.take_workspaces(names, present, self._choose_workspace)

    def _leave_thread(self, key: str) -> None:
        if key == self.chat.thread_id:
            self.chat.new_thread()

    def focus_question(self) -> None:
        """Let the next key go into the question."""
        self.chat.composer.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _choose_theme(self, name: ThemeName) -> None:
        self.state.theme = name
        self.theme.choose(name)

    def new_thread(self) -> None:
        """Begin a conversation."""
        self.chat.new_thread()
        self.focus_question()

    def _restore(self) -> None:
        self.resize(*_SIZE)
        parts: dict[str, Callable[[QByteArray], object]] = {
            "window": self.restoreGeometry,
            "panes": self.panes.restore,
            "results": self.results.splitter.restoreState,
        }
        for name, restore in parts.items():
            stored = self.state.layout(name)
            if stored is not None:
                restore(stored)

    def _lay_out(self) -> None:
        middle = QWidget()
        middle.setObjectName("chat")
        middle_column = QVBoxLayout(middle)
        middle_column.setContentsMargins(0, 0, 0, 0)
        middle_column.setSpacing(0)
        middle_column.addWidget(self.header)
        middle_column.addWidget(self.chat, 1)
        self.panes = Panes(self.sidebar, middle, self.results)
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self.locked.notice)
        column.addWidget(self.panes, 1)
        column.addWidget(self.status)
        self.setCentralWidget(whole)

    def _connect(self) -> None:
        session, sidebar, chat = self.session, self.sidebar, self.chat
        session.engine_changed.connect(self._engine_changed)
        session.folders_changed.connect(self._take_folders)
        session.threads_changed.connect(lambda _threads: self._take_threads())
        session.model_changed.connect(sidebar.take_model)
        session.progressed.connect(self.status.take_progress)
        session.progressed.connect(lambda _progress: self._refresh_welcome())
        session.progressed.connect(chat.welcome.show_progress)
        session.sync_changed.connect(self.status.take_state)
        session.sync_changed.connect(lambda _state: self._refresh_welcome())
        session.sync_done.connect(lambda done: self.status.take_waiting(done.waiting_for_power))
        session.sync_done.connect(lambda _done: self.pictures.forget())
        session.trouble.connect(lambda text: self.banner.say(text, "bad"))
        self.results.trouble.connect(lambda text: self.banner.say(text, "warn"))
        self.results.marked.connect(chat.mark)
        self.results.wide_wanted.connect(self.panes.widen_results)
        self.results.memory.thread_wanted.connect(chat.open_thread)
        self.results.closed.connect(self.toggle_results)
        self.header.results_wanted.connect(self.toggle_results)
        self.banner.acted.connect(session.restart)
        self.locked.unlocked.connect(lambda _document: self.results.page.refresh())
        self.status.pause_wanted.connect(session.pause)
        sidebar.add_folder.connect(self.add_folder)
        sidebar.add_files.connect(self.add_files)
        sidebar.show_files.connect(self.show_files)
        self.menus.serve(sidebar)
        sidebar.workspaces_wanted.connect(self.show_workspaces)
        sidebar.models_wanted.connect(self.show_models)
        sidebar.thread_chosen.connect(chat.open_thread)
        self.models.fetch_changed.connect(lambda: self.status.take_fetching(self.models.fetching))
        sidebar.new_thread.connect(self.new_thread)
        sidebar.searched.connect(session.search_threads)
        chat.evidence_found.connect(self._evidence_found)
        chat.answered.connect(self._answered)
        chat.shown.connect(self.results.take_turn)
        self.results.compare.conversation = lambda: chat.thread_id
        chat.cited.connect(self._cited)
        chat.thread_changed.connect(self._refresh_thread)
        chat.welcome.add_folder.connect(self.add_folder)
        chat.welcome.use_samples.connect(self.use_samples)
        chat.welcome.retry.connect(session.restart)
