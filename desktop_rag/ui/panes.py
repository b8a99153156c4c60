"""The three panes of the window beside each other, each with its share of the width until a person moves a border."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

_SIDEBAR_PX, _NARROW_SIDEBAR_PX = 264, 212
_NARROW_RESULTS_PX, _MOST_RESULTS_PX, _RESULTS_SHARE = 340, 620, 0.33
_NARROW_PX = 1200
_LEAST_PX = (200, 360, 300)


class Panes(QSplitter):
    """Side bar, conversation and results, from left to right."""

    def __init__(self, sidebar: QWidget, middle: QWidget, results: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._usual = True
        self._results = results
        self._before: list[int] | None = None
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        for at, pane in enumerate((sidebar, middle, results)):
            pane.setMinimumWidth(_LEAST_PX[at])
            self.addWidget(pane)
            self.setStretchFactor(at, 1 if pane is middle else 0)
        self.splitterMoved.connect(self._keep)

    def restore(self, state: QByteArray) -> None:
        """Give the panes the widths that they had."""
        self.restoreState(state)
        self._usual = False

    def show_results(self, shown: bool) -> None:
        """Open or close the right pane."""
        opening = shown and self._results.isHidden()
        self._results.setVisible(shown)
        if opening:
            self._share_out()

    def widen_results(self, wanted_px: int) -> None:
        """Give the right pane ``wanted_px``, as far as the conversation can spare them; 0 takes that back."""
        if not wanted_px:
            if self._before is not None:
                side, _, right = self._before
                self.setSizes([side, sum(self.sizes()) - side - right, right])
            self._before = None
            return
        side, middle, right = self.sizes()
        spare = min(wanted_px - right, middle - _LEAST_PX[1])
        if spare > 0 and right:
            self._before = self._before or [side, middle, right]
            self.setSizes([side, middle - spare, right + spare])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new width out."""
        super().resizeEvent(event)
        self._share_out()

    def _keep(self) -> None:
        self._usual = False

    def _share_out(self) -> None:
        if not self._usual or self._before is not None:
            return
        width = self.width()
        side = _SIDEBAR_PX if width >= _NARROW_PX else _NARROW_SIDEBAR_PX
        right = max(_NARROW_RESULTS_PX, min(_MOST_RESULTS_PX, int(width * _RESULTS_SHARE)))
        self.setSizes([side, width - side - right, right])
