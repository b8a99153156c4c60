"""One result in a column of the comparison: the page in small, where it is from, and its words with the matches lit."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QAbstractButton
from shiboken6 import isValid

from desktop_rag.core.answers import Evidence
from desktop_rag.core.types import Hit
from desktop_rag.ui import wording
from desktop_rag.ui.lit import paint_lit, rectangles
from desktop_rag.ui.pictures import Picture, Pictures
from desktop_rag.ui.snippets import snippet
from desktop_rag.ui.theme import LIGHT, RADIUS_PX, SMALL_PX, SPACE_4, SPACE_8, SPACE_12, Theme
from desktop_rag.ui.widgets import IconButton

CARD_PX = 178
_THUMB_W, _THUMB_H = 54, 72
_THUMB_SCALE = 0.14
_LINES, _LINE_PX = 3, 17
_MARK_PX = 26
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


@dataclass(frozen=True, slots=True)
class Tie:
    """What binds the results that stand on one page: a letter and a number of the table of colours."""

    letter: str
    series: int


def as_evidence(hit: Hit) -> Evidence:
    """Return a hit as something that can be lit on its page; its number is its rank."""
    element = hit.element
    return Evidence(
        n=hit.rank,
        quote=element.text,
        file=hit.file,
        document=element.document,
        element=element.id,
        title=element.title,
        page=element.page,
        page_label="",
        bbox=element.bbox,
        boxes=tuple(span.bbox for span in element.spans),
        kind=element.kind,
        score=hit.score,
        heading=element.heading,
        confidence=min((span.confidence for span in element.spans), default=1.0),
    )


class ResultCard(QAbstractButton):
    """A result; a click or Enter shows its page, arrows go to the neighbours, the small button marks the page."""

    marked = Signal()
    moved = Signal(int, int)
    """Columns and ranks to go, by an arrow key."""
    looked_at = Signal(bool)
    """Whether the pointer or the keyboard is on this result."""

    def __init__(
        self, theme: Theme, pictures: Pictures, hit: Hit, question: str, tie: Tie | None, offline: bool = False
    ) -> None:
        """``offline`` results are of a file that cannot be reached now."""
        super().__init__()
        self.evidence = as_evidence(hit)
        self.tie = tie
        self._offline = self.tr("offline") if offline else ""
        self.right = False
        self.strong = False
        self._active = False
        self._theme, self._pictures = theme, pictures
        self._snippet = snippet(hit.element.text, question)
        self._picture: Picture | None = None
        self._asked = False
        self.mark_button = IconButton(theme, "check", "", size_px=16)
        self.mark_button.setParent(self)
        self.mark_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.mark_button.clicked.connect(self.marked)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.set_right(False)
        theme.changed.connect(self.update)

    @property
    def page_key(self) -> tuple[str, int]:
        """What results on one page have in common."""
        return self.evidence.document, self.evidence.page

    def set_right(self, right: bool) -> None:
        """Show whether a person marked this page as the right one."""
        self.right = right
        self.mark_button.wear("check-circle-fill" if right else "check", "good" if right else "muted")
        self.mark_button.say(self.tr("Not the right page after all") if right else self.tr("This is the right page"))
        self._say()
        self.update()

    def set_strong(self, strong: bool) -> None:
        """Stand out, with the other results on this page."""
        if strong != self.strong:
            self.strong = strong
            self.update()

    def set_active(self, active: bool) -> None:
        """Show whether this is the result on the page below."""
        self._active = active
        self.update()

    def sizeHint(self) -> QSize:
        """Return the usual size."""
        return QSize(200, CARD_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the small button in its corner."""
        super().resizeEvent(event)
        self.mark_button.setGeometry(self.width() - _MARK_PX - SPACE_4, SPACE_4, _MARK_PX, _MARK_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open on Enter, go to neighbours on arrows."""
        step = _ARROWS.get(Qt.Key(event.key()))
        if step is not None:
            self.moved.emit(*step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Let the ties of this page stand out."""
        super().enterEvent(event)
        self.looked_at.emit(True)

    def leaveEvent(self, event: QEvent) -> None:
        """Let them step back."""
        super().leaveEvent(event)
        self.looked_at.emit(False)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard looks, too."""
        super().focusInEvent(event)
        self.looked_at.emit(True)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The keyboard went on."""
        super().focusOutEvent(event)
        self.looked_at.emit(False)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page in small, the place, and the words."""
        self._ask()
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        whole = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        strong = self._active or self.hasFocus()
        edge = tokens.accent if strong else tokens.series[self.tie.series] if self.tie and self.strong else ""
        painter.setPen(QPen(QColor(edge or tokens.hairline), 2 if edge else 1))
        painter.setBrush(QColor(tokens.hover if self.underMouse() else tokens.canvas))
        painter.drawRoundedRect(whole, RADIUS_PX, RADIUS_PX)
        self._paint_page(painter, QRectF(SPACE_8 + 2, SPACE_8 + 2, _THUMB_W, _THUMB_H))
        self._paint_head(painter, QRect(_THUMB_W + 2 * SPACE_8 + 2, SPACE_8, 0, 0))
        self._paint_words(painter, QRectF(SPACE_8 + 2, _THUMB_H + SPACE_8 + 27, self.width() - 2 * SPACE_8 - 4, 0))

    def _ask(self) -> None:
        """Ask for the picture at the first paint: what is never scrolled to is never drawn."""
        if not self._asked:
            self._asked = True
            scale = _THUMB_SCALE * self.devicePixelRatioF()
            self._pictures.ask(*self.page_key, scale, self._take, lambda _message: None)

    def _take(self, picture: Picture) -> None:
        if isValid(self):  # another question may have been compared while the picture was drawn
            self._picture = picture
            self.update()

    def _paint_page(self, painter: QPainter, room: QRectF) -> None:
        tokens = self._theme.tokens
        picture = self._picture
        if picture is None:
            painter.fillRect(room, QColor(tokens.hover))
            return
        ratio = min(room.width() / picture.part.width(), room.height() / picture.part.height())
        size = picture.part.size() * ratio
        painter.save()
        painter.translate(room.center().x() - size.width() / 2, room.center().y() - size.height() / 2)
        painter.scale(ratio, ratio)
        page = QRectF(0, 0, picture.part.width(), picture.part.height())
        painter.fillRect(page, QColor("#FFFFFF"))
        painter.setClipRect(page)
        painter.drawImage(page, picture.image)
        paint_lit(painter, rectangles(self.evidence), tokens.lit)
        painter.restore()
        painter.setPen(QColor(tokens.hairline))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(room.center() - QPointF(size.width() / 2, size.height() / 2), size))

    def _paint_head(self, painter: QPainter, at: QRect) -> None:
        tokens, left, item = self._theme.tokens, at.left(), self.evidence
        room = self.width() - left - SPACE_8
        font = QFont(self.font())
        font.setPixelSize(15)
        font.setWeight(QFont.Weight.DemiBold)
        self._line(painter, font, tokens.text, QRect(left, at.top(), room - _MARK_PX, 22), str(item.n))
        font.setWeight(QFont.Weight.Normal)
        font.setPixelSize(SMALL_PX)
        away = QRect(left + 2 * SPACE_12, at.top(), room - _MARK_PX - 2 * SPACE_12, 22)
        self._line(painter, font, tokens.muted, away, self._offline)
        place = f"{wording.page_name(item.page)} · {score_text(item.score)}"
        self._line(painter, font, tokens.muted, QRect(left, at.top() + 24, room, 17), place)
        self._paint_badge(painter, font, QRect(left, at.top() + 46, room, 18))
        font.setPixelSize(SMALL_PX + 1)
        name = QRect(SPACE_8 + 2, _THUMB_H + SPACE_8 + 6, self.width() - 2 * SPACE_8 - 4, 19)
        file = wording.file_name(item.file)
        self._line(painter, font, tokens.text, name, file, Qt.TextElideMode.ElideMiddle)

    def _paint_badge(self, painter: QPainter, font: QFont, room: QRect) -> None:
        """Paint the tab of the tied page, or that only this column has it."""
        tokens = self._theme.tokens
        if self.tie is None:
            both = self.tr("only here · right page") if self.right else self.tr("only here")
            self._line(painter, font, tokens.good if self.right else tokens.warn, room, both)
            return
        colour = QColor(tokens.series[self.tie.series])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(QRect(room.left(), room.top() + 1, 18, 16), 4, 4)
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(QColor(tokens.canvas))
        painter.drawText(QRect(room.left(), room.top() + 1, 18, 16), Qt.AlignmentFlag.AlignCenter, self.tie.letter)
        if self.right:
            self._line(painter, font, tokens.good, room.adjusted(24, 0, 0, 0), self.tr("right page"))

    def _line(
        self,
        painter: QPainter,
        font: QFont,
        colour: str,
        room: QRect,
        text: str,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        painter.setFont(font)
        painter.setPen(QColor(colour))
        shown = painter.fontMetrics().elidedText(text, mode, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def _paint_words(self, painter: QPainter, room: QRectF) -> None:
        font = QFont(self.font())
        font.setPixelSize(SMALL_PX)
        painter.setPen(QColor(self._theme.tokens.text))
        layout = QTextLayout(self._snippet.text, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats([_lit_range(start, length, self._theme) for start, length in self._snippet.lit])
        layout.beginLayout()
        for at in range(_LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(room.width())
            line.setPosition(QPointF(0, at * _LINE_PX))
        layout.endLayout()
        layout.draw(painter, room.topLeft())

    def _say(self) -> None:
        item = self.evidence
        name = self.tr("Result {n}: {place}").format(n=item.n, place=wording.evidence_place(item))
        bound = self.tr("only in this column") if self.tie is None else self.tr("also in other columns")
        right = self.tr("marked as the right page") if self.right else ""
        self.setAccessibleName(", ".join(part for part in (name, bound, right, self._offline) if part))
        self.setAccessibleDescription(self._snippet.text)
        self.setToolTip(f"{wording.evidence_place(item)}\n{self._snippet.text}")


def score_text(score: float) -> str:
    """Return a score with three figures that matter, whatever its scale."""
    return f"{score:.1f}" if abs(score) >= 10 else f"{score:.3f}"


def _lit_range(start: int, length: int, theme: Theme) -> QTextLayout.FormatRange:
    form = QTextCharFormat()
    form.setBackground(QColor(theme.tokens.lit))
    form.setForeground(QColor(LIGHT.text))  # dark letters on amber in every theme, as on a page
    found = QTextLayout.FormatRange()
    found.start, found.length, found.format = start, length, form
    return found
