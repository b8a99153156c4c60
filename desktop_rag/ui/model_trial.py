"""Asks the documents with a model before it is chosen, and shows what it makes of the question and how long it took."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop_rag.core.limits import LONGEST_QUESTION
from desktop_rag.core.model_rows import ModelKind, ModelRow, ModelTrial
from desktop_rag.ui import model_wording
from desktop_rag.ui.bridge import Call, Failure
from desktop_rag.ui.models import Models
from desktop_rag.ui.theme import SPACE_8, SPACE_12, SPACE_16, SPACE_24, Theme
from desktop_rag.ui.widgets import Paragraph, label

_SIZE = (640, 440)


class ModelTrialDialog(QDialog):
    """One model, any number of questions; nothing is kept, and closing it stops what is under way."""

    def __init__(self, theme: Theme, models: Models, row: ModelRow, question: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._models, self._row = models, row
        self._call: Call | None = None
        self._asked = 0
        self.setWindowTitle(self.tr("Try {name}").format(name=row.name))
        self.resize(*_SIZE)
        self.field = QLineEdit(question)
        self.field.setMaxLength(LONGEST_QUESTION)
        self.field.setPlaceholderText(self.tr("Ask your documents …"))
        self.field.setAccessibleName(self.tr("Question"))
        self.ask_button = QPushButton(self.tr("Ask"))
        self.ask_button.setAutoDefault(False)  # Enter asks, and never stops
        self.ask_button.setProperty("primary", True)
        self.about = label(_what_it_does(self, row.kind), "muted", wrap=True)
        self.outcome = Paragraph()
        self.outcome.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.outcome.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.outcome.setAccessibleName(self.tr("What the model makes of it"))
        self.footer = label("", "small", wrap=True)
        self._lay_out()
        self.ask_button.clicked.connect(lambda _checked: self._ask_or_stop())
        self.field.returnPressed.connect(self.ask)

    def showEvent(self, event: QShowEvent) -> None:
        """Let typing begin at once."""
        super().showEvent(event)
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        self.field.selectAll()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop what is under way."""
        self._stop()
        super().closeEvent(event)

    def reject(self) -> None:
        """Stop what is under way, and close."""
        self._stop()
        super().reject()

    def _ask_or_stop(self) -> None:
        if self._call is not None:
            self._stop()
            self._settle(self.tr("Stopped."))
        else:
            self.ask()

    def ask(self) -> None:
        """Ask what stands in the field, unless it is being asked already."""
        question = self.field.text().strip()
        if self._call is not None or not question:
            return
        self.outcome.set_text("")
        self.footer.setText(self.tr("Loading the model and asking it …"))
        self.ask_button.setText(self.tr("Stop"))
        self._asked += 1
        this = self._asked  # what an earlier question still says goes nowhere
        self._call = self._models.try_it(
            self._row,
            question,
            lambda trial: self._done(trial) if this == self._asked else None,
            lambda failure: self._failed(failure) if this == self._asked else None,
        )
        if self._call is None:
            self._settle(self.tr("The engine is not running now."))

    def _stop(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call.cancel()

    def _done(self, trial: ModelTrial) -> None:
        if self._call is None:
            return
        found = "\n".join(trial.places)
        self.outcome.set_text("\n\n".join(filter(None, (trial.text, found))))
        self._settle(model_wording.trial_footer(trial))

    def _failed(self, failure: Failure) -> None:
        if self._call is None:
            return
        self._settle(failure.message or self.tr("That did not work. The log says more."))

    def _settle(self, text: str) -> None:
        self._call = None
        self.ask_button.setText(self.tr("Ask"))
        self.footer.setText(text)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(SPACE_8)
        top.addWidget(self.field, 1)
        top.addWidget(self.ask_button)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.outcome)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_24, SPACE_24, SPACE_24, SPACE_16)
        column.setSpacing(SPACE_12)
        column.addWidget(self.about)
        column.addLayout(top)
        column.addWidget(area, 1)
        column.addWidget(self.footer)


def _what_it_does(parent: QWidget, kind: ModelKind) -> str:
    texts = {
        ModelKind.CHAT: parent.tr(
            "It answers your question from the documents of this workspace. Nothing is kept but its speed."
        ),
        ModelKind.VISION: parent.tr(
            "It describes the figure that fits your question best. Nothing is kept but its speed."
        ),
        ModelKind.EMBEDDING: parent.tr(
            "It puts the fifty passages in order that are found now. Nothing is kept but its speed."
        ),
        ModelKind.PAGE: parent.tr(
            "It looks at the first three pages that are found now. Nothing is kept but its speed."
        ),
        ModelKind.RERANKING: parent.tr(
            "It puts the first twenty passages in order that are found now. Nothing is kept but its speed."
        ),
    }
    return texts[kind]
