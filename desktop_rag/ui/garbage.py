"""Sees to it that what the window no longer needs ends in the window's thread."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 1000


class WindowGarbage(QObject):
    """Collects garbage in this object's thread only, from a timer, in place of Python, which does so in any thread.

    An object of Qt may end only in the thread that it lives in. Python's collector runs in whichever thread happens to
    allocate, and PySide6 keeps what it knows of connections in a table without a lock: collected in the thread that
    hears the engine, a former dialog can end the program, or leave it looping in that table for ever.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.timeout.connect(self.collect)
        timer.start(_EVERY_MS)

    def collect(self) -> None:
        """Collect each generation that is due by Python's own thresholds."""
        for generation, (count, threshold) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True)):
            if count > threshold > 0:
                gc.collect(generation)
