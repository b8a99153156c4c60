"""What stands in the scene of the page view: the paper with its pictures, and the lit places."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from desktop_rag.core.answers import Evidence
from desktop_rag.core.types import BBox
from desktop_rag.ui import wording
from desktop_rag.ui.evidence_cards import paint_number
from desktop_rag.ui.lit import paint_lit, rectangles
from desktop_rag.ui.pictures import Picture
from desktop_rag.ui.theme import Theme

A4 = (595.0, 842.0)
"""The size in points of a page of which nothing is known yet."""


class PageItem(QGraphicsItem):
    """The page in points: the picture of all of it, stretched, and over it the tiles that are at hand."""

    def __init__(self) -> None:
        super().__init__()
        self.size = A4
        self.picture: Picture | None = None
        self.tiles: dict[BBox, Picture] = {}

    def boundingRect(self) -> QRectF:
        """Return the page and a little around it."""
        return QRectF(-2, -2, self.size[0] + 4, self.size[1] + 4)

    def begin(self, picture: Picture | None) -> None:
        """Show another page: nothing of the former one stays."""
        self.picture = None
        self.tiles.clear()
        if picture is not None:
            self.take(picture)
        self.update()

    def take(self, picture: Picture) -> None:
        """Show the picture of the whole page, or learn from the first part how large the page is."""
        self.prepareGeometryChange()
        self.size = (picture.width, picture.height)
        if picture.whole:
            self.picture = picture
        else:
            part = picture.part
            self.tiles[BBox(part.left(), part.top(), part.right(), part.bottom())] = picture
        self.update()

    def take_tile(self, clip: BBox, picture: Picture) -> None:
        """Show a part of the page over what is there."""
        self.tiles.pop(clip, None)
        self.tiles[clip] = picture  # the latest is painted last
        self.update(picture.part)

    def keep_only(self, clips: Collection[BBox]) -> None:
        """Let go of every other tile."""
        self.tiles = {clip: tile for clip, tile in self.tiles.items() if clip in clips}

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Paint the paper and the pictures."""
        page = QRectF(0, 0, *self.size)
        painter.fillRect(page, QColor("#FFFFFF"))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self.picture is not None:
            painter.drawImage(page, self.picture.image)
        for tile in self.tiles.values():
            painter.drawImage(tile.part, tile.image)
        painter.setPen(QColor(0, 0, 0, 40))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(page)


class LitItem(QGraphicsItem):
    """The lit places of a page; the one in question is strong, the others are faint."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.evidence: tuple[Evidence, ...] = ()
        self.active: int | None = None
        self.strength = 1.0
        self.page_width = A4[0]
        self._bounds = QRectF()

    def boundingRect(self) -> QRectF:
        """Return what the lit places and their numbers cover."""
        return self._bounds

    def shape(self) -> QPainterPath:
        """Return the places of unsure words, for which there is a tooltip."""
        path = QPainterPath()
        for item in self.evidence:
            for place in rectangles(item) if wording.unsure_note(item) else ():
                path.addRect(place)
        return path

    def take(self, evidence: Sequence[Evidence], active: int | None) -> None:
        """Light the places of ``evidence``, strongly that of the number ``active``."""
        self.prepareGeometryChange()
        self.evidence, self.active = tuple(evidence), active
        bounds = QRectF()
        for item in self.evidence:
            for place in rectangles(item):
                bounds = bounds.united(place)
        notes = [note for item in self.evidence if (note := wording.unsure_note(item))]
        self.setToolTip(notes[0] if notes else "")
        self._bounds = bounds.adjusted(-bounds.left(), -24, 12, 24)
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Paint the places and, where there are several, their numbers."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = self._theme.tokens
        for item in self.evidence:
            strong = item.n == self.active
            paint_lit(painter, rectangles(item), tokens.lit, self.strength * (1.0 if strong else 0.4))
        if len(self.evidence) > 1:
            self._paint_numbers(painter)

    def _paint_numbers(self, painter: QPainter) -> None:
        scale = painter.worldTransform().m11() or 1.0
        column = min(item.bbox.x0 for item in self.evidence)
        taken: list[QPointF] = []
        for item in self.evidence:
            first = rectangles(item)[0]
            # In the margin, so that no word is covered; the right column of a page has its margin in the middle.
            left = column if first.left() < self.page_width / 2 else item.bbox.x0
            at = QPointF(left - 2, first.center().y())
            while any(abs(at.x() - o.x()) < 18 / scale and abs(at.y() - o.y()) < 16 / scale for o in taken):
                at.setX(at.x() - 20 / scale)
            taken.append(at)
            painter.save()
            painter.translate(at)
            painter.scale(1 / scale, 1 / scale)
            ink = "#FFFFFF" if item.n == self.active else "#3A2C00"
            back = "#7A4F00" if item.n == self.active else self._theme.tokens.lit
            paint_number(painter, QRect(-21, -8, 18, 16), item.n, back, ink)
            painter.restore()
