"""The measured processes: ``python -m benchmarks.window_probe paint|stall bare|ours …``, which print JSON.

``bare`` is an empty Qt window with a label, beside which the program's own is measured.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

_TICK_MS = 5
_BIG_STALL_MS = 50
_LONGEST_SECONDS = 900


class FirstPaint(QObject):
    """Calls back once the first widget has been painted."""

    def __init__(self, app: QApplication, painted: Callable[[], None]) -> None:
        super().__init__()
        self._painted: Callable[[], None] | None = painted
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wait for the first paint; the call comes from the event loop, when that paint is over."""
        if self._painted is not None and event.type() == QEvent.Type.Paint and watched.isWidgetType():
            QTimer.singleShot(0, self._painted)
            self._painted = None
        return False


class Stalls(QObject):
    """Measures how much later than asked for the event loop comes round, every few milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: list[float] = []
        self._began = self._last = time.perf_counter()
        self._longest = self._longest_at = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Begin to measure."""
        self._began = self._last = time.perf_counter()
        self._timer.start(_TICK_MS)

    def _tick(self) -> None:
        now = time.perf_counter()
        late = max(0.0, (now - self._last) * 1000 - _TICK_MS)
        if late > self._longest:
            self._longest, self._longest_at = late, now - self._began
        self.late_ms.append(late)
        self._last = now

    def summary(self) -> dict[str, object]:
        """Return the longest, when it was, the 99.9th percentile, and how many were above 50 ms."""
        late = sorted(self.late_ms)
        return {
            "longest_ms": late[-1],
            "longest_at_s": self._longest_at,
            "p999_ms": late[int(len(late) * 0.999)],
            "big": sum(ms > _BIG_STALL_MS for ms in late),
            "ticks": len(late),
        }


def _say(values: dict[str, object]) -> None:
    print(json.dumps(values), flush=True)


def _bare_window(app: QApplication) -> QMainWindow:
    window = QMainWindow()
    window.setCentralWidget(QLabel("Hello"))
    window.resize(1440, 900)
    return window


def _paint(kind: str, started: float, base: Path) -> None:
    """``started`` is the wall-clock time at which the parent started this process."""
    before = time.perf_counter()
    if kind == "ours":
        from desktop_rag.ui.app import engine_factory, make_application, make_window

        imported = time.perf_counter() - before
        app = make_application()
        window: QMainWindow = make_window(app, engine_factory(base), base)
    else:
        imported = 0.0
        app = QApplication([])
        window = _bare_window(app)

    def painted() -> None:
        _say({"paint_s": time.time() - started, "import_s": imported})
        os._exit(0)

    watch = FirstPaint(app, painted)
    window.show()
    app.exec()
    del watch


def _stall_bare() -> None:
    """Measure until the parent closes our standard input: what the busy machine does to any program."""
    app = QApplication([])
    window = _bare_window(app)
    window.show()
    stalls = Stalls()
    QTimer.singleShot(0, stalls.start)

    closed = threading.Event()

    def wait_for_parent() -> None:
        os.read(sys.stdin.fileno(), 1)  # returns when the other end is closed
        closed.set()

    threading.Thread(target=wait_for_parent, daemon=True).start()
    poll = QTimer()
    poll.timeout.connect(lambda: app.quit() if closed.is_set() else None)
    poll.start(100)
    app.exec()
    _say(stalls.summary())


def _stall_ours(base: Path, folder: Path) -> None:
    from desktop_rag.core.events import SyncDone
    from desktop_rag.ui.app import engine_factory, make_application, make_window
    from desktop_rag.ui.session import EngineState

    app = make_application()
    window = make_window(app, engine_factory(base), base)
    stalls = Stalls()
    began = time.perf_counter()
    outcome: dict[str, object] = {"failure": "the indexing did not end in time"}

    def engine_changed(state: EngineState, message: str) -> None:
        if state is EngineState.READY:
            stalls.start()
            window.session.add_paths([str(folder)])
        elif message:
            outcome["failure"] = message

    def sync_done(done: SyncDone) -> None:
        if done.indexed == 0:
            return  # the look at the empty workspace
        outcome.clear()
        outcome.update(stalls.summary(), seconds=time.perf_counter() - began, files=done.indexed)
        QTimer.singleShot(0, app.quit)

    window.session.engine_changed.connect(engine_changed)
    window.session.sync_done.connect(sync_done)
    window.show()
    QTimer.singleShot(0, lambda: window.open_workspace("default"))
    QTimer.singleShot(_LONGEST_SECONDS * 1000, app.quit)
    app.exec()
    window.close()
    _say(outcome)


def _main(what: str, kind: str, *rest: str) -> None:
    if what == "paint":
        _paint(kind, float(rest[0]), Path(rest[1]))
    elif kind == "bare":
        _stall_bare()
    else:
        _stall_ours(Path(rest[0]), Path(rest[1]))


if __name__ == "__main__":
    _main(*sys.argv[1:])
