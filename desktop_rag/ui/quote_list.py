"""The list of quotes under the page: number, words, place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QAbstractButton, QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from desktop_rag.core.answers import Evidence
from desktop_rag.ui import wording
from desktop_rag.ui.evidence_cards import paint_number
from desktop_rag.ui.theme import RADIUS_PX, SMALL_PX, SPACE_4, SPACE_8, SPACE_12, Theme

_LINES = 2
_LINE_PX = 19
_FRAME_PX = SPACE_8 * 2 + 18
_LEFT_PX = SPACE_8 + 18 + SPACE_8 + 2


class QuoteRow(QAbstractButton):
    """One quote: two lines of its words and where they stand."""

    def __init__(self, theme: Theme, evidence: Evidence) -> None:
        super().__init__()
        self.evidence = evidence
        self._theme = theme
        self._active = self._offline = False
        self._lines = _LINES
        self.setAccessibleName(self.tr("Quote {n}: {quote}").format(n=evidence.n, quote=evidence.quote))
        note = wording.unsure_note(evidence)
        self.setAccessibleDescription(self.place)
        self.setToolTip(f"{evidence.quote}\n({note})" if note else evidence.quote)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changed.connect(self.update)

    @property
    def place(self) -> str:
        """Where the quote stands, and what else there is to say of it."""
        place = wording.place_with_note(wording.evidence_place(self.evidence), self.evidence)
        return wording.joined(place, self.tr("offline")) if self._offline else place

    def set_offline(self, offline: bool) -> None:
        """Show whether the file lies in a folder that cannot be reached now."""
        self._offline = offline
        self.setAccessibleDescription(self.place)
        self.update()

    def set_active(self, active: bool) -> None:
        """Show whether this quote is the one in question."""
        self._active = active
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of a row."""
        return QSize(200, _FRAME_PX + self._lines * _LINE_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take one line or two, as the quote needs."""
        super().resizeEvent(event)
        advance = QFontMetrics(self._font()).horizontalAdvance(self._words())
        lines = 1 if advance <= self._room_px() else _LINES
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        """Repaint when the pointer comes and goes."""
        if event.type() in (QEvent.Type.HoverEnter, QEvent.Type.HoverLeave):
            self.update()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint number, quote and place."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._active or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft if self._active else tokens.hover))
            painter.drawRoundedRect(self.rect(), RADIUS_PX, RADIUS_PX)
        if self.hasFocus():
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)
        number = QRect(SPACE_8, SPACE_8 + 1, 18, 18)
        back, ink = (tokens.accent, tokens.on_accent) if self._active else (tokens.accent_soft, tokens.accent)
        paint_number(painter, number, self.evidence.n, back, ink)
        left = _LEFT_PX
        self._paint_words(painter, QRect(left, SPACE_8, self._room_px(), self._lines * _LINE_PX))
        font = QFont(self.font())
        font.setPixelSize(SMALL_PX)
        painter.setFont(font)
        painter.setPen(QColor(tokens.muted))
        place = QRect(left, SPACE_8 + self._lines * _LINE_PX, self.width() - left - SPACE_8, 18)
        shown = painter.fontMetrics().elidedText(self.place, Qt.TextElideMode.ElideMiddle, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, shown)

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(13)
        return font

    def _words(self) -> str:
        return f"“{' '.join(self.evidence.quote.split())}”"

    def _room_px(self) -> int:
        return self.width() - _LEFT_PX - SPACE_8

    def _paint_words(self, painter: QPainter, room: QRect) -> None:
        font = self._font()
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens.text))
        text = self._words()
        layout = QTextLayout(text, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        for at in range(_LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(room.width())
            origin = QPointF(room.left(), room.top() + at * _LINE_PX)
            if at == _LINES - 1 and line.textStart() + line.textLength() < len(text):
                rest = text[line.textStart() :]
                shown = painter.fontMetrics().elidedText(rest, Qt.TextElideMode.ElideRight, room.width())
                painter.drawText(QPointF(origin.x(), origin.y() + line.ascent()), shown)
            else:
                line.draw(painter, origin)
        layout.endLayout()


class QuoteList(QScrollArea):
    """All quotes of an answer."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.rows: list[QuoteRow] = []
        self.setAccessibleName(self.tr("Quotes"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = QWidget()
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(SPACE_8, SPACE_4, SPACE_8, SPACE_12)
        self._column.setSpacing(2)
        self._column.addStretch(1)
        self.setWidget(inside)

    def take(self, evidence: Sequence[Evidence]) -> None:
        """Show these quotes."""
        if [row.evidence for row in self.rows] == list(evidence):
            return
        for row in self.rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self.rows = [QuoteRow(self._theme, item) for item in evidence]
        for at, row in enumerate(self.rows):
            row.clicked.connect(lambda _checked=False, n=row.evidence.n: self.chosen.emit(n))
            self._column.insertWidget(at, row)

    def mark_offline(self, is_offline: Callable[[str], bool]) -> None:
        """Say of which files ``is_offline`` holds that they cannot be reached now."""
        for row in self.rows:
            row.set_offline(is_offline(row.evidence.file))

    def mark(self, n: int | None) -> None:
        """Show which quote is in question."""
        for row in self.rows:
            row.set_active(row.evidence.n == n)
            if row.evidence.n == n:
                self.ensureWidgetVisible(row, 0, SPACE_8)
