"""The ledger as a table that stays quick with twenty thousand rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from desktop_rag.core.ledger import FileRow, FileState
from desktop_rag.ui import wording
from desktop_rag.ui.icons import icon
from desktop_rag.ui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()
STATE, NAME, PAGES, SIZE, TO_COME, TAGS, REASON = range(7)
TROUBLE_FIRST = (
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

_RANK = {state: rank for rank, state in enumerate(TROUBLE_FIRST)}
_KEYS: tuple[Callable[[FileRow], tuple[object, ...]], ...] = (
    lambda row: (_RANK[row.state], row.file.casefold()),
    lambda row: (row.file.casefold(),),
    lambda row: (row.pages, row.file.casefold()),
    lambda row: (row.bytes, row.file.casefold()),
    lambda row: (wording.stages_to_come(row), row.file.casefold()),
    lambda row: (row.tags, row.file.casefold()),
    lambda row: (row.reason.casefold(), row.file.casefold()),
)


class PathDelegate(QStyledItemDelegate):
    """Shortens a path in its middle: its end is the name of the file."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        """Choose where the text is cut."""
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideMiddle


class FilesModel(QAbstractTableModel):
    """The ledger as a table; nothing is made before it is shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._files: tuple[FileRow, ...] = ()
        self._shown: list[FileRow] = []
        self._words = ""
        self._order = (STATE, False)
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

    def lines_of(self, documents: Collection[str]) -> list[int]:
        """Return the lines of the table that show these documents."""
        return [line for line, row in enumerate(self._shown) if row.document in documents]

    def keep(self, words: str) -> None:
        """Show only the files whose name, state, tags or reason holds ``words``."""
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
        return f"{row.file}\n{wording.file_look(row.state).word}\n{row.reason}\n{', '.join(row.tags)}".casefold()

    def rowCount(self, parent: _Index = _NO_PARENT) -> int:
        """Return the number of files."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: _Index = _NO_PARENT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else 7

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the titles of the columns."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        titles = (
            self.tr("State"),
            self.tr("File"),
            self.tr("Pages"),
            self.tr("Size"),
            self.tr("To come"),
            self.tr("Tags"),
            self.tr("Reason"),
        )
        return titles[section]

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        if not index.isValid():
            return None
        row, column = self._shown[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(row, column)
            case Qt.ItemDataRole.DecorationRole if column == STATE:
                return self._icon(row.state)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(column)
            case Qt.ItemDataRole.ToolTipRole:
                return row.reason if column in (STATE, REASON) and row.reason else row.file
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
            case 4:
                return wording.stages_to_come(row)
            case 5:
                return ", ".join(row.tags)
            case _:
                return row.reason

    def _icon(self, state: FileState) -> QIcon:
        if state not in self._icons:
            look = wording.file_look(state)
            self._icons[state] = icon(look.icon, getattr(self._theme.tokens, look.colour))
        return self._icons[state]

    @staticmethod
    def _alignment(column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in (PAGES, SIZE) else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter
