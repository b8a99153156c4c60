"""Which files of a watched folder are read: a small dialog with patterns to let in and to leave alone."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from desktop_rag.core.ledger import FolderRow
from desktop_rag.core.rules import FolderRules, patterns
from desktop_rag.ui import wording
from desktop_rag.ui.theme import SPACE_8, SPACE_16, SPACE_24
from desktop_rag.ui.widgets import label

_LINES_PX = 96


class FolderRulesDialog(QDialog):
    """Not modal for the rest of the program's work; what is saved holds from the next look at the folder on."""

    def __init__(self, folder: FolderRow, save: Callable[[FolderRules], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._save = save
        name = wording.file_name(folder.path)
        self.setWindowTitle(self.tr("Files of {name}").format(name=name))
        self.include = self._field(
            folder.rules.include, self.tr("Read only these"), self.tr("everything, unless something stands here: *.pdf")
        )
        self.exclude = self._field(folder.rules.exclude, self.tr("Leave these alone"), self.tr("drafts/ or *.bak"))
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self._accepted)
        self.buttons.rejected.connect(self.reject)
        self._lay_out(name)

    def _field(self, lines: tuple[str, ...], name: str, hint: str) -> QPlainTextEdit:
        edit = QPlainTextEdit("\n".join(lines))
        edit.setObjectName("patterns")
        edit.setAccessibleName(name)
        edit.setPlaceholderText(hint)
        edit.setTabChangesFocus(True)
        edit.setMinimumHeight(_LINES_PX)
        return edit

    def _lay_out(self, name: str) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_24, SPACE_24, SPACE_24, SPACE_16)
        column.setSpacing(SPACE_8)
        column.addWidget(label(self.tr("Which files of {name} are read").format(name=name), "question"))
        column.addWidget(
            label(
                self.tr(
                    "One pattern on each line, written as in a .gitignore file. What .gitignore and .ragignore "
                    "files in the folder name is left alone, too."
                ),
                "muted",
                wrap=True,
            )
        )
        for title, edit in ((self.tr("Read only these"), self.include), (self.tr("Leave these alone"), self.exclude)):
            column.addSpacing(SPACE_8)
            caption = label(title)
            caption.setBuddy(edit)
            column.addWidget(caption)
            column.addWidget(edit)
        column.addSpacing(SPACE_8)
        column.addWidget(self.buttons)
        self.setMinimumWidth(480)

    def _accepted(self) -> None:
        self._save(FolderRules(patterns(self.include.toPlainText()), patterns(self.exclude.toPlainText())))
        self.accept()
