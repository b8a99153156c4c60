"""The left side: the workspace, its watched folders, and the conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from desktop_rag.core.answers import Thread
from desktop_rag.core.ledger import FolderRow
from desktop_rag.core.reports import ModelInfo
from desktop_rag.ui import wording
from desktop_rag.ui.icons import icon
from desktop_rag.ui.rows import Row, RowList
from desktop_rag.ui.tag_menu import add_tag_menu
from desktop_rag.ui.theme import SPACE_4, SPACE_8, SPACE_12, Theme
from desktop_rag.ui.widgets import ElidedButton, IconButton, TextButton, hairline, label

SEARCH_DELAY_MS = 200


class Sidebar(QWidget):
    """Says by signals what a person wants; shows what it is given."""

    add_folder = Signal()
    add_files = Signal()
    show_files = Signal(str)
    """What their list begins with as its filter: the path of a folder, or "" for all files."""
    folder_removed = Signal(object)
    folder_opened = Signal(object)
    folder_rules = Signal(object)
    folder_pages = Signal(object)
    folder_tagged = Signal(object, str, bool)
    """A watched folder, a tag, and whether it shall have it."""
    workspaces_wanted = Signal()
    models_wanted = Signal()
    thread_chosen = Signal(str)
    thread_deleted = Signal(str)
    thread_renamed = Signal(str)
    thread_exported = Signal(str, str)
    """A conversation, and the ending of the file that it shall become: "md" or "html"."""
    new_thread = Signal()
    searched = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Folders and conversations"))
        self._theme = theme
        self._folder_rows: dict[str, FolderRow] = {}
        self._tags: tuple[str, ...] = ()
        self.workspace_button = self._make_workspace_button()
        self.folders = RowList(theme, self.tr("Watched folders"), fits=True)
        self.folders.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.no_folders = label(self.tr("Nothing is watched yet."), "small", wrap=True)
        self.files_button = IconButton(theme, "list-bullets", self.tr("Show every file and its state"), size_px=16)
        self.add_button = TextButton(theme, "plus", self.tr("Add folder"), tip=self.tr("Watch a folder"))
        self.add_files_button = IconButton(theme, "file-plus", self.tr("Add single files"), size_px=16)
        self.threads = RowList(theme, self.tr("Conversations"))
        self.search_button = IconButton(
            theme, "magnifying-glass", self.tr("Search conversations"), shortcut="Ctrl+Shift+F", size_px=16
        )
        self.new_button = IconButton(theme, "note-pencil", self.tr("New conversation"), shortcut="Ctrl+N", size_px=16)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search conversations"))
        self.search.setAccessibleName(self.tr("Search conversations"))
        self.search.setClearButtonEnabled(True)
        self.search.hide()
        self.model_line = ElidedButton(self.tr("See and choose the models"))
        self.menu_button = IconButton(theme, "gear", self.tr("Appearance and help"), size_px=16)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(SEARCH_DELAY_MS)
        self._lay_out()
        self._connect()
        self.take_folders((), known=False)

    def take_folders(self, folders: Sequence[FolderRow], known: bool = True) -> None:
        """Show the watched folders; while they are not ``known``, nothing is said of them."""
        self._folder_rows = {str(row.id): row for row in folders}
        rows = []
        for folder in folders:
            look, name = wording.folder_look(folder), wording.file_name(folder.path)
            spoken = f"{name}, {wording.folder_count(folder)}, {look.word}"
            tags = self.tr("Tags: {tags}").format(tags=", ".join(folder.tags)) if folder.tags else ""
            tip = "\n".join(part for part in (folder.path, look.word, tags) if part)
            rows.append(Row(str(folder.id), name, wording.folder_count(folder), look.icon, look.colour, tip, spoken))
        self.folders.take(rows)
        self.folders.setVisible(bool(rows))
        self.no_folders.setVisible(known and not rows)

    def take_tags(self, names: Sequence[str]) -> None:
        """Know which tags there are."""
        self._tags = tuple(names)

    def take_threads(self, threads: Sequence[Thread], present: str | None) -> None:
        """Show the conversations, with the present one marked."""
        nothing = self.tr("No conversation has these words.") if self.search.text() else ""
        self.threads.say_nothing(nothing)
        self.threads.take([Row(thread.id, thread.title, tip=thread.title) for thread in threads])
        self.threads.mark(present)

    def take_model(self, model: ModelInfo) -> None:
        """Show which model writes."""
        parts = [model.llm_name, wording.size(model.llm_bytes)] if model.llm_bytes else [self.tr("No chat model")]
        self.model_line.set_text(" · ".join(parts))

    def take_workspaces(self, names: Sequence[str], present: str, choose: Callable[[str], None]) -> None:
        """Fill the menu of workspaces."""
        self.workspace_button.setText(present)
        self.workspace_button.setAccessibleName(self.tr("Workspace {name}").format(name=present))
        menu = self.workspace_button.menu()
        menu.clear()
        for name in names:
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(name == present)
            action.triggered.connect(lambda _checked, chosen=name: choose(chosen))
        menu.addSeparator()
        menu.addAction(self.tr("New workspace…")).triggered.connect(lambda: choose(""))
        menu.addAction(self.tr("Manage workspaces…")).triggered.connect(self.workspaces_wanted)

    def open_search(self) -> None:
        """Show the search field and go to it."""
        self.search.show()
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _make_workspace_button(self) -> QToolButton:
        button = QToolButton()
        button.setObjectName("workspaceButton")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip(self.tr("Change the workspace"))
        menu = QMenu(button)
        menu.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        button.setMenu(menu)
        return button

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_12, SPACE_12, SPACE_12, SPACE_8)
        column.setSpacing(SPACE_4)
        top = QHBoxLayout()
        top.addWidget(self.workspace_button)
        top.addStretch(1)
        column.addLayout(top)
        column.addSpacing(SPACE_12)
        column.addLayout(self._heading(self.tr("Watched folders"), self.files_button))
        column.addWidget(self.folders)
        self.no_folders.setContentsMargins(SPACE_8, SPACE_4, SPACE_8, SPACE_4)
        column.addWidget(self.no_folders)
        adding = QHBoxLayout()
        adding.addWidget(self.add_button)
        adding.addStretch(1)
        adding.addWidget(self.add_files_button)
        column.addLayout(adding)
        column.addSpacing(SPACE_12)
        column.addLayout(self._heading(self.tr("Conversations"), self.search_button, self.new_button))
        column.addWidget(self.search)
        column.addWidget(self.threads, 1)
        column.addWidget(hairline())
        bottom = QHBoxLayout()
        bottom.setContentsMargins(0, SPACE_4, 0, 0)
        bottom.addWidget(self.model_line, 1)
        bottom.addWidget(self.menu_button)
        column.addLayout(bottom)

    def _heading(self, text: str, *buttons: QWidget) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(SPACE_8, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(label(text, "heading"))
        row.addStretch(1)
        for button in buttons:
            row.addWidget(button)
        return row

    def _connect(self) -> None:
        self.add_button.clicked.connect(self.add_folder)
        self.add_files_button.clicked.connect(self.add_files)
        self.files_button.clicked.connect(lambda: self.show_files.emit(""))
        self.new_button.clicked.connect(self.new_thread)
        self.search_button.clicked.connect(self._toggle_search)
        self.search.textChanged.connect(lambda _text: self._delay.start())
        self._delay.timeout.connect(lambda: self.searched.emit(self.search.text()))
        self.model_line.clicked.connect(self.models_wanted)
        self.threads.chosen.connect(self.thread_chosen)
        self.threads.menu_wanted.connect(self._thread_menu)
        self.folders.menu_wanted.connect(self._folder_menu)
        self.folders.activated.connect(
            lambda index: self.show_files.emit(self._folder_rows[self.folders.rows.rows[index.row()].key].path)
        )
        self._theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self.workspace_button.setIcon(icon("caret-down", self._theme.tokens.muted))

    def _toggle_search(self) -> None:
        if self.search.isVisible():
            self.search.clear()
            self.search.hide()
        else:
            self.open_search()

    def _folder_menu(self, key: str, at: QPoint) -> None:
        menu = self.folder_menu(key)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def folder_menu(self, key: str) -> QMenu:
        """Return the menu of a watched folder."""
        row = self._folder_rows[key]
        menu = QMenu(self)
        menu.addAction(self.tr("Show in the file manager")).triggered.connect(lambda: self.folder_opened.emit(row))
        menu.addAction(self.tr("Show its files and their states")).triggered.connect(
            lambda: self.show_files.emit(row.path)
        )
        menu.addAction(self.tr("Which files are read…")).triggered.connect(lambda: self.folder_rules.emit(row))
        menu.addAction(self.tr("Look at its pages…")).triggered.connect(lambda: self.folder_pages.emit(row))
        add_tag_menu(menu, self._tags, [row.tags], lambda tag, on: self.folder_tagged.emit(row, tag, on), self)
        menu.addSeparator()
        menu.addAction(self.tr("Stop watching…")).triggered.connect(lambda: self.folder_removed.emit(row))
        return menu

    def _thread_menu(self, key: str, at: QPoint) -> None:
        menu = self.thread_menu(key)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def thread_menu(self, key: str) -> QMenu:
        """Return the menu of a conversation."""
        menu = QMenu(self)
        menu.addAction(self.tr("Rename…")).triggered.connect(lambda: self.thread_renamed.emit(key))
        for text, ending in ((self.tr("Export as Markdown…"), "md"), (self.tr("Export with page pictures…"), "html")):
            export = menu.addAction(text)
            export.triggered.connect(lambda _checked, chosen=ending: self.thread_exported.emit(key, chosen))
        menu.addAction(self.tr("Delete")).triggered.connect(lambda: self.thread_deleted.emit(key))
        return menu
