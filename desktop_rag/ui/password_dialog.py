"""Asks for the password of a locked file, and says so when it is a wrong one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_rag.ui.theme import SPACE_8, SPACE_12, SPACE_24, Theme
from desktop_rag.ui.widgets import IconLabel, label

_WIDTH_PX = 440


class PasswordDialog(QDialog):
    """One file, one password. It stays open until the password was found to be right, or somebody skips the file."""

    entered = Signal(str, bool)
    """The password, and whether it shall be tried on other locked files too."""

    def __init__(self, theme: Theme, file: str, others: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Enter a password"))
        self.question = label(self.tr("{file} is locked with a password.").format(file=file), wrap=True)
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setAccessibleName(self.tr("Password of {file}").format(file=file))
        self.field.setPlaceholderText(self.tr("Password"))
        self.for_others = QCheckBox(self.tr("Use it for other locked files too"))
        self.for_others.setVisible(others > 0)
        self.trouble = label("", wrap=True)
        self._mark = IconLabel(theme, "warning-circle", "bad")
        self._trouble_row = QWidget()
        self._trouble_row.hide()
        self.note = label(
            self.tr(
                "What is read from it can be found on this computer without the password from then on. The password "
                "itself is forgotten when the window is closed."
            ),
            "muted",
            wrap=True,
        )
        self.skip_button = QPushButton(self.tr("Skip") if others else self.tr("Cancel"))
        self.open_button = QPushButton(self.tr("Open"))
        self.open_button.setDefault(True)
        self.open_button.setProperty("primary", True)
        self.open_button.setEnabled(False)
        self._lay_out()
        self.field.textChanged.connect(lambda text: self.open_button.setEnabled(bool(text)))
        self.open_button.clicked.connect(self._enter)
        self.skip_button.clicked.connect(self.reject)

    def showEvent(self, event: QShowEvent) -> None:
        """Let typing begin at once."""
        super().showEvent(event)
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def refuse(self, message: str) -> None:
        """Say why the file stays shut, and let another password be typed over this one."""
        self._set_busy(False)
        self.trouble.setText(message)
        self._trouble_row.show()
        self.field.setAccessibleDescription(message)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.selectAll()

    def _enter(self) -> None:
        self._set_busy(True)
        self.entered.emit(self.field.text(), self.for_others.isChecked())

    def _set_busy(self, busy: bool) -> None:
        self.field.setEnabled(not busy)
        self.open_button.setEnabled(not busy)
        self.open_button.setText(self.tr("Opening …") if busy else self.tr("Open"))

    def _lay_out(self) -> None:
        trouble = QHBoxLayout(self._trouble_row)
        trouble.setContentsMargins(0, 0, 0, 0)
        trouble.setSpacing(SPACE_8)
        trouble.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        trouble.addWidget(self.trouble, 1)
        buttons = QDialogButtonBox()  # in the order that this system has
        buttons.addButton(self.open_button, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(self.skip_button, QDialogButtonBox.ButtonRole.RejectRole)
        column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)  # it grows when it has more to say
        column.setContentsMargins(SPACE_24, SPACE_24, SPACE_24, SPACE_24)
        column.setSpacing(SPACE_12)
        for widget in (self.question, self.field, self._trouble_row, self.for_others, self.note):
            widget.setFixedWidth(_WIDTH_PX)
            column.addWidget(widget)
        column.addWidget(buttons)
