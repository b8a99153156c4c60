"""Lists of one-line rows with an icon, a text and something short at the end: folders, conversations, actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_rag.ui.icons import icon
from desktop_rag.ui.theme import RADIUS_PX, SMALL_PX, SPACE_8, SPACE_12, Theme

ROW_PX = 32
_ICON_PX = 16
_ROW = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()


@dataclass(frozen=True, slots=True)
class Row:
    """A row: ``key`` tells it from others; ``spoken`` is what a screen reader says."""

    key: str
    text: str
    aside: str = ""
    icon: str = ""
    colour: str = "muted"
    tip: str = ""
    spoken: str = ""


class RowModel(QAbstractListModel):
    """The rows of a list; a new set of rows keeps the selection where the keys stay the same."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[Row, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows."""
        return self._rows

    def take(self, rows: Sequence[Row]) -> None:
        """Show other rows; those whose keys did not change are only repainted."""
        new = tuple(rows)
        if new == self._rows:
            return
        if [row.key for row in new] == [row.key for row in self._rows]:
            self._rows = new
            self.dataChanged.emit(self.index(0), self.index(len(new) - 1))
            return
        self.beginResetModel()
        self._rows = new
        self.endResetModel()

    def rowCount(self, parent: _Index = _NO_PARENT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a view shows or says of a row."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.text
            case Qt.ItemDataRole.ToolTipRole:
                return row.tip or row.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken or " ".join(part for part in (row.text, row.aside) if part)
            case _:
                return row if role == _ROW else None


class _RowDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(80, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row: Row = index.data(_ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect, state = self._parts(option)
        self._paint_back(painter, rect, state)
        inner = rect.adjusted(SPACE_8, 0, -SPACE_8, 0)
        if row.icon:
            self._paint_icon(painter, row, inner)
            inner.setLeft(inner.left() + _ICON_PX + SPACE_8)
        inner.setRight(inner.right() - self._paint_aside(painter, row, inner))
        self._paint_text(painter, row.text, inner, bool(state & QStyle.StateFlag.State_Selected))
        painter.restore()

    def _parts(self, option: QStyleOptionViewItem) -> tuple[QRect, QStyle.StateFlag]:
        # The stubs do not know the fields of a style option.
        values: Any = option
        return values.rect.adjusted(0, 1, 0, -1), values.state

    def _paint_back(self, painter: QPainter, rect: QRect, state: QStyle.StateFlag) -> None:
        tokens = self._theme.tokens
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.pressed if selected else tokens.hover))
            painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)
        if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)

    def _paint_icon(self, painter: QPainter, row: Row, inner: QRect) -> None:
        place = QRect(inner.left(), inner.center().y() - _ICON_PX // 2 + 1, _ICON_PX, _ICON_PX)
        icon(row.icon, getattr(self._theme.tokens, row.colour)).paint(painter, place)

    def _paint_aside(self, painter: QPainter, row: Row, inner: QRect) -> int:
        if not row.aside:
            return 0
        font = QFont(painter.font())
        font.setPixelSize(SMALL_PX)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens.muted))
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(row.aside, Qt.TextElideMode.ElideMiddle, inner.width() // 2)
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)
        return metrics.horizontalAdvance(shown) + SPACE_12

    def _paint_text(self, painter: QPainter, text: str, inner: QRect, strong: bool) -> None:
        font = QFont(painter.font())
        font.setPixelSize(14)
        font.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens.text))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


class RowList(QListView):
    """A list of rows; a click or Enter chooses one, the menu key or the right button asks for its menu."""

    chosen = Signal(str)
    """The key of the row."""
    menu_wanted = Signal(str, QPoint)
    """The key of the row, and where the menu belongs on the screen."""

    def __init__(self, theme: Theme, name: str, *, fits: bool = False) -> None:
        super().__init__()
        self.rows = RowModel()
        self._theme, self._fits, self._nothing = theme, fits, ""
        self.setModel(self.rows)
        self.setItemDelegate(_RowDelegate(theme, self))
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.clicked.connect(lambda index: self._choose(index))
        self.activated.connect(lambda index: self._choose(index))
        self.customContextMenuRequested.connect(self._ask_menu)
        theme.changed.connect(self.viewport().update)

    def take(self, rows: Sequence[Row]) -> None:
        """Show other rows."""
        self.rows.take(rows)
        self.setAccessibleDescription("" if rows else self._nothing)
        self.updateGeometry()

    def say_nothing(self, text: str) -> None:
        """Show ``text`` in the place of the rows while there is none."""
        self._nothing = text
        self.setAccessibleDescription("" if self.rows.rows else text)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or what stands in their place."""
        super().paintEvent(event)
        if self.rows.rows or not self._nothing:
            return
        painter = QPainter(self.viewport())
        font = QFont(self.font())
        font.setPixelSize(SMALL_PX)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens.muted))
        room = self.viewport().rect().adjusted(SPACE_8, SPACE_8, -SPACE_8, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, self._nothing)

    def mark(self, key: str | None) -> None:
        """Show the row of ``key`` as the present one."""
        for at, row in enumerate(self.rows.rows):
            if row.key == key:
                self.setCurrentIndex(self.rows.index(at))
                return
        self.clearSelection()
        self.setCurrentIndex(QModelIndex())

    def sizeHint(self) -> QSize:
        """Ask for as much height as the rows take, where the list shall fit them."""
        if not self._fits:
            return super().sizeHint()
        return QSize(super().sizeHint().width(), max(1, len(self.rows.rows)) * ROW_PX + 2)

    def minimumSizeHint(self) -> QSize:
        """Ask for at least two rows."""
        return QSize(80, min(2, max(1, len(self.rows.rows))) * ROW_PX + 2)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(_ROW).key)

    def _ask_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if index.isValid():
            self.menu_wanted.emit(index.data(_ROW).key, self.viewport().mapToGlobal(at))
