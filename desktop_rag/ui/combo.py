"""A choice in one line, with the caret of the icon family."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

from desktop_rag.ui.icons import icon
from desktop_rag.ui.theme import Theme

_CARET_PX, _ROOM_PX = 12, 20


class QuietCombo(QComboBox):
    """Draws its own caret: a style sheet cannot name one, and without it the platform's button shows through."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint frame, words and caret."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.subControls &= ~QStyle.SubControl.SC_ComboBoxArrow
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        place = QRect(self.width() - _ROOM_PX, (self.height() - _CARET_PX) // 2, _CARET_PX, _CARET_PX)
        icon("caret-down", self._theme.tokens.muted).paint(painter, place)
