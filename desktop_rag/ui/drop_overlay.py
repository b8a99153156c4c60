"""While files are dragged over the window: what will happen when they are dropped."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop_rag.ui.icons import icon
from desktop_rag.ui.theme import SPACE_16, Theme

_ICON_PX = 40


def dropped_paths(mime: QMimeData) -> list[str]:
    """Return the local files and folders of something that is dragged."""
    return [url.toLocalFile() for url in mime.urls() if url.isLocalFile()] if mime.hasUrls() else []


class DropOverlay(QWidget):
    """Lies over the whole window; lets every event through."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._window = parent
        self.setObjectName("dropOverlay")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._theme = theme
        self.message = ""
        self.hide()

    def offer(self, paths: list[str], workspace: str) -> None:
        """Say what dropping ``paths`` will do."""
        folders = [path for path in paths if Path(path).is_dir()]
        if len(paths) > 1:
            text = self.tr("Watch these {n} in {workspace}").format(n=len(paths), workspace=workspace)
        elif folders:
            text = self.tr("Watch this folder in {workspace}").format(workspace=workspace)
        else:
            text = self.tr("Watch this file in {workspace}").format(workspace=workspace)
        self.message = text
        self.setAccessibleName(text)
        self.setGeometry(self._window.rect())
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a veil, a border, and the words."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(tokens.canvas)
        veil.setAlpha(235)
        painter.fillRect(self.rect(), veil)
        painter.setPen(QPen(QColor(tokens.accent), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(SPACE_16, SPACE_16, -SPACE_16, -SPACE_16), 10, 10)
        centre = self.rect().center()
        picture = icon("folder-plus", tokens.accent)
        picture.paint(painter, centre.x() - _ICON_PX // 2, centre.y() - _ICON_PX - 8, _ICON_PX, _ICON_PX)
        font = QFont(self.font())
        font.setPixelSize(18)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text))
        painter.drawText(self.rect().adjusted(0, 40, 0, 40), Qt.AlignmentFlag.AlignCenter, self.message)
