"""A page picture that stays sharp at any zoom, with the cited places lit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEasingCurve, QPointF, QRect, QRectF, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QResizeEvent, QTransform, QWheelEvent
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsItem,
    QGraphicsScene,
    QGraphicsView,
    QStyleOptionGraphicsItem,
    QWidget,
)

from desktop_rag.core.types import Evidence
from desktop_rag.ui import wording
from desktop_rag.ui.evidence_cards import paint_number
from desktop_rag.ui.lit import paint_lit, rectangles
from desktop_rag.ui.pictures import Picture, Pictures
from desktop_rag.ui.theme import SPACE_16, Theme

LEAST_ZOOM, MOST_ZOOM = 0.2, 6.0
ZOOM_STEP = 1.25
_LIT_MS = 280
_SHARPEN_MS = 120
_A4 = (595.0, 842.0)


@dataclass(frozen=True, slots=True)
class Place:
    """The page that is shown."""

    document: str
    file: str
    page: int
    label: str = ""


class _PageItem(QGraphicsItem):
    """The page in points; whatever picture is at hand is stretched over it."""

    def __init__(self) -> None:
        super().__init__()
        self.size = _A4
        self.image: QImage | None = None

    def boundingRect(self) -> QRectF:
        return QRectF(-2, -2, self.size[0] + 4, self.size[1] + 4)

    def take(self, picture: Picture | None) -> None:
        self.prepareGeometryChange()
        if picture is not None:
            self.size = (picture.width, picture.height)
        self.image = picture.image if picture is not None else None
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        page = QRectF(0, 0, *self.size)
        painter.fillRect(page, QColor("#FFFFFF"))
        if self.image is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(page, self.image)
        painter.setPen(QColor(0, 0, 0, 40))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(page)


class _LitItem(QGraphicsItem):
    """The lit places of a page; the one in question is strong, the others are faint."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.evidence: tuple[Evidence, ...] = ()
        self.active: int | None = None
        self.strength = 1.0
        self.page_width = _A4[0]
        self._bounds = QRectF()

    def boundingRect(self) -> QRectF:
        return self._bounds

    def take(self, evidence: Sequence[Evidence], active: int | None) -> None:
        self.prepareGeometryChange()
        self.evidence, self.active = tuple(evidence), active
        bounds = QRectF()
        for item in self.evidence:
            for place in rectangles(item):
                bounds = bounds.united(place)
        self._bounds = bounds.adjusted(-bounds.left(), -24, 12, 24)
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
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


class PageView(QGraphicsView):
    """Shows one page; asks for its picture at the zoom times the density of the screen."""

    turned = Signal(int)
    """The page that is shown now."""
    zoomed = Signal(float)
    pages_known = Signal(int)
    failed = Signal(str)

    def __init__(self, theme: Theme, pictures: Pictures) -> None:
        super().__init__()
        self.setObjectName("pageView")
        self.setAccessibleName(self.tr("Page"))
        self._theme, self._pictures = theme, pictures
        self.place: Place | None = None
        self.pages = 0
        self._zoom = 1.0
        self._fit = True
        self._page = _PageItem()
        self._lit = _LitItem(theme)
        scene = QGraphicsScene(self)
        scene.addItem(self._page)
        scene.addItem(self._lit)
        self.setScene(scene)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setAcceptDrops(False)
        self._sharpen = QTimer(self)
        self._sharpen.setSingleShot(True)
        self._sharpen.setInterval(_SHARPEN_MS)
        self._sharpen.timeout.connect(self._ask)
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setDuration(_LIT_MS)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._set_strength)
        self._page.setVisible(False)
        theme.changed.connect(self.viewport().update)

    @property
    def sharp(self) -> bool:
        """Whether the picture has at least as many pixels as the screen shows."""
        image = self._page.image
        return image is not None and image.width() >= self._page.size[0] * self._wanted_scale() * 0.99

    @property
    def lit(self) -> tuple[Evidence, ...]:
        """The quotes that are lit on this page."""
        return self._lit.evidence

    def show_page(self, place: Place, lit: Sequence[Evidence], active: int | None) -> None:
        """Show a page with its quotes lit, and bring the quote ``active`` into view."""
        turned = self.place != place
        again = self._lit.active != active or turned
        self.place = place
        self._lit.take(lit, active)
        if turned:
            at_hand = self._pictures.at_hand(place.document, place.page)
            self._page.take(at_hand)
            self._page.setVisible(True)
            self._settle()
            self.setAccessibleDescription(
                f"{wording.file_name(place.file)}, {wording.page_name(place.page, place.label)}"
            )
            self.turned.emit(place.page)
        self._ask()
        if lit and again:
            self._animation.stop()
            self._animation.start()
        self._look_at(active)

    def clear(self) -> None:
        """Show nothing."""
        self.place = None
        self._lit.take((), None)
        self._page.setVisible(False)

    def set_zoom(self, zoom: float) -> None:
        """Show ``zoom`` pixels for each point."""
        self._fit = False
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._apply_zoom(zoom)

    def zoom_in(self) -> None:
        """Show the page larger."""
        self.set_zoom(self._zoom * ZOOM_STEP)

    def zoom_out(self) -> None:
        """Show the page smaller."""
        self.set_zoom(self._zoom / ZOOM_STEP)

    def fit_width(self) -> None:
        """Make the page as wide as the pane, and keep it so."""
        self._fit = True
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._settle()
        self._look_at(self._lit.active)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the page fitted."""
        super().resizeEvent(event)
        self._settle()
        self._look_at(self._lit.active)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl, else scroll."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self._zoom * ZOOM_STEP ** (event.angleDelta().y() / 120))
            event.accept()
            return
        super().wheelEvent(event)

    def _settle(self) -> None:
        margin = SPACE_16 / max(self._zoom, 0.01)
        width, height = self._page.size
        self._lit.page_width = width
        if self._fit:
            self._apply_zoom(max(LEAST_ZOOM, (self.viewport().width() - 2 * SPACE_16) / width))
            margin = SPACE_16 / self._zoom
        self.setSceneRect(-margin, -margin, width + 2 * margin, height + 2 * margin)

    def _apply_zoom(self, zoom: float) -> None:
        self._zoom = max(LEAST_ZOOM, min(MOST_ZOOM, zoom))
        self.setTransform(QTransform.fromScale(self._zoom, self._zoom))
        self.zoomed.emit(self._zoom)
        self._sharpen.start()

    def _wanted_scale(self) -> float:
        return self._zoom * self.devicePixelRatioF()

    def _ask(self) -> None:
        place = self.place
        if place is None:
            return
        self._pictures.ask(
            place.document,
            place.page,
            self._wanted_scale(),
            lambda picture: self._take(place, picture),
            lambda message: self.failed.emit(message),
        )

    def _take(self, place: Place, picture: Picture) -> None:
        if place != self.place:
            return
        resized = self._page.size != (picture.width, picture.height)
        self._page.take(picture)
        if resized:
            self._settle()
        self._look_at(self._lit.active if resized else None)
        self.pages = picture.pages
        self.pages_known.emit(picture.pages)
        for neighbour in (place.page + 1, place.page - 1):
            if 1 <= neighbour <= picture.pages and not self._pictures.at_hand(place.document, neighbour):
                self._pictures.prefetch(place.document, neighbour, self._wanted_scale())

    def _look_at(self, active: int | None) -> None:
        for item in self._lit.evidence:
            if item.n == active:
                box = item.bbox
                self.centerOn(QPointF((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2))

    def _set_strength(self, value: object) -> None:
        self._lit.strength = float(str(value))
        self._lit.update()
