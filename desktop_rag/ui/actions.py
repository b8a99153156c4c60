"""Everything that a key does, listed once: shortcuts, the help sheet and the palette are made from the same table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from desktop_rag.ui.rows import Row, RowList
from desktop_rag.ui.theme import SPACE_4, SPACE_8, SPACE_12, SPACE_24, SPACE_32, Theme
from desktop_rag.ui.widgets import label


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do: its words, its keys (none when another part listens for them), its function."""

    text: str
    keys: tuple[str, ...]
    run: Callable[[], None]
    listens: bool = True
    """Whether the window must listen for the keys; the question field listens for some itself."""


def key_text(keys: str) -> str:
    """Return keys as this platform writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def bind(window: QWidget, actions: Sequence[Action]) -> None:
    """Make the shortcuts of ``actions`` in ``window``."""
    for action in actions:
        for keys in action.keys if action.listens else ():
            shortcut = QShortcut(QKeySequence(keys), window)
            shortcut.activated.connect(action.run)


class HelpSheet(QDialog):
    """The shortcuts."""

    def __init__(self, actions: Sequence[Action], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_32)
        grid.setVerticalSpacing(SPACE_8)
        grid.setColumnStretch(0, 1)
        for row, action in enumerate(item for item in actions if item.keys):
            grid.addWidget(label(action.text), row, 0)
            grid.addLayout(_keys(action.keys), row, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_32, SPACE_24, SPACE_32, SPACE_24)
        column.setSpacing(SPACE_12)
        column.addWidget(label(self.tr("Keyboard"), "question"))
        column.addLayout(grid)
        self.setMinimumWidth(460)


class Palette(QDialog):
    """Every action by name."""

    picked = Signal(str)

    def __init__(self, theme: Theme, actions: Sequence[Action], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Actions"))
        self._actions = {action.text: action for action in actions}
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("What do you want to do?"))
        self.field.setAccessibleName(self.tr("Find an action"))
        self.list = RowList(theme, self.tr("Actions"))
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_12, SPACE_12, SPACE_12, SPACE_12)
        column.setSpacing(SPACE_8)
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        self.resize(480, 380)
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._run_present)
        self.field.installEventFilter(self)
        self.list.chosen.connect(self._run)
        self._filter("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys move in the list while the field keeps the typing."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
            if step:
                self._move(step)
                return True
        return super().eventFilter(watched, event)

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        found = [a for a in self._actions.values() if all(word in a.text.casefold() for word in words)]
        self.list.say_nothing(self.tr("Nothing that can be done is called that."))
        self.list.take([Row(a.text, a.text, key_text(a.keys[0]) if a.keys else "") for a in found])
        if found:
            self.list.mark(found[0].text)

    def _move(self, step: int) -> None:
        count = len(self.list.rows.rows)
        if count:
            row = (self.list.currentIndex().row() + step) % count
            self.list.setCurrentIndex(self.list.rows.index(row))

    def _run_present(self) -> None:
        index = self.list.currentIndex()
        if index.isValid():
            self._run(self.list.rows.rows[index.row()].key)

    def _run(self, text: str) -> None:
        self.accept()
        self._actions[text].run()


def _keys(keys: Sequence[str]) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(SPACE_4)
    row.addStretch(1)
    for one in keys:
        cap = QLabel(key_text(one))
        cap.setObjectName("key")
        row.addWidget(cap)
    return row
