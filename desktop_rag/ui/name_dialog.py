"""Asks for a name, without holding up the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QWidget


def ask_name(parent: QWidget, title: str, label: str, present: str, take: Callable[[str], None]) -> QInputDialog:
    """Open a small dialog; ``take`` gets the name unless it is empty or the dialog was left."""
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setLabelText(label)
    dialog.setTextValue(present)
    dialog.textValueSelected.connect(lambda text: take(text.strip()) if text.strip() else None)
    dialog.open()
    return dialog
