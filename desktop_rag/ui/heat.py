"""Why a page was found: warm colours over the parts that fit the question, in total or for one of its words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QComboBox, QGraphicsItem, QHBoxLayout, QStyleOptionGraphicsItem, QWidget

from desktop_rag.core.heat import HeatMap
from desktop_rag.ui.combo import QuietCombo
from desktop_rag.ui.page_items import A4
from desktop_rag.ui.theme import SPACE_4, Theme
from desktop_rag.ui.widgets import IconButton

_STRENGTH = 0.62
"""How much of the hottest patch's colour covers the page; words stay readable under it."""

_LEAST = 0.08
_COLD, _WARM, _HOT = (255, 244, 214), (255, 176, 32), (214, 40, 24)
_LONGEST_WORD = 24


class HeatItem(QGraphicsItem):
    """The warm parts of a page, in points; the patches run into each other."""

    def __init__(self) -> None:
        super().__init__()
        self.size = A4
        self._image: QImage | None = None

    @property
    def shown(self) -> bool:
        """Whether there is anything warm."""
        return self._image is not None

    def boundingRect(self) -> QRectF:
        """Return the page."""
        return QRectF(0, 0, *self.size)

    def take(self, heat: HeatMap | None, values: Sequence[float], size: tuple[float, float]) -> None:
        """Show ``values`` of a map over a page of ``size`` points; None shows nothing."""
        self.prepareGeometryChange()
        self.size = size
        self._image = None if heat is None else _image(heat, values)
        self.update()

    def fit(self, size: tuple[float, float]) -> None:
        """Follow the size of the page, which may be learnt late."""
        if size != self.size:
            self.prepareGeometryChange()
            self.size = size

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Lay the colours over the page, multiplied, so that dark letters stay dark."""
        if self._image is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        painter.drawImage(QRectF(0, 0, *self.size), self._image)
        painter.restore()


class HeatControl(QWidget):
    """A button that turns the warm colours on, and a list of the question's words to choose one of."""

    wanted = Signal(str, str, int)
    """The heat map of a question, a document and a page."""
    changed = Signal(object, object)
    """A HeatMap and the values of it that shall be shown; None where nothing is."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.question = ""
        self._place: tuple[str, int] | None = None
        self._heat: HeatMap | None = None
        self.button = IconButton(theme, "thermometer-hot", self.tr("Show why this page was found"), size_px=16)
        self.button.setCheckable(True)
        self.words = QuietCombo(theme)
        self.words.setObjectName("heatWords")
        self.words.setAccessibleName(self.tr("Word of the question"))
        self.words.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.words.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_4)
        row.addWidget(self.words)
        row.addWidget(self.button)
        self.button.toggled.connect(lambda _on: self._ask())
        self.words.currentIndexChanged.connect(lambda _index: self._tell())

    def look_at(self, document: str | None, page: int) -> None:
        """Another page is shown, or none, or the same again."""
        place = None if document is None else (document, page)
        if place == self._place is not None:
            return
        self._place, self._heat = place, None
        self._ask()

    def take(self, heat: HeatMap | None) -> None:
        """Show a heat map, if it is still the one of the page that is shown; None says that there is none."""
        if heat is not None and (heat.document, heat.page) != self._place:
            return
        self._heat = heat
        with QSignalBlocker(self.words):
            self.words.clear()
            if heat is not None:
                self.words.addItem(self.tr("All words"))
                self.words.addItems([word.word[:_LONGEST_WORD] for word in heat.words])
        if heat is None and self.button.isChecked():
            self.button.setToolTip(self.tr("Nobody looked at this page yet: that is the last step of indexing."))
        self._tell()

    def _ask(self) -> None:
        usable = self._place is not None and bool(self.question)
        self.button.setEnabled(usable)
        if usable and self.button.isChecked() and self._heat is None and self._place is not None:
            self.wanted.emit(self.question, *self._place)
        self._tell()

    def _tell(self) -> None:
        heat = self._heat if self.button.isChecked() else None
        self.words.setVisible(heat is not None)
        if heat is None:
            self.changed.emit(None, ())
            return
        index = self.words.currentIndex()
        self.button.setToolTip(self.tr("Looked at by: {model}").format(model=heat.model))
        self.changed.emit(heat, heat.words[index - 1].values if index > 0 else heat.total)


def _image(heat: HeatMap, values: Sequence[float]) -> QImage:
    """Return one pixel for each patch, white where it is cold, and a white one around them all."""
    image = QImage(heat.columns, heat.rows, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    for index, value in enumerate(values):
        if value >= _LEAST:
            image.setPixelColor(index % heat.columns, index // heat.columns, _colour(value))
    return image


def _colour(value: float) -> QColor:
    first, second = min(1.0, 2 * value), max(0.0, 2 * value - 1)
    share = _STRENGTH * value
    parts = []
    for cold, warm, hot in zip(_COLD, _WARM, _HOT, strict=True):
        full = (cold + (warm - cold) * first) * (1 - second) + hot * second
        parts.append(round(255 * (1 - share) + full * share))
    return QColor(*parts)
