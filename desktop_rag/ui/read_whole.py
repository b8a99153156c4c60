"""Asks for a question that shall be answered from a whole file, or from all that stands under one of its headings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from desktop_rag.core.ledger import FileRow
from desktop_rag.core.outline import Section, SectionPlace
from desktop_rag.ui import wording
from desktop_rag.ui.combo import QuietCombo
from desktop_rag.ui.session import Session
from desktop_rag.ui.theme import SPACE_8, SPACE_16, SPACE_24, Theme
from desktop_rag.ui.widgets import label

_WIDTH_PX = 480


class ReadWholeDialog(QDialog):
    """Not modal. The headings come from the engine; until then, and without any, the whole file can be read."""

    def __init__(
        self, theme: Theme, session: Session, row: FileRow, ask: Callable[[str, SectionPlace], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Read as a whole"))
        self._document, self._ask = row.document, ask
        self.part = QuietCombo(theme)
        self.part.setAccessibleName(self.tr("What is read"))
        self.part.addItem(self.tr("All of {file}").format(file=wording.file_name(row.file)), SectionPlace(row.document))
        self.field = QLineEdit()
        self.field.setAccessibleName(self.tr("Question"))
        self.field.setPlaceholderText(self.tr("What would you like to know of it?"))
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = self.buttons.addButton(self.tr("Ask"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.go.setDefault(True)
        self.go.setEnabled(False)
        self.field.textChanged.connect(lambda text: self.go.setEnabled(bool(text.strip())))
        self.buttons.accepted.connect(self._accepted)
        self.buttons.rejected.connect(self.reject)
        self._lay_out()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        session.bridge.call("outline", row.document, done=self._take, failed=session.tell)

    def _take(self, sections: Sequence[Section]) -> None:
        for section in _all(sections):
            indent = "    " * (len(section.path) - 1)
            pages = self.tr("p. {page}").format(page=section.page)
            self.part.addItem(f"{indent}{section.title}  ({pages})", SectionPlace(self._document, section.path))

    def _accepted(self) -> None:
        self._ask(self.field.text().strip(), self.part.currentData())
        self.accept()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_24, SPACE_24, SPACE_24, SPACE_16)
        column.setSpacing(SPACE_8)
        column.addWidget(label(self.tr("Read as a whole"), "question"))
        told = self.tr(
            "Nothing is searched: the model reads all of it, if it can read so much at once. Otherwise it says by how "
            "much it is too long, and reads the best passages."
        )
        column.addWidget(label(told, "muted", wrap=True))
        column.addWidget(self.part)
        column.addWidget(self.field)
        column.addSpacing(SPACE_8)
        column.addWidget(self.buttons)
        self.setFixedWidth(_WIDTH_PX)


def _all(sections: Sequence[Section]) -> Iterator[Section]:
    for section in sections:
        yield section
        yield from _all(section.children)
