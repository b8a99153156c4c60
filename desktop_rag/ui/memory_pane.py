"""What is kept in mind, for whom it holds and where it was said, and what the model was told of it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop_rag.core.answers import Answer
from desktop_rag.core.memories import Memory, MemoryScope
from desktop_rag.ui.combo import QuietCombo
from desktop_rag.ui.kept import Kept
from desktop_rag.ui.session import Session
from desktop_rag.ui.theme import SPACE_4, SPACE_8, SPACE_12, SPACE_16, SPACE_24, Theme
from desktop_rag.ui.widgets import ElidedLabel, IconButton, Paragraph, TextButton, label

_SCOPES = (MemoryScope.WORKSPACE, MemoryScope.USER)


class ScopeBox(QuietCombo):
    """A choice of whom something holds for."""

    def __init__(self, theme: Theme, name: str, scope: MemoryScope) -> None:
        super().__init__(theme)
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.addItems([self.tr("In this workspace"), self.tr("Everywhere")])
        self.setCurrentIndex(_SCOPES.index(scope))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    @property
    def scope(self) -> MemoryScope:
        """What is chosen."""
        return _SCOPES[self.currentIndex()]


class SaidIn(TextButton):
    """Leads to where something was said; shortens its words to the room it has."""

    def __init__(self, theme: Theme) -> None:
        tip = QCoreApplication.translate("SaidIn", "Go to where it was said")
        super().__init__(theme, "chat-circle", "", tip=tip)
        self._where = tip
        self.words = ""
        self._bare = super().sizeHint()
        self.hide()

    def say(self, words: str) -> None:
        """Show these words, or nothing where there are none."""
        if words != self.words:
            self.words = words
            self.setToolTip(f"{words}\n{self._where}")
            self.setVisible(bool(words))
            self.updateGeometry()
            self._shorten()

    def sizeHint(self) -> QSize:
        """Return the room that all of the words take."""
        width = self._bare.width() + self.fontMetrics().horizontalAdvance(self.words) + SPACE_12
        return QSize(width, self._bare.height())

    def minimumSizeHint(self) -> QSize:
        """Return the least room."""
        return QSize(72, self._bare.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much as there is room for."""
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        room = self.width() - self._bare.width() - SPACE_4
        self.setText(self.fontMetrics().elidedText(self.words, Qt.TextElideMode.ElideRight, max(24, room)))


class MemoryRow(QFrame):
    """One statement: read it, edit it in place, let it hold elsewhere, forget it."""

    changed = Signal(str, object)
    """Other words, and the scope."""
    forgotten = Signal()
    said_wanted = Signal(str)
    """The conversation in which it was said."""

    def __init__(self, theme: Theme, memory: Memory) -> None:
        super().__init__()
        self.memory = memory
        self.setObjectName("memory")
        self.text = Paragraph()
        self.text.set_text(memory.statement.text)
        self.edit = QLineEdit(memory.statement.text)
        self.edit.setAccessibleName(self.tr("Other words for this"))
        self.edit.installEventFilter(self)
        self.edit.hide()
        self.scope = ScopeBox(theme, self.tr("For whom this holds"), memory.scope)
        self.said = SaidIn(theme)
        self.edit_button = IconButton(theme, "pencil-simple", self.tr("Edit"), size_px=16)
        self.forget_button = IconButton(theme, "trash", self.tr("Forget"), size_px=16)
        self._lay_out()
        self.scope.activated.connect(lambda _at: self.changed.emit(self.memory.statement.text, self.scope.scope))
        self.said.clicked.connect(lambda: self.said_wanted.emit(self.memory.thread))
        self.edit_button.clicked.connect(self._edit)
        self.edit.returnPressed.connect(self._save)
        self.forget_button.clicked.connect(self.forgotten)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the words as they were on Esc."""
        # The window listens for Esc too; what is typed into comes first.
        is_key = event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
        if is_key and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            if event.type() is QEvent.Type.KeyPress:
                self._show_edit(False)
            return True
        return super().eventFilter(watched, event)

    def _edit(self) -> None:
        if self.edit.isHidden():
            self.edit.setText(self.memory.statement.text)
            self._show_edit(True)
            self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            self.edit.selectAll()
        else:
            self._save()

    def _save(self) -> None:
        text = self.edit.text().strip()
        self._show_edit(False)
        if text and text != self.memory.statement.text:
            self.changed.emit(text, self.memory.scope)

    def _show_edit(self, shown: bool) -> None:
        self.edit.setVisible(shown)
        self.text.setVisible(not shown)
        self.edit_button.wear("check" if shown else "pencil-simple")
        self.edit_button.say(self.tr("Keep these words") if shown else self.tr("Edit"))
        if not shown:
            self.edit_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        words = QHBoxLayout()
        words.addWidget(self.text, 1)
        words.addWidget(self.edit, 1)
        words.addWidget(self.edit_button, 0, Qt.AlignmentFlag.AlignTop)
        words.addWidget(self.forget_button, 0, Qt.AlignmentFlag.AlignTop)
        self.said.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        below = QHBoxLayout()
        below.addWidget(self.scope)
        below.addWidget(self.said)
        below.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_16, SPACE_12, SPACE_8, SPACE_8)
        column.setSpacing(SPACE_4)
        column.addLayout(words)
        column.addLayout(below)


class MemoryPane(QWidget):
    """The list, a field for more, and below what went into the answer that is shown."""

    thread_wanted = Signal(str)

    def __init__(self, theme: Theme, session: Session) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Memory"))
        self._theme, self._session = theme, session
        self.kept = Kept(session)
        self.rows: list[MemoryRow] = []
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("“Q means fiscal quarter”, “answer in German”…"))
        self.field.setAccessibleName(self.tr("Something to keep in mind"))
        self.scope = ScopeBox(theme, self.tr("For whom it shall hold"), MemoryScope.WORKSPACE)
        self.add_button = QPushButton(self.tr("Keep"))
        self.none = label(
            self.tr("Nothing is kept in mind yet. Say it in a question, or type it here."), "small", wrap=True
        )
        self.undo_line, self.undo_text = QWidget(), ElidedLabel("", "small")
        self.undo_button = TextButton(theme, "arrow-counter-clockwise", self.tr("Keep it after all"))
        self.given_title = label(self.tr("Given to the model for this answer"), "heading")
        self.given = Paragraph("muted")
        self._lay_out()
        self.field.returnPressed.connect(self._add)
        self.add_button.clicked.connect(self._add)
        self.undo_button.clicked.connect(self.kept.bring_back)
        self.kept.changed.connect(self.refresh)
        session.threads_changed.connect(lambda _threads: self.refresh())
        self.take_answer(None)
        self.refresh()

    def take_answer(self, answer: Answer | None) -> None:
        """Show what the model was told for this answer, besides the quotes and the question."""
        if answer is None:
            text = self.tr("No answer is shown.")
        elif answer.given:
            text = "\n".join(answer.given)
        else:
            text = self.tr("Nothing but the quotes and the question.")
        self.given.set_text(text)
        if answer is not None and answer.noted:
            self.kept.refresh()

    def refresh(self) -> None:
        """Show the statements; a row that did not change stays, and whoever edits it goes on."""
        present = {row.memory.id: row for row in self.rows}
        rows = []
        for memory in self.kept.memories:
            row = present.get(memory.id)
            if row is None or row.memory != memory:
                row = self._row(memory)
            row.said.say(self._said_in(memory))
            rows.append(row)
        for old in self.rows:
            if old not in rows:
                self._list.removeWidget(old)
                old.deleteLater()
        for at, row in enumerate(rows):
            self._list.insertWidget(at, row)
        self.rows = rows
        self.none.setVisible(not self.rows)
        forgotten = self.kept.forgotten
        self.undo_line.setVisible(forgotten is not None)
        if forgotten is not None:
            self.undo_text.set_text(self.tr("Forgotten: “{text}”").format(text=forgotten.statement.text))

    def _row(self, memory: Memory) -> MemoryRow:
        row = MemoryRow(self._theme, memory)
        row.changed.connect(lambda text, scope: self.kept.change(memory, text, scope))
        row.forgotten.connect(lambda: self.kept.forget(memory))
        row.said_wanted.connect(self.thread_wanted)
        return row

    def _said_in(self, memory: Memory) -> str:
        if not memory.thread:
            return ""
        # A conversation that a search hides, or that was deleted, has no title here.
        title = next((thread.title for thread in self._session.threads if thread.id == memory.thread), "")
        if not title:
            return self.tr("said in a conversation")
        return self.tr("said in “{title}”").format(title=title)

    def _add(self) -> None:
        text = self.field.text().strip()
        if text:
            self.kept.add(text, self.scope.scope)
            self.field.clear()

    def _lay_out(self) -> None:
        adding = QHBoxLayout()
        adding.setSpacing(SPACE_8)
        adding.addWidget(self.scope)
        adding.addStretch(1)
        adding.addWidget(self.add_button)
        undo = QHBoxLayout(self.undo_line)
        undo.setContentsMargins(0, 0, 0, 0)
        undo.addWidget(self.undo_text, 1)
        undo.addWidget(self.undo_button)
        inside = QWidget()
        body = QVBoxLayout(inside)
        body.setContentsMargins(SPACE_16, SPACE_16, SPACE_16, SPACE_16)
        body.setSpacing(SPACE_8)
        body.addWidget(label(self.tr("Kept in mind"), "heading"))
        body.addWidget(self.field)
        body.addLayout(adding)
        body.addWidget(self.none)
        body.addWidget(self.undo_line)
        self._list = QVBoxLayout()
        self._list.setSpacing(SPACE_8)
        body.addLayout(self._list)
        body.addSpacing(SPACE_24)
        body.addWidget(self.given_title)
        body.addWidget(self.given)
        body.addStretch(1)
        scroller = QScrollArea()
        scroller.setFrameShape(QFrame.Shape.NoFrame)
        scroller.setWidgetResizable(True)
        scroller.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroller.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroller.setWidget(inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scroller)
