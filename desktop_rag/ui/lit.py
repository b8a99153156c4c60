"""The lit place: amber over the words of a page, multiplied, so that dark letters stay dark."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from desktop_rag.core.answers import Evidence
from desktop_rag.core.types import BBox

_GROW = 1.5
_MOST_BOXES = 60


def rectangles(evidence: Evidence) -> list[QRectF]:
    """Return the lit lines of a quote in points, a little larger than the letters."""
    boxes: Sequence[BBox] = evidence.boxes if 0 < len(evidence.boxes) <= _MOST_BOXES else (evidence.bbox,)
    return [rectangle(box).adjusted(-_GROW, -_GROW, _GROW, _GROW) for box in boxes]


def rectangle(box: BBox) -> QRectF:
    """Return a box of a page as Qt has it."""
    return QRectF(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0)


def paint_lit(painter: QPainter, places: Sequence[QRectF], colour: str, strength: float = 1.0) -> None:
    """Lay ``colour`` over ``places``; ``strength`` from 0 to 1 lets it come in gently."""
    painter.save()
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
    painter.setOpacity(painter.opacity() * strength)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    for place in places:
        painter.drawRoundedRect(place, 1.5, 1.5)
    painter.restore()
