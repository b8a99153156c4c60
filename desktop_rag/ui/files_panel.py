"""Every file with its state and the reason for it: a table that stays quick with twenty thousand rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from desktop_rag.core.types import FileRow, FileState, Ledger
from desktop_rag.ui import wording
from desktop_rag.ui.icons import icon
from desktop_rag.ui.session import Session
from desktop_rag.ui.theme import SPACE_8, SPACE_16, SPACE_24, Theme
from desktop_rag.ui.widgets import label

_Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()
_STATE, _NAME, _PAGES, _SIZE, _REASON = range(5)
_ROW_PX = 32
_REFRESH_MS = 1500
_TROUBLE_FIRST = (
    FileState.FAILED,
    FileState.NEEDS_PASSWORD,
    FileState.PARTLY,
    FileState.UNSUPPORTED,
    FileState.WORKING,
    FileState.PENDING,
    FileState.OFFLINE,
    FileState.IGNORED,
    FileState.INDEXED,
)

_RANK = {state: rank for rank, state in enumerate(_TROUBLE_FIRST)}
_KEYS: tuple[Callable[[FileRow], tuple[object, ...]], ...] = (
    lambda row: (_RANK[row.state], row.file.casefold()),
    lambda row: (row.file.casefold(),),
    lambda row: (row.pages, row.file.casefold()),
    lambda row: (row.bytes, row.file.casefold()),
    lambda row: (row.reason.casefold(), row.file.casefold()),
)


class FilesModel(QAbstractTableModel):
    """The ledger as a table; nothing is made before it is shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._files: tuple[FileRow, ...] = ()
        self._shown: list[FileRow] = []
        self._words = ""
        self._order = (_STATE, False)
        self._icons: dict[FileState, QIcon] = {}
        theme.changed.connect(self._icons.clear)

    def take(self, files: Sequence[FileRow]) -> None:
        """Show another ledger."""
        self._files = tuple(files)
        self._arrange()

    @property
    def has_locked(self) -> bool:
        """Whether any file waits for its password."""
        return any(row.locked for row in self._files)

    def row_at(self, index: _Index) -> FileRow:
        """Return the file that a line of the table shows."""
        return self._shown[index.row()]

    def keep(self, words: str) -> None:
        """Show only the files whose name, state or reason holds ``words``."""
        self._words = words.casefold()
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Put the files in order; here and not in a proxy, which would ask for every cell again and again."""
        self._order = (column, order is Qt.SortOrder.DescendingOrder)
        self._arrange()

    def _arrange(self) -> None:
        column, backwards = self._order
        self.beginResetModel()
        found = (row for row in self._files if self._words in self._haystack(row)) if self._words else self._files
        self._shown = sorted(found, key=_KEYS[column], reverse=backwards)
        self.endResetModel()

    @staticmethod
    def _haystack(row: FileRow) -> str:
        return f"{row.file}\n{wording.file_look(row.state).word}\n{row.reason}".casefold()

    def rowCount(self, parent: _Index = _NO_PARENT) -> int:
        """Return the number of files."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: _Index = _NO_PARENT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else 5

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the titles of the columns."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        titles = (self.tr("State"), self.tr("File"), self.tr("Pages"), self.tr("Size"), self.tr("Reason"))
        return titles[section]

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        if not index.isValid():
            return None
        row, column = self._shown[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(row, column)
            case Qt.ItemDataRole.DecorationRole if column == _STATE:
                return self._icon(row.state)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(column)
            case Qt.ItemDataRole.ToolTipRole:
                return row.reason if column in (_STATE, _REASON) and row.reason else row.file
            case _:
                return None

    def _text(self, row: FileRow, column: int) -> str:
        match column:
            case 0:
                return wording.file_look(row.state).word
            case 1:
                return row.file
            case 2:
                return wording.count(row.pages) if row.pages else ""
            case 3:
                return wording.size(row.bytes)
            case _:
                return row.reason

    def _icon(self, state: FileState) -> QIcon:
        if state not in self._icons:
            look = wording.file_look(state)
            self._icons[state] = icon(look.icon, getattr(self._theme.tokens, look.colour))
        return self._icons[state]

    @staticmethod
    def _alignment(column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in (_PAGES, _SIZE) else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class FilesPanel(QDialog):
    """A window of its own, not modal: it may stay open beside the conversation."""

    password_wanted = Signal(object)
    """The FileRow whose password a person wants to enter."""

    def __init__(self, theme: Theme, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setWindowTitle(self.tr("Files in {workspace}").format(workspace=session.workspace))
        self.resize(1040, 600)
        self.model = FilesModel(theme)
        self.table = self._make_table()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(self.tr("Filter by name, state or reason"))
        self.filter.setAccessibleName(self.tr("Filter the files"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self.model.keep)
        self.summary = label("", "muted")
        self.password_button = QPushButton(self.tr("Enter password …"))
        self.password_button.setEnabled(False)
        self.password_button.hide()
        self.password_button.clicked.connect(self._want_password)
        self.table.activated.connect(lambda _index: self._want_password())
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_password_button())
        self.model.modelReset.connect(self._show_password_button)
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
        """Show a ledger."""
        self.model.take(ledger.files)
        totals = ledger.totals()
        parts = [wording.plural(totals["files"], self.tr("file"), self.tr("files"))]
        notable = [state for state in _TROUBLE_FIRST if state is not FileState.INDEXED and totals.get(str(state))]
        parts += [f"{wording.count(totals[str(state)])} {wording.file_look(state).word.lower()}" for state in notable]
        self.summary.setText(" · ".join(parts))

    def _selected(self) -> FileRow | None:
        rows = self.table.selectionModel().selectedRows()
        return self.model.row_at(rows[0]) if rows else None

    def _show_password_button(self) -> None:
        row = self._selected()
        self.password_button.setEnabled(row is not None and row.locked)
        self.password_button.setVisible(self.model.has_locked)

    def _want_password(self) -> None:
        row = self._selected()
        if row is not None and row.locked:
            self.password_wanted.emit(row)

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
        table.sortByColumn(_STATE, Qt.SortOrder.AscendingOrder)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalHeader().setDefaultSectionSize(_ROW_PX)
        table.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setAccessibleName(self.tr("Columns"))
        header.setStretchLastSection(True)
        for column, width in ((_STATE, 168), (_NAME, 320), (_PAGES, 72), (_SIZE, 84)):
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
