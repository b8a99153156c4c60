"""Whether the pages of a watched folder are looked at, and what that will cost, said before it begins."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLayout, QVBoxLayout, QWidget

from desktop_rag.core.ledger import FolderRow
from desktop_rag.core.reports import PageEstimate
from desktop_rag.ui import wording
from desktop_rag.ui.bridge import Failure
from desktop_rag.ui.session import Session
from desktop_rag.ui.theme import SPACE_8, SPACE_12, SPACE_16, SPACE_24
from desktop_rag.ui.widgets import label

_WIDTH_PX = 440


class FolderPagesDialog(QDialog):
    """One folder. Nothing changes before it is saved."""

    def __init__(self, folder: FolderRow, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._folder, self._session = folder, session
        self.counted = False
        """Whether it is known what the pages will cost."""
        name = wording.file_name(folder.path)
        self.setWindowTitle(self.tr("Pages of {name}").format(name=name))
        self.choice = QCheckBox(self.tr("Look at the pages of this folder"))
        self.choice.setChecked(folder.looks)
        self.estimate = label(self.tr("Counting its pages …"), wrap=True)
        self.consequence = label("", "muted", wrap=True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self._accepted)
        self.buttons.rejected.connect(self.reject)
        self.choice.toggled.connect(lambda _on: self._show_consequence())
        self._lay_out(name)
        self._show_consequence()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask what it will cost."""
        super().showEvent(event)
        self._session.bridge.call("page_estimate", self._folder.id, done=self._take, failed=self._failed)

    def _take(self, estimate: PageEstimate) -> None:
        self.counted = True
        if estimate.pages:
            text = self.tr("To be looked at: {what}. By: {model}.")
            self.estimate.setText(text.format(what=estimate.sentence(), model=estimate.model))
        else:
            self.estimate.setText(self.tr("Every page that was read has been looked at. By: {model}.").format(
                model=estimate.model
            ))  # fmt: skip

    def _failed(self, failure: Failure) -> None:
        if not failure.stopped:
            self.estimate.setText(failure.message or self.tr("Its pages could not be counted. The log says more."))

    def _show_consequence(self) -> None:
        if self.choice.isChecked():
            text = self.tr(
                "It is the last step of reading, in the background, page by page; questions go first. It can be paused."
            )
        elif self._folder.looks:
            text = self.tr("What was seen of its pages so far is forgotten. Its words are found as before.")
        else:
            text = self.tr("Its words are found all the same.")
        self.consequence.setText(text)

    def _accepted(self) -> None:
        if self.choice.isChecked() != self._folder.looks:
            self._session.look_at_pages(self._folder, self.choice.isChecked())
        self.accept()

    def _lay_out(self, name: str) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_24, SPACE_24, SPACE_24, SPACE_16)
        column.setSpacing(SPACE_8)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)  # it grows when it has more to say
        about = self.tr(
            "Searching by page pictures compares whole pages: where their words stand or, with a page model, what they "
            "look like. For that each page has to be looked at once."
        )
        title = label(self.tr("Pages of {name}").format(name=name), "question", wrap=True)
        for widget in (title, label(about, "muted", wrap=True), self.choice, self.estimate, self.consequence):
            widget.setFixedWidth(_WIDTH_PX)
            column.addWidget(widget)
        column.addSpacing(SPACE_12)
        column.addWidget(self.buttons)
