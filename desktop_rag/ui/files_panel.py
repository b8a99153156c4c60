"""Every file with its state and the reason for it, and what can be done with it: again, or before the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from desktop_rag.core.ledger import FileRow, FileState, Ledger, StageState
from desktop_rag.ui import wording
from desktop_rag.ui.files_model import (
    NAME,
    PAGES,
    SIZE,
    STATE,
    TAGS,
    TO_COME,
    TROUBLE_FIRST,
    FilesModel,
    PathDelegate,
)
from desktop_rag.ui.read_whole import ReadWholeDialog
from desktop_rag.ui.session import Session
from desktop_rag.ui.tag_menu import add_tag_menu
from desktop_rag.ui.theme import SPACE_8, SPACE_16, SPACE_24, Theme
from desktop_rag.ui.widgets import label

_ROW_PX = 32
_REFRESH_MS = 1500
_CAN_BE_READ = frozenset(FileState) - {FileState.IGNORED, FileState.OFFLINE, FileState.NEEDS_PASSWORD}


class FilesPanel(QDialog):
    """A window of its own, not modal: it may stay open beside the conversation."""

    password_wanted = Signal(object)
    """The FileRow whose password a person wants to enter."""

    read_wanted = Signal(str, object)
    """A question, and the SectionPlace that shall be read as a whole for it."""

    def __init__(self, theme: Theme, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._session = session
        self.setWindowTitle(self.tr("Files in {workspace}").format(workspace=session.workspace))
        self.resize(1120, 600)
        self.model = FilesModel(theme)
        self.table = self._make_table()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(self.tr("Filter by name, state, tag or reason"))
        self.filter.setAccessibleName(self.tr("Filter the files"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self.model.keep)
        self.summary = label("", "muted")
        self.detail = label("", "muted", wrap=True)
        self.first_button = self._button(self.tr("Read first"), self._session.read_first)
        self.again_button = self._button(self.tr("Try again"), self._session.retry)
        self.password_button = QPushButton(self.tr("Enter password …"))
        self.password_button.setEnabled(False)
        self.password_button.hide()
        self.password_button.clicked.connect(self._want_password)
        self.table.activated.connect(lambda _index: self._want_password())
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_selected())
        self.table.customContextMenuRequested.connect(self._show_menu)
        self.model.modelReset.connect(self._show_selected)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_REFRESH_MS)
        self._delay.timeout.connect(self._ask)
        session.ledger_changed.connect(self._changed)
        self._lay_out()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the ledger."""
        super().showEvent(event)
        self.setWindowTitle(self.tr("Files in {workspace}").format(workspace=self._session.workspace))
        self._ask()

    def take(self, ledger: Ledger) -> None:
        """Show a ledger; the chosen files stay chosen, and the list stays where it was scrolled to."""
        chosen = {row.document for row in self._chosen()}
        scrolled = self.table.verticalScrollBar().value()
        self.model.take(ledger.files)
        self._choose(chosen)
        self.table.verticalScrollBar().setValue(scrolled)
        totals = ledger.totals()
        parts = [wording.plural(totals["files"], self.tr("file"), self.tr("files"))]
        notable = [state for state in TROUBLE_FIRST if state is not FileState.INDEXED and totals.get(str(state))]
        parts += [f"{wording.count(totals[str(state)])} {wording.file_look(state).word.lower()}" for state in notable]
        self.summary.setText(" · ".join(parts))

    def file_menu(self) -> QMenu:
        """Return the menu of the chosen files."""
        menu = QMenu(self)
        for button in (self.first_button, self.again_button):
            action = menu.addAction(button.text())
            action.setEnabled(button.isEnabled())
            action.triggered.connect(button.click)
        rows = self._chosen()
        documents = [row.document for row in rows]
        add_tag_menu(
            menu,
            self._session.tags,
            [row.tags for row in rows],
            lambda tag, on: self._session.set_tag(documents, tag, on),
            self,
        )
        whole = menu.addAction(self.tr("Read as a whole …"))
        row = self._selected()
        whole.setEnabled(row is not None and bool(row.elements))
        whole.triggered.connect(lambda: self._read_whole(row) if row is not None else None)
        return menu

    def _read_whole(self, row: FileRow) -> None:
        ReadWholeDialog(self._theme, self._session, row, self.read_wanted.emit, self).open()

    def _show_menu(self, at: QPoint) -> None:
        menu = self.file_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.table.viewport().mapToGlobal(at))

    def _chosen(self) -> list[FileRow]:
        return [self.model.row_at(index) for index in self.table.selectionModel().selectedRows()]

    def _choose(self, documents: Collection[str]) -> None:
        found = QItemSelection()
        for line in self.model.lines_of(documents):
            index = self.model.index(line, STATE)
            found.select(index, index)
        if not found.isEmpty():
            model, flags = self.table.selectionModel(), QItemSelectionModel.SelectionFlag
            model.setCurrentIndex(found.indexes()[0], flags.NoUpdate)
            model.select(found, flags.ClearAndSelect | flags.Rows)

    def _selected(self) -> FileRow | None:
        rows = self._chosen()
        return rows[0] if rows else None

    def _show_selected(self) -> None:
        self._show_password_button()
        rows = self._chosen()
        self.again_button.setEnabled(any(row.state in _CAN_BE_READ for row in rows))
        self.first_button.setEnabled(any(StageState.PENDING in row.stages.values() for row in rows))
        if len(rows) == 1:
            told = [rows[0].file, rows[0].reason, wording.stages_told(rows[0])]
            self.detail.setText("\n".join(part for part in told if part))
        else:
            chosen = wording.plural(len(rows), self.tr("file"), self.tr("files"))
            self.detail.setText(self.tr("{files} chosen").format(files=chosen) if rows else "")

    def _show_password_button(self) -> None:
        row = self._selected()
        self.password_button.setEnabled(row is not None and row.locked)
        self.password_button.setVisible(self.model.has_locked)

    def _want_password(self) -> None:
        row = self._selected()
        if row is not None and row.locked:
            self.password_wanted.emit(row)

    def _button(self, text: str, do: Callable[[Sequence[str]], None]) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.setEnabled(False)
        button.clicked.connect(lambda _checked: do([row.document for row in self._chosen()]))
        return button

    def _changed(self) -> None:
        if self.isVisible() and not self._delay.isActive():
            self._delay.start()

    def _ask(self) -> None:
        self._session.bridge.call("status", done=self.take)

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setAccessibleName(self.tr("Files and their states"))
        table.setSortingEnabled(True)
        table.sortByColumn(STATE, Qt.SortOrder.AscendingOrder)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setTabKeyNavigation(False)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalHeader().setDefaultSectionSize(_ROW_PX)
        table.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setAccessibleName(self.tr("Columns"))
        header.setStretchLastSection(True)
        table.setItemDelegateForColumn(NAME, PathDelegate(table))
        for column, width in ((STATE, 184), (NAME, 320), (PAGES, 64), (SIZE, 80), (TO_COME, 120), (TAGS, 96)):
            header.resizeSection(column, width)
        return table

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(SPACE_16)
        top.addWidget(self.filter, 1)
        top.addWidget(self.summary)
        top.addWidget(self.password_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_24, SPACE_24, SPACE_24, SPACE_16)
        column.setSpacing(SPACE_8)
        column.addLayout(top)
        column.addWidget(self.table, 1)
        bottom = QHBoxLayout()
        bottom.setSpacing(SPACE_8)
        bottom.addWidget(self.detail, 1)
        bottom.addWidget(self.first_button, 0, Qt.AlignmentFlag.AlignTop)
        bottom.addWidget(self.again_button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(bottom)
