"""A page picture that stays sharp at any zoom, with the cited places lit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEasingCurve, QPointF, QRectF, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import QResizeEvent, QTransform, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView

from desktop_rag.core.answers import Evidence
from desktop_rag.core.heat import HeatMap
from desktop_rag.core.types import BBox, ElementKind
from desktop_rag.ui import wording
from desktop_rag.ui.heat import HeatItem
from desktop_rag.ui.lit import rectangle
from desktop_rag.ui.page_items import LitItem, PageItem
from desktop_rag.ui.pictures import Picture, Pictures, step_scale
from desktop_rag.ui.theme import SPACE_16, Theme
from desktop_rag.ui.tiles import needs_tiles, tiles_over

LEAST_ZOOM, MOST_ZOOM = 0.2, 6.0
ZOOM_STEP = 1.25
_LEAST_FIT = 0.02
_LIT_MS = 280
_SHARPEN_MS = 120
_FIRST_SCALE = 3.0
"""The most pixels per point that are asked for before it is known how large a page is."""

_TILES_AT_ONCE = 2
"""So few are on their way that scrolling on never waits for what has left the view."""

_WIDE_POINTS = 650.0
_LEAST_LINE_PX, _READABLE_LINE_PX = 8.0, 13.0
"""Where a lit line of a wide page would be lower than the first, the page is shown so large that it has the second."""
_READABLE_TABLE_ZOOM = 0.75
"""The height of a row says little of its letters, which are small in most tables."""


@dataclass(frozen=True, slots=True)
class Place:
    """The page that is shown."""

    document: str
    file: str
    page: int
    label: str = ""


class PageView(QGraphicsView):
    """Shows one page; asks for its picture at the zoom times the density of the screen, in tiles where it is large."""

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
        self._whole_width = False
        self._size_known = False
        self._coming: set[BBox] = set()
        self._page = PageItem()
        self._lit = LitItem(theme)
        self._heat = HeatItem()
        scene = QGraphicsScene(self)
        scene.addItem(self._page)
        scene.addItem(self._heat)
        scene.addItem(self._lit)
        self.setScene(scene)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
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
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(self._scrolled)
        self._page.setVisible(False)
        theme.changed.connect(self.viewport().update)

    @property
    def sharp(self) -> bool:
        """Whether the picture has at least as many pixels as the screen shows."""
        if self._tiled:
            return all(tile in self._page.tiles for tile in self._tiles(self._seen))
        picture = self._page.picture
        return picture is not None and picture.image.width() >= self._page.size[0] * self._wanted_scale * 0.99

    @property
    def lit(self) -> tuple[Evidence, ...]:
        """The quotes that are lit on this page."""
        return self._lit.evidence

    @property
    def tiles(self) -> int:
        """The number of tiles that are held for a page that is too large for one picture."""
        return len(self._page.tiles)

    def show_page(self, place: Place, lit: Sequence[Evidence], active: int | None) -> None:
        """Show a page with its quotes lit, and bring the quote ``active`` into view."""
        turned = self.place != place
        again = self._lit.active != active or turned
        self.place = place
        self._lit.take(lit, active)
        if turned:
            at_hand = self._pictures.at_hand(place.document, place.page)
            self._begin(at_hand)
            self._page.setVisible(True)
            self._settle()
            self.setAccessibleDescription(
                f"{wording.file_name(place.file)}, {wording.page_name(place.page, place.label)}"
            )
            self.turned.emit(place.page)
        elif again:
            self._settle()
        if lit and again:
            self._animation.stop()
            self._animation.start()
        self._look_at(active)
        self._ask()

    def show_heat(self, heat: HeatMap | None, values: Sequence[float]) -> None:
        """Show which parts of the page fit the question, by ``values`` of its heat map; None shows nothing."""
        self._heat.take(heat, values, self._page.size)

    @property
    def warm(self) -> bool:
        """Whether a heat map is shown."""
        return self._heat.shown

    def refresh(self) -> None:
        """Ask for the page again: it can be shown now, or has changed."""
        self._coming.clear()
        self._ask()

    def clear(self) -> None:
        """Show nothing."""
        self.place = None
        self._lit.take((), None)
        self._begin(None)
        self._page.setVisible(False)

    def set_zoom(self, zoom: float) -> None:
        """Show ``zoom`` pixels for each point."""
        self._fit = False
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._apply_zoom(max(min(LEAST_ZOOM, self._zoom), zoom))

    def zoom_in(self) -> None:
        """Show the page larger."""
        self.set_zoom(self._zoom * ZOOM_STEP)

    def zoom_out(self) -> None:
        """Show the page smaller."""
        self.set_zoom(self._zoom / ZOOM_STEP)

    def fit_width(self) -> None:
        """Make the page as wide as the pane, and keep it so."""
        self._fit = self._whole_width = True
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
            self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
            self.set_zoom(self._zoom * ZOOM_STEP ** (event.angleDelta().y() / 120))
            self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
            event.accept()
            return
        super().wheelEvent(event)

    @property
    def _tiled(self) -> bool:
        return self._size_known and needs_tiles(self._page.size, self._wanted_scale)

    @property
    def _wanted_scale(self) -> float:
        return self._zoom * self.devicePixelRatioF()

    @property
    def _seen(self) -> QRectF:
        return self.mapToScene(self.viewport().rect()).boundingRect()

    @property
    def _reach(self) -> QRectF:
        """What is seen and half as much on every side, so that scrolling finds it ready."""
        seen = self._seen
        return seen.adjusted(-seen.width() / 2, -seen.height() / 2, seen.width() / 2, seen.height() / 2)

    def _scrolled(self) -> None:
        if self._tiled and not self._sharpen.isActive():
            self._sharpen.start()

    def _begin(self, picture: Picture | None) -> None:
        self.show_heat(None, ())
        self._page.begin(picture)
        self._size_known = picture is not None
        self._whole_width = False
        self._coming.clear()

    def _settle(self) -> None:
        width, height = self._page.size
        self._lit.page_width = width
        self._heat.fit(self._page.size)
        if self._fit:
            whole = max(_LEAST_FIT, (self.viewport().width() - 2 * SPACE_16) / width)
            zoom = whole if self._whole_width else max(whole, self._readable_zoom(whole))
            fits = zoom <= whole
            policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fits else Qt.ScrollBarPolicy.ScrollBarAsNeeded
            self.setHorizontalScrollBarPolicy(policy)
            self._apply_zoom(zoom)
        margin = SPACE_16 / max(self._zoom, 0.01)
        self.setSceneRect(-margin, -margin, width + 2 * margin, height + 2 * margin)

    def _readable_zoom(self, zoom: float) -> float:
        """Return ``zoom``, or what makes the place in question readable on a page that is wide."""
        active = next((item for item in self._lit.evidence if item.n == self._lit.active), None)
        if active is None or self._page.size[0] < _WIDE_POINTS:
            return zoom
        if active.kind is ElementKind.TABLE:
            return _READABLE_TABLE_ZOOM
        line = min(box.y1 - box.y0 for box in active.boxes or (active.bbox,))
        readable = min(1.0, _READABLE_LINE_PX / max(line, 1.0))
        return readable if line * zoom < _LEAST_LINE_PX else zoom

    def _apply_zoom(self, zoom: float) -> None:
        self._zoom = min(MOST_ZOOM, zoom)
        self.setTransform(QTransform.fromScale(self._zoom, self._zoom))
        self.zoomed.emit(self._zoom)
        self._sharpen.start()

    def _ask(self) -> None:
        place = self.place
        if place is None:
            return
        if self._tiled:
            self._ask_tiles(place)
            return
        self._pictures.ask(
            place.document,
            place.page,
            self._wanted_scale if self._size_known else min(self._wanted_scale, _FIRST_SCALE),
            lambda picture: self._take(place, picture),
            self.failed.emit,
        )

    def _take(self, place: Place, picture: Picture) -> None:
        if place != self.place:
            return
        resized = not self._size_known or self._page.size != (picture.width, picture.height)
        self._page.take(picture)
        self._size_known = True
        if resized:
            self._settle()
            self._look_at(self._lit.active)
        if not self.sharp and not self._sharpen.isActive():
            self._sharpen.start()
        self.pages = picture.pages
        self.pages_known.emit(picture.pages)
        for neighbour in (place.page + 1, place.page - 1):
            if 1 <= neighbour <= picture.pages and not self._pictures.at_hand(place.document, neighbour):
                self._pictures.prefetch(place.document, neighbour, min(self._wanted_scale, _FIRST_SCALE))

    def _tiles(self, area: QRectF) -> list[BBox]:
        return tiles_over(area, self._page.size, step_scale(self._wanted_scale))

    def _ask_tiles(self, place: Place) -> None:
        """Ask for the tiles that are looked at, then for those around them, a few at a time."""
        self._let_go()
        missing = [tile for tile in self._tiles(self._reach) if tile not in self._page.tiles]
        for tile in missing:
            if len(self._coming) < _TILES_AT_ONCE and tile not in self._coming:
                self._ask_tile(place, tile)

    def _ask_tile(self, place: Place, tile: BBox) -> None:
        self._coming.add(tile)

        def shown(picture: Picture) -> None:
            if place == self.place and tile in self._coming:
                self._coming.discard(tile)
                self._page.take_tile(tile, picture)
                self._ask_tiles(place)

        def failed(message: str) -> None:
            if place == self.place:
                self._coming.discard(tile)
                self.failed.emit(message)

        self._pictures.ask(place.document, place.page, self._wanted_scale, shown, failed, tile)

    def _let_go(self) -> None:
        """Drop tiles that are out of reach, and those of another zoom as soon as sharp ones cover the view."""
        reach = self._reach
        if self.sharp:
            self._page.keep_only(set(self._tiles(reach)))
        else:
            self._page.keep_only({tile for tile in self._page.tiles if rectangle(tile).intersects(reach)})

    def _look_at(self, active: int | None) -> None:
        for item in self._lit.evidence:
            if item.n == active:
                self.centerOn(_centre(item.bbox, self._seen))

    def _set_strength(self, value: object) -> None:
        self._lit.strength = float(str(value))
        self._lit.update()


def _centre(box: BBox, seen: QRectF) -> QPointF:
    """Return where to look to see a place; of one larger than the view, its beginning."""
    across = min((box.x0 + box.x1) / 2, box.x0 + seen.width() * 0.45)
    down = min((box.y0 + box.y1) / 2, box.y0 + seen.height() * 0.4)
    return QPointF(across, down)
