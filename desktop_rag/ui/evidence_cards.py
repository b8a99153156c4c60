"""The evidence under a question: a card for each quote, showing the lit words as they stand on the page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QSizePolicy, QVBoxLayout, QWidget
from shiboken6 import isValid

from desktop_rag.core.answers import Evidence
from desktop_rag.core.types import BBox
from desktop_rag.ui import wording
from desktop_rag.ui.lit import paint_lit, rectangles
from desktop_rag.ui.pictures import Picture, Pictures
from desktop_rag.ui.theme import RADIUS_PX, SMALL_PX, SPACE_8, SPACE_12, Theme
from desktop_rag.ui.widgets import TextButton

PICTURE_PX = 92
FIGURE_PX = 148
CAPTION_PX = 52
CARD_PX = PICTURE_PX + CAPTION_PX
LOW_PICTURE_PX = 44
"""Of every card where the window is low: the answer below is worth more than the picture."""
_BADGE_PX = 18
_LEAST_CROP_POINTS, _MOST_CROP_POINTS = 230.0, 330.0
_NARROW_PX = 520


class EvidenceCard(QAbstractButton):
    """One quote; a click shows it on its page."""

    def __init__(self, theme: Theme, pictures: Pictures, evidence: Evidence) -> None:
        super().__init__()
        self.evidence = evidence
        self._theme, self._pictures = theme, pictures
        self._picture: Picture | None = None
        self._asked = 0.0
        self._active = False
        self.set_low(False)
        place = wording.evidence_place(evidence)
        self.setAccessibleName(self.tr("Evidence {n}: {place}").format(n=evidence.n, place=place))
        note = wording.unsure_note(evidence)
        self.setAccessibleDescription(f"{evidence.quote} ({note})" if note else evidence.quote)
        self.setToolTip("\n".join(part for part in (place, f"“{_shortened(evidence.quote)}”", note) if part))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changed.connect(self.update)

    def set_active(self, active: bool) -> None:
        """Show whether this is the quote in the page pane."""
        self._active = active
        self.update()

    def set_low(self, low: bool) -> None:
        """Leave the picture little height, or its usual one."""
        usual = PICTURE_PX if self.evidence.figure is None else FIGURE_PX
        self._picture_px = LOW_PICTURE_PX if low else usual
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the usual size."""
        return QSize(220, self._picture_px + CAPTION_PX)

    def minimumSizeHint(self) -> QSize:
        """Return the least size."""
        return QSize(120, self._picture_px + CAPTION_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture of the place and a little around it, sharp at the new size."""
        super().resizeEvent(event)
        part = self._part()
        across = self.width() / (part.x1 - part.x0)
        scale = (across if self.evidence.figure is None else self._figure_ratio(part)) * self.devicePixelRatioF()
        if scale > self._asked * 1.01:
            self._asked = scale
            document, page = self.evidence.document, self.evidence.page
            self._pictures.ask(document, page, scale, self._take, lambda _message: None, part)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the crop of the page, and below it where it is from."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        tokens = self._theme.tokens
        whole = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        outline = QPainterPath()
        outline.addRoundedRect(whole, RADIUS_PX, RADIUS_PX)
        painter.fillPath(outline, QColor(tokens.hover if self.underMouse() else tokens.canvas))
        painter.save()
        painter.setClipPath(outline)
        self._paint_picture(painter, QRectF(0, 0, self.width(), self._picture_px))
        painter.restore()
        below = QRect(SPACE_8, self._picture_px + 6, self.width() - 2 * SPACE_8, CAPTION_PX - 12)
        self._paint_caption(painter, below)
        painter.setPen(QPen(QColor(tokens.accent if self._active else tokens.hairline), 2 if self._active else 1))
        painter.drawPath(outline)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(whole.adjusted(3, 3, -3, -3), RADIUS_PX - 2, RADIUS_PX - 2)

    def event(self, event: QEvent) -> bool:
        """Repaint when the pointer comes and goes."""
        if event.type() in (QEvent.Type.HoverEnter, QEvent.Type.HoverLeave):
            self.update()
        return super().event(event)

    def _take(self, picture: Picture) -> None:
        if isValid(self):  # another conversation may have been opened while the picture was drawn
            self._picture = picture
            self.update()

    def _part(self) -> BBox:
        """Return the part of the page, in points, that is asked for: high enough for the narrowest card.

        Of a figure it is the whole of it, with its caption.
        """
        if self.evidence.figure is not None:
            return self.evidence.figure
        box = self.evidence.bbox
        width = max(_LEAST_CROP_POINTS, min(box.x1 - box.x0 + 24, _MOST_CROP_POINTS))
        left, middle = box.x0 - 12, min((box.y0 + box.y1) / 2, box.y0 + width / 2)
        return BBox(left, middle - width / 2, left + width, middle + width / 2)

    def _figure_ratio(self, part: BBox) -> float:
        """Return the pixels per point at which a figure fits into its card."""
        return min(self.width() / max(part.x1 - part.x0, 1.0), self._picture_px / max(part.y1 - part.y0, 1.0))

    def _crop(self, picture: Picture, target: QRectF) -> QRectF:
        """Return what ``target`` shows of the page, in points: the quote's beginning, or the middle of a figure."""
        box, part = self.evidence.bbox, picture.part
        if self.evidence.figure is not None:
            ratio = self._figure_ratio(self.evidence.figure)
            width, height = target.width() / ratio, target.height() / ratio
            return QRectF(part.center().x() - width / 2, part.center().y() - height / 2, width, height)
        height = part.width() * target.height() / target.width()
        tall = box.y1 - box.y0 > height - 20
        top = box.y0 - 10 if tall else (box.y0 + box.y1 - height) / 2
        return QRectF(part.left(), max(part.top(), min(top, part.bottom() - height)), part.width(), height)

    def _paint_picture(self, painter: QPainter, target: QRectF) -> None:
        tokens = self._theme.tokens
        if self._picture is None:
            painter.fillRect(target, QColor(tokens.hover))
            return
        picture = self._picture
        crop = self._crop(picture, target)
        painter.setClipRect(target, Qt.ClipOperation.IntersectClip)
        painter.fillRect(target, QColor("#FFFFFF"))
        ratio = target.width() / crop.width()
        painter.translate(target.left() - crop.left() * ratio, target.top() - crop.top() * ratio)
        painter.scale(ratio, ratio)
        painter.drawImage(picture.part, picture.image)
        paint_lit(painter, rectangles(self.evidence), tokens.lit)

    def _paint_caption(self, painter: QPainter, room: QRect) -> None:
        tokens = self._theme.tokens
        badge = QRect(room.left(), room.top() + 1, _BADGE_PX, _BADGE_PX)
        paint_number(painter, badge, self.evidence.n, tokens.accent_soft, tokens.accent)
        font = QFont(self.font())
        font.setPixelSize(SMALL_PX + 1)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text))
        line = QRect(badge.right() + SPACE_8, room.top(), room.right() - badge.right() - SPACE_8, 20)
        name = wording.file_name(self.evidence.file)
        shown = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, shown)
        font.setPixelSize(SMALL_PX)
        painter.setFont(font)
        painter.setPen(QColor(tokens.muted))
        place = wording.page_name(self.evidence.page, self.evidence.page_label)
        place = wording.place_with_note(place, self.evidence)
        shown = painter.fontMetrics().elidedText(place, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line.translated(0, 19), Qt.AlignmentFlag.AlignVCenter, shown)


class EvidenceRow(QWidget):
    """The cards of a question: the first three, or two and the one in the page pane, until all are wanted."""

    opened = Signal(int)
    """The number of the evidence to show."""

    def __init__(self, theme: Theme, pictures: Pictures) -> None:
        super().__init__()
        self._theme, self._pictures = theme, pictures
        self.cards: list[EvidenceCard] = []
        self._columns = 0
        self._all = self._low = False
        self._guest: int | None = None
        self._grid = QGridLayout()
        self._grid.setSpacing(SPACE_12)
        self.more = TextButton(theme, "caret-down", "")
        self.more.clicked.connect(self._show_all_or_few)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_8)
        column.addLayout(self._grid)
        self.more.setProperty("edge", True)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def take(self, evidence: Sequence[Evidence]) -> None:
        """Show a card for each quote, keeping the cards of quotes that are there already."""
        if [card.evidence for card in self.cards] == list(evidence):
            return
        for card in self.cards:
            self._grid.removeWidget(card)
            card.deleteLater()
        self.cards = [EvidenceCard(self._theme, self._pictures, item) for item in evidence]
        for card in self.cards:
            card.setParent(self)
            card.set_low(self._low)
            card.clicked.connect(lambda _checked=False, n=card.evidence.n: self.opened.emit(n))
        self._arrange()
        self.setVisible(bool(self.cards))

    def set_low(self, low: bool) -> None:
        """Make the cards low, where the window has little height, or as high as usual."""
        if low != self._low:
            self._low = low
            for card in self.cards:
                card.set_low(low)

    def mark(self, n: int | None) -> None:
        """Show which quote is in the page pane."""
        for card in self.cards:
            card.set_active(card.evidence.n == n)
        if any(card.evidence.n == n and card.isHidden() for card in self.cards):
            self._guest = n
            self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put two or three cards in a line, as there is room."""
        super().resizeEvent(event)
        if self._columns_for_width() != self._columns:
            self._arrange()

    def _columns_for_width(self) -> int:
        return 3 if self.width() >= _NARROW_PX else 2

    def _show_all_or_few(self) -> None:
        self._all = not self._all
        self._arrange()

    def _few(self) -> list[EvidenceCard]:
        """Return the cards of one line. All of them would push the answer out of sight."""
        first = self.cards[: self._columns]
        guest = [card for card in self.cards if card.evidence.n == self._guest and card not in first]
        return [*first[: self._columns - len(guest)], *guest]

    def _arrange(self) -> None:
        self._columns = self._columns_for_width()
        few = self._few()
        rest = len(self.cards) - len(few)
        shown = self.cards if self._all else few
        for column in range(3):
            self._grid.setColumnStretch(column, 1 if column < self._columns else 0)
        for card in self.cards:
            self._grid.removeWidget(card)
            card.setVisible(card in shown)
        for at, card in enumerate(shown):
            self._grid.addWidget(card, at // self._columns, at % self._columns, Qt.AlignmentFlag.AlignTop)
        self.more.wear("caret-up" if self._all else "caret-down")
        self.more.setText(self.tr("Fewer") if self._all else self.tr("{rest} more").format(rest=rest))
        self.more.setAccessibleName(
            self.tr("Show fewer places") if self._all else self.tr("Show {rest} more places").format(rest=rest)
        )
        self.more.setVisible(rest > 0)


def paint_number(painter: QPainter, place: QRect, n: int, back: str, ink: str) -> None:
    """Paint the number of a citation in its little plate."""
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(back))
    painter.drawRoundedRect(place, 5, 5)
    font = QFont(painter.font())
    font.setPixelSize(11)
    font.setWeight(QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(QColor(ink))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(n))
    painter.restore()


def _shortened(text: str, most: int = 280) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
