"""A layout that puts its widgets beside each other, each as wide as it wants to be, and begins a new line when full."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem


class FlowLayout(QLayout):
    """After Qt's own example of a flow layout; ``spacing`` is in pixels, both ways."""

    def __init__(self, margins: QMargins, spacing: int) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(margins)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        """Put one more at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Return how many there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return one of them."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take one of them out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return that no more room is wanted than is needed."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return that the height follows from the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Put all of them in their places."""
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        """Return the least size: a new line costs little."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Return the size of the widest."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.sizeHint())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _place(self, rect: QRect, *, move: bool) -> int:
        margins = self.contentsMargins()
        room = rect.marginsRemoved(margins)
        x, y, line = room.x(), room.y(), 0
        for item in self._items:
            size = item.sizeHint()
            if x > room.x() and x + size.width() > room.right() + 1:
                x, y, line = room.x(), y + line + self.spacing(), 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x, line = x + size.width() + self.spacing(), max(line, size.height())
        return y + line + margins.bottom() - rect.y()
