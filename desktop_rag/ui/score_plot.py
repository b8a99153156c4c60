"""The plot of a run of one's own questions: a bar for each way of searching, its interval, and the run before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QLineF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_rag.core.evaluation import OwnRun, RouteScore
from desktop_rag.core.types import Route
from desktop_rag.ui import wording
from desktop_rag.ui.theme import SMALL_PX, SPACE_4, SPACE_8, SPACE_12, Theme

SHOWN = ("hit@1", "hit@5", "mrr@10", "ndcg@10")
TIME = "time"
_BAR_PX, _ROW_PX, _TITLE_PX = 12, 20, 22
_NAME_PX, _VALUE_PX = 92, 176


class ScorePlot(QWidget):
    """Bars from 0 to 1 for each measure, and below them the times."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._scores: tuple[RouteScore, ...] = ()
        self._before: Mapping[Route, RouteScore] = {}
        self.setAccessibleName(self.tr("Plot of the last run"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def take(self, runs: Sequence[OwnRun]) -> None:
        """Show the first of ``runs``; marks show the second, if there is one."""
        self._scores = runs[0].scores if runs else ()
        self._before = {score.route: score for score in runs[1].scores} if len(runs) > 1 else {}
        self.setAccessibleDescription("; ".join(self._spoken(score) for score in self._scores))
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height that all bars take."""
        groups = len(SHOWN) + 1
        return QSize(360, groups * (_TITLE_PX + len(self._scores) * _ROW_PX + SPACE_8) if self._scores else 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a group for each measure, then one for the times."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = 0.0
        for name in (*SHOWN, TIME):
            self._text(painter, QRectF(0, top, self.width(), _TITLE_PX), wording.measure_name(name), strong=True)
            top += _TITLE_PX
            for at, score in enumerate(self._scores):
                self._paint_row(painter, name, score, at, top)
                top += _ROW_PX
            top += SPACE_8

    def _paint_row(self, painter: QPainter, name: str, score: RouteScore, at: int, top: float) -> None:
        tokens = self._theme.tokens
        track = QRectF(
            _NAME_PX, top + (_ROW_PX - _BAR_PX) / 2, max(40, self.width() - _NAME_PX - _VALUE_PX - SPACE_12), _BAR_PX
        )
        self._text(painter, QRectF(0, top, _NAME_PX - SPACE_4, _ROW_PX), wording.route_name(score.route))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.canvas))
        painter.drawRoundedRect(track, 3, 3)
        bar = QRectF(track)
        bar.setWidth(track.width() * self._share(name, score))
        painter.setBrush(QColor(tokens.series[at % len(tokens.series)]))
        painter.drawRoundedRect(bar, 3, 3)
        if name != TIME:
            estimate = score.measures[name]
            self._paint_interval(painter, track, estimate.low, estimate.high)
        old = self._before.get(score.route)
        if old is not None:
            x = track.left() + track.width() * self._share(name, old)
            painter.setPen(QPen(QColor(tokens.text), 2, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(x, track.top() - 3, x, track.bottom() + 3))
        room = QRectF(self.width() - _VALUE_PX, top, _VALUE_PX, _ROW_PX)
        self._text(painter, room, value_text(name, score, old))

    def _paint_interval(self, painter: QPainter, track: QRectF, low: float, high: float) -> None:
        middle = track.center().y()
        left, right = (track.left() + track.width() * share for share in (low, high))
        lines = [QLineF(left, middle, right, middle)]
        lines += [QLineF(x, middle - 3, x, middle + 3) for x in (left, right)]
        # A rim in the colour of the ground keeps the line apart from the bar, whatever colour that has.
        for colour, width in ((self._theme.tokens.canvas, 4.0), (self._theme.tokens.text, 1.5)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawLines(lines)

    def _share(self, name: str, score: RouteScore) -> float:
        if name != TIME:
            return score.measures[name].value
        shown = (*self._scores, *self._before.values())
        return score.ms_p50 / max(max(one.ms_p50 for one in shown), 0.001)

    def _text(self, painter: QPainter, room: QRectF, text: str, strong: bool = False) -> None:
        font = QFont(self.font())
        font.setPixelSize(SMALL_PX)
        font.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens.text if strong else self._theme.tokens.muted))
        place: QRect = room.toRect()
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def _spoken(self, score: RouteScore) -> str:
        said = [f"{wording.measure_name(name)} {score.measures[name].value:.2f}" for name in SHOWN]
        return f"{wording.route_name(score.route)}: {', '.join(said)}, {wording.milliseconds(score.ms_p50)}"


def value_text(name: str, score: RouteScore, old: RouteScore | None, interval: bool = True) -> str:
    """Return a value, its ``interval`` if that is wanted, and how it changed since the run before."""
    if name == TIME:
        change = "" if old is None else f"  ({score.ms_p50 - old.ms_p50:+.0f})"
        return f"{wording.milliseconds(score.ms_p50)}{change}"
    one = score.measures[name]
    change = "" if old is None else f"  ({one.value - old.measures[name].value:+.2f})"
    around = f" [{one.low:.2f}–{one.high:.2f}]" if interval else ""
    return f"{one.value:.2f}{around}{change}"
