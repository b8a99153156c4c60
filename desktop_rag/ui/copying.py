"""What goes to the clipboard: a quote with its place, or the whole table that it is from."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QCoreApplication, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from desktop_rag.core.answers import Evidence
from desktop_rag.core.tables import TableData
from desktop_rag.core.types import ElementKind
from desktop_rag.ui import wording
from desktop_rag.ui.theme import Theme
from desktop_rag.ui.widgets import TextButton

_COPIED_MS = 1500


class TableForm(StrEnum):
    """The form in which a table is copied."""

    CSV = "csv"
    MARKDOWN = "markdown"


class CopyQuote(TextButton):
    """Copies a quote with its place."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            theme,
            "copy",
            QCoreApplication.translate("CopyQuote", "Copy quote"),
            tip=QCoreApplication.translate("CopyQuote", "Copy the quote with its place"),
        )

    def copy(self, item: Evidence) -> None:
        """Copy ``item``, and say so for a moment."""
        QGuiApplication.clipboard().setText(f"“{item.quote}” ({wording.evidence_place(item)})")
        _say_copied(self, "copy", self.tr("Copied"), self.tr("Copy quote"))


class CopyTable(TextButton):
    """Copies the whole table of a quote; it is there only for quotes from tables."""

    wanted = Signal(str, str)
    """The element whose table is wanted, and the form."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            theme,
            "table",
            QCoreApplication.translate("CopyTable", "Table"),
            tip=QCoreApplication.translate("CopyTable", "Copy the whole table"),
        )
        self._item: Evidence | None = None
        menu = QMenu(self)
        self.as_csv = menu.addAction(self.tr("Copy as CSV"))
        self.as_markdown = menu.addAction(self.tr("Copy as Markdown"))
        self.as_csv.triggered.connect(lambda: self.ask(TableForm.CSV))
        self.as_markdown.triggered.connect(lambda: self.ask(TableForm.MARKDOWN))
        self.setMenu(menu)
        self.hide()

    def show_for(self, item: Evidence | None) -> None:
        """Offer the table of ``item``, if it is from one."""
        self._item = item if item is not None and item.kind is ElementKind.TABLE else None
        self.setVisible(self._item is not None)

    def ask(self, form: TableForm) -> None:
        """Ask for the table; nothing happens where there is none."""
        if self._item is not None:
            self.wanted.emit(self._item.element, form)

    def copy(self, table: TableData, form: str) -> None:
        """Copy ``table``, and say so for a moment."""
        text = table.as_csv() if form == TableForm.CSV else table.as_markdown()
        QGuiApplication.clipboard().setText(text)
        _say_copied(self, "table", self.tr("Copied"), self.tr("Table"))


def _say_copied(button: TextButton, icon: str, said: str, again: str) -> None:
    def turn_back() -> None:
        button.say(again)
        button.wear(icon)

    button.say(said)
    button.wear("check")
    QTimer.singleShot(_COPIED_MS, button, turn_back)
