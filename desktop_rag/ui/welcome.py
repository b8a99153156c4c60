"""What stands in the middle before a question is asked: what to do first, or what could be asked."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop_rag.core.events import SyncProgress
from desktop_rag.ui import wording
from desktop_rag.ui.theme import SPACE_4, SPACE_8, SPACE_12, SPACE_16, SPACE_24, Theme
from desktop_rag.ui.widgets import IconLabel, Paragraph, TextButton, WrappedButton, hairline, label

_WIDTH_PX = 560
_LOW_PX = 440
"""Below this height the words need the room of the picture above them."""


class WelcomeState(StrEnum):
    """What is there to begin with."""

    STARTING = "starting"
    NOTHING = "nothing"
    READING = "reading"
    PAUSED = "paused"
    READY = "ready"
    BLOCKED = "blocked"


class Welcome(QWidget):
    """Three steps at most: add a folder, see it being read, ask."""

    add_folder = Signal()
    use_samples = Signal()
    suggested = Signal(str)
    retry = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("welcome")
        self.state = WelcomeState.STARTING
        self._theme = theme
        self._progress: SyncProgress | None = None
        self._icon = IconLabel(theme, "books", "accent", 40)
        self.title = label("", "title", wrap=True)
        self.body = Paragraph("muted")
        self.add_button = TextButton(theme, "folder-plus", self.tr("Choose a folder"), primary=True)
        self.samples_button = QPushButton(self.tr("Use the samples"))
        self.samples_button.setAccessibleName(self.tr("Use the sample documents"))
        self.retry_button = QPushButton(self.tr("Try again"))
        self._suggestions = QWidget()
        self._suggestion_column = QVBoxLayout(self._suggestions)
        self._steps = self._make_steps()
        self.suggestion_buttons: list[QPushButton] = []
        self._lay_out()
        self.add_button.clicked.connect(self.add_folder)
        self.samples_button.clicked.connect(self.use_samples)
        self.retry_button.clicked.connect(self.retry)
        self.show_state(WelcomeState.STARTING)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the picture out where there is little room."""
        super().resizeEvent(event)
        holder = self.parentWidget()
        self._icon.setVisible(holder is None or holder.height() >= _LOW_PX)

    def show_state(self, state: WelcomeState, detail: str = "") -> None:
        """Show what to do in ``state``; ``detail`` is the engine's own sentence, where there is one."""
        self.state = state
        icons = {
            WelcomeState.BLOCKED: ("lock-key", "warn"),
            WelcomeState.READING: ("book-open", "accent"),
            WelcomeState.PAUSED: ("pause-circle", "accent"),
        }
        self._icon.wear(*icons.get(state, ("books", "accent")))
        titles = {
            WelcomeState.STARTING: self.tr("Opening your documents"),
            WelcomeState.NOTHING: self.tr("Ask your own documents"),
            WelcomeState.READING: self.tr("Reading your documents"),
            WelcomeState.PAUSED: self.tr("Reading is paused"),
            WelcomeState.READY: self.tr("What would you like to know?"),
            WelcomeState.BLOCKED: self.tr("This workspace cannot be opened now"),
        }
        self.title.setText(titles[state])
        self.body.set_text(detail or self._body(state))
        if self._progress is not None:
            self.show_progress(self._progress)
        self.add_button.setVisible(state is WelcomeState.NOTHING)
        self.samples_button.setVisible(state is WelcomeState.NOTHING)
        self._steps.setVisible(state is WelcomeState.NOTHING)
        self.retry_button.setVisible(state is WelcomeState.BLOCKED)
        self._show_suggestions()

    def show_progress(self, progress: SyncProgress) -> None:
        """Say how far the reading is, in the reading state."""
        self._progress = progress
        if self.state is WelcomeState.READING:
            how_far = wording.progress_sentence(progress)
            self.body.set_text(f"{self._body(WelcomeState.READING)}\n\n{how_far}")

    def suggest(self, questions: Sequence[str]) -> None:
        """Offer questions to begin with."""
        for button in self.suggestion_buttons:
            self._suggestion_column.removeWidget(button)
            button.deleteLater()
        self.suggestion_buttons = []
        for question in questions:
            button = WrappedButton(question)
            button.setProperty("suggestion", True)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda _checked=False, text=question: self.suggested.emit(text))
            self._suggestion_column.addWidget(button)
            self.suggestion_buttons.append(button)
        self._show_suggestions()

    def _show_suggestions(self) -> None:
        self._suggestions.setVisible(bool(self.suggestion_buttons) and self.state is WelcomeState.READY)

    def _body(self, state: WelcomeState) -> str:
        texts = {
            WelcomeState.STARTING: self.tr("The engine is starting. This takes a few seconds."),
            WelcomeState.NOTHING: self.tr(
                "Drop a folder anywhere on this window. It is read on this computer and stays here. Then ask, and see "
                "the page behind every sentence."
            ),
            WelcomeState.READING: self.tr(
                "You can ask already: what has been read is found at once. Tables in PDFs and the words of scans and "
                "pictures take longer and come last."
            ),
            WelcomeState.PAUSED: self.tr(
                "You can ask: what has been read is found. The button at the bottom edge of the window lets it go on."
            ),
            WelcomeState.READY: self.tr("Every sentence of the answer shows the place that it comes from."),
            WelcomeState.BLOCKED: "",
        }
        return texts[state]

    def _make_steps(self) -> QWidget:
        steps = (
            ("folder-plus", self.tr("Add a folder"), self.tr("PDF, Office, scans, pictures, web pages, notes, mail")),
            ("book-open", self.tr("It is read here"), self.tr("Nothing leaves this computer")),
            ("quotes", self.tr("Ask"), self.tr("Every sentence shows its page")),
        )
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, SPACE_24, 0, 0)
        column.setSpacing(SPACE_16)
        column.addWidget(hairline())
        row = QHBoxLayout()
        row.setSpacing(SPACE_24)
        for name, title, text in steps:
            one = QVBoxLayout()
            one.setSpacing(SPACE_4)
            one.addWidget(IconLabel(self._theme, name, "muted", 20))
            one.addWidget(label(title, "strong"))
            one.addWidget(label(text, "small", wrap=True))
            one.addStretch(1)
            row.addLayout(one, 1)
        column.addLayout(row)
        return holder

    def _lay_out(self) -> None:
        holder = QWidget()
        holder.setMaximumWidth(_WIDTH_PX)
        inner = QVBoxLayout(holder)
        inner.setContentsMargins(SPACE_24, SPACE_24, SPACE_24, SPACE_24)
        inner.setSpacing(SPACE_12)
        inner.addWidget(self._icon)
        inner.addSpacing(SPACE_4)
        inner.addWidget(self.title)
        inner.addWidget(self.body)
        inner.addSpacing(SPACE_8)
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE_12)
        for button in (self.add_button, self.samples_button, self.retry_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        inner.addLayout(buttons)
        self._suggestion_column.setContentsMargins(0, 0, 0, 0)
        self._suggestion_column.setSpacing(SPACE_8)
        inner.addWidget(self._suggestions)
        inner.addWidget(self._steps)
        column = QVBoxLayout(self)
        column.addStretch(2)
        row = QHBoxLayout()
        row.setContentsMargins(SPACE_16, 0, SPACE_16, SPACE_16)
        row.addStretch(1)
        row.addWidget(holder, 1000)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(3)
