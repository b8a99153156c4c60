"""The columns of the comparison: one way of searching each, and lines that tie the same page across columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from desktop_rag.core.reports import RouteResult
from desktop_rag.core.types import Route
from desktop_rag.ui import wording
from desktop_rag.ui.pictures import Pictures
from desktop_rag.ui.result_card import CARD_PX, ResultCard, Tie
from desktop_rag.ui.theme import SMALL_PX, SPACE_8, SPACE_12, Theme

LEAST_COLUMN_PX = 172
_GAP_PX = 30
_HEADER_PX = 84
_LEAST_STEP_MS = 0.5
_STEPS = ("embed", "vector search", "keyword search", "fuse", "merge", "rescore", "rerank")
"""A step has one colour in all columns; one that is not known here has the last."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

PageKey = tuple[str, int]


def ties_of(results: Sequence[RouteResult], colours: int) -> Mapping[PageKey, Tie]:
    """Return the tie of each page that at least two of ``results`` have, best ranks first."""
    columns: dict[PageKey, set[Route]] = {}
    best: dict[PageKey, int] = {}
    for result in results:
        for hit in result.hits:
            key = (hit.element.document, hit.element.page)
            columns.setdefault(key, set()).add(result.route)
            best[key] = min(best.get(key, hit.rank), hit.rank)
    shared = sorted((key for key in columns if len(columns[key]) > 1), key=lambda key: best[key])
    return {key: Tie(_LETTERS[at % len(_LETTERS)], at % colours) for at, key in enumerate(shared)}


class RouteHeader(QWidget):
    """The name of a way of searching, the time it took, and the share of each step in it."""

    def __init__(self, theme: Theme, result: RouteResult, slowest_ms: float) -> None:
        super().__init__()
        self._theme, self._result = theme, result
        self._share = result.ms / slowest_ms if slowest_ms else 1.0
        self._name = wording.route_name(result.route).capitalize()
        timed = [(wording.step_name(step), ms) for step, ms in result.stages.items()]
        self.steps = " · ".join(f"{step} {ms:.0f}" for step, ms in timed if ms >= _LEAST_STEP_MS)
        all_steps = " · ".join(f"{step} {wording.milliseconds(ms)}" for step, ms in timed)
        told = f"{self._name}, {wording.milliseconds(result.ms)}"
        self.setAccessibleName(told)
        self.setAccessibleDescription(all_steps)
        self.setToolTip(f"{told}\n{all_steps}".strip())
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint name, time, and a bar of the steps as long as the time is beside that of the slowest."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.desk))
        font = QFont(self.font())
        font.setPixelSize(14)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text))
        inner = self.contentsRect()
        top = QRect(inner.left(), SPACE_8, inner.width(), 20)
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._name)
        font.setPixelSize(SMALL_PX)
        font.setWeight(QFont.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(tokens.muted))
        time = wording.milliseconds(self._result.ms)
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, time)
        self._paint_steps(painter, QRectF(inner.left(), SPACE_8 + 24, inner.width() * self._share, 5))
        line = QRect(inner.left(), SPACE_8 + 32, inner.width(), 34)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(line, int(Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap), self.steps)

    def _paint_steps(self, painter: QPainter, room: QRectF) -> None:
        tokens = self._theme.tokens
        painter.fillRect(room, QColor(tokens.pressed))
        # Steps of routes inside a route run side by side, so that their sum can be more than the whole.
        total = max(self._result.ms, sum(self._result.stages.values()), 0.001)
        left = room.left()
        for name, ms in self._result.stages.items():
            width = room.width() * ms / total
            colour = tokens.series[_STEPS.index(name)] if name in _STEPS else tokens.series[-1]
            painter.fillRect(QRectF(left, room.top(), max(1.0, width - 1), room.height()), QColor(colour))
            left += width


class Board(QWidget):
    """Headers, results, and the ties between them."""

    chosen = Signal(object)
    """The ResultCard whose page is wanted."""
    marked = Signal(object)
    """The ResultCard whose page is the right one, or is not any more."""
    reached = Signal(object)
    """The ResultCard that the keyboard went to."""

    def __init__(self, theme: Theme, pictures: Pictures) -> None:
        super().__init__()
        self._theme, self._pictures = theme, pictures
        self.headers: list[RouteHeader] = []
        self.columns: list[list[ResultCard]] = []
        self._looked_at: PageKey | None = None
        self._scrolled = 0
        theme.changed.connect(self.update)

    @property
    def cards(self) -> list[ResultCard]:
        """All results, column by column."""
        return [card for column in self.columns for card in column]

    def take(self, question: str, results: Sequence[RouteResult], is_offline: Callable[[str], bool]) -> None:
        """Show what each way of searching found; ``is_offline`` tells which files cannot be reached now."""
        for old in (*self.headers, *self.cards):
            old.deleteLater()
        self._looked_at = None
        ties = ties_of(results, len(self._theme.tokens.series))
        slowest = max((result.ms for result in results), default=0.0)
        self.columns = []
        for result in results:
            column: list[ResultCard] = []
            for hit in result.hits:
                key = (hit.element.document, hit.element.page)
                card = ResultCard(self._theme, self._pictures, hit, question, ties.get(key), is_offline(hit.file))
                self._connect(card, len(self.columns), len(column))
                column.append(card)
            self.columns.append(column)
        self.headers = [RouteHeader(self._theme, result, slowest) for result in results]
        for widget in (*self.cards, *self.headers):
            widget.setParent(self)
            widget.show()
        for one, other in pairwise(self.cards):
            QWidget.setTabOrder(one, one.mark_button)
            QWidget.setTabOrder(one.mark_button, other)
        self.place(self._scrolled)

    def show_marks(self, pages: set[PageKey]) -> None:
        """Show which pages are marked as right ones for this question."""
        for card in self.cards:
            if card.right != (card.page_key in pages):
                card.set_right(card.page_key in pages)

    def activate(self, chosen: ResultCard | None) -> None:
        """Show which result is on the page below."""
        for card in self.cards:
            card.set_active(card is chosen)

    def place(self, scrolled: int) -> None:
        """Lay everything out; the headers stay in view however far it is ``scrolled``."""
        self._scrolled = scrolled
        count = max(1, len(self.columns))
        self.setMinimumWidth(count * LEAST_COLUMN_PX + (count - 1) * _GAP_PX + 2 * SPACE_12)
        ranks = max((len(column) for column in self.columns), default=0)
        self.setMinimumHeight(_HEADER_PX + ranks * (CARD_PX + SPACE_12) + SPACE_12)
        width = max(LEAST_COLUMN_PX, (self.width() - 2 * SPACE_12 - (count - 1) * _GAP_PX) // count)
        for at, column in enumerate(self.columns):
            left = SPACE_12 + at * (width + _GAP_PX)
            self.headers[at].setGeometry(left - SPACE_12, scrolled, width + _GAP_PX, _HEADER_PX - SPACE_8)
            self.headers[at].setContentsMargins(SPACE_12, 0, _GAP_PX - SPACE_12, 0)
            for rank, card in enumerate(column):
                card.setGeometry(left, _HEADER_PX + rank * (CARD_PX + SPACE_12), width, CARD_PX)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new width out."""
        super().resizeEvent(event)
        self.place(self._scrolled)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ties in the gaps between the columns."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        firsts: dict[PageKey, list[ResultCard]] = {}
        for column in self.columns:
            seen: set[PageKey] = set()
            for card in column:
                if card.tie is not None and card.page_key not in seen:
                    seen.add(card.page_key)
                    firsts.setdefault(card.page_key, []).append(card)
        for key, cards in firsts.items():
            for one, other in pairwise(cards):
                self._paint_tie(painter, one, other, key == self._looked_at)

    def _paint_tie(self, painter: QPainter, one: ResultCard, other: ResultCard, strong: bool) -> None:
        assert one.tie is not None
        start, end = _middle_right(one), _middle_left(other)
        reach = QPointF((end.x() - start.x()) / 2, 0)
        path = QPainterPath(start)
        path.cubicTo(start + reach, end - reach, end)
        colour = QColor(self._theme.tokens.series[one.tie.series])
        if self._looked_at is not None and not strong:
            colour.setAlpha(90)
        painter.setPen(QPen(colour, 3.5 if strong else 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for point in (start, end):
            painter.drawEllipse(point, 4, 4)

    def _connect(self, card: ResultCard, column: int, rank: int) -> None:
        card.clicked.connect(lambda: self.chosen.emit(card))
        card.marked.connect(lambda: self.marked.emit(card))
        card.moved.connect(lambda across, down: self._go(column + across, rank + down))
        card.looked_at.connect(lambda looked: self._look(card, looked))

    def _go(self, column: int, rank: int) -> None:
        if 0 <= column < len(self.columns) and self.columns[column]:
            ranks = self.columns[column]
            card = ranks[max(0, min(rank, len(ranks) - 1))]
            card.setFocus(Qt.FocusReason.OtherFocusReason)

    def _look(self, card: ResultCard, looked: bool) -> None:
        self._looked_at = card.page_key if looked and card.tie is not None else None
        for one in self.cards:
            one.set_strong(one.page_key == self._looked_at)
        self.update()
        if looked and card.hasFocus():
            self.reached.emit(card)


class BoardScroller(QScrollArea):
    """Lets all columns scroll together, and keeps what the keyboard is on in view, below the headers."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(board)
        self.verticalScrollBar().valueChanged.connect(board.place)
        board.reached.connect(self.reveal)

    def reveal(self, widget: QWidget | None) -> None:
        """Scroll until ``widget`` is in view."""
        if widget is not None and self._board.isAncestorOf(widget):
            top = widget.mapTo(self._board, QPoint(0, 0)).y()
            if top - _HEADER_PX < self.verticalScrollBar().value():
                self.verticalScrollBar().setValue(top - _HEADER_PX)
            self.ensureWidgetVisible(widget, SPACE_8, SPACE_8)


def _middle_right(card: ResultCard) -> QPointF:
    return QPointF(card.geometry().right() + 1, card.geometry().center().y())


def _middle_left(card: ResultCard) -> QPointF:
    return QPointF(card.geometry().left(), card.geometry().center().y())
