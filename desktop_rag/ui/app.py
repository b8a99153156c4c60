"""Starts the window."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QStyleFactory

from desktop_rag.core.paths import home
from desktop_rag.engine.client import EngineClient
from desktop_rag.ui.bridge import Bridge, ClientFactory
from desktop_rag.ui.garbage import WindowGarbage
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.session import Session
from desktop_rag.ui.theme import Theme, ThemeName, base_font
from desktop_rag.ui.window_state import WindowState

_SIGNAL_POLL_MS = 500


def make_application(arguments: Sequence[str] = ()) -> QApplication:
    """Return the Qt application, made once, with the program's name and the plain style under its style sheet.

    From then on garbage is collected in this thread only.
    """
    present = QApplication.instance()
    app = present if isinstance(present, QApplication) else QApplication(["desktop-rag", *arguments])
    if app.findChild(WindowGarbage) is None:
        WindowGarbage(app)
    app.setApplicationName("desktop-rag")
    QGuiApplication.setApplicationDisplayName("Desktop RAG")
    QGuiApplication.setDesktopFileName("desktop-rag")
    app.setStyle(QStyleFactory.create("Fusion"))
    app.setFont(base_font())
    return app


def engine_factory(base: Path | None = None) -> ClientFactory:
    """Return what makes the clients of real engines."""
    return lambda workspace, on_event, relocation: EngineClient(workspace, base, on_event, relocation=relocation)


def make_window(
    app: QApplication, factory: ClientFactory, base: Path | None = None, theme: ThemeName | None = None
) -> MainWindow:
    """Wire the window; nothing runs before :meth:`MainWindow.open_workspace`."""
    state = WindowState(base)
    colours = Theme(app, theme or state.theme)
    colours.apply()
    bridge = Bridge(factory, state.workspace)
    return MainWindow(colours, Session(bridge), state, base)


def run(workspace: str | None = None) -> int:
    """Open the window and return its exit code; ``workspace`` None means the one that was open last."""
    home().mkdir(parents=True, exist_ok=True)
    app = make_application()
    window = make_window(app, engine_factory())
    window.show()
    # After the first paint, so that the window is there before the engine takes the processor.
    QTimer.singleShot(0, window, lambda: window.open_workspace(workspace or window.state.workspace))
    _let_ctrl_c_close(window)
    return app.exec()


def _let_ctrl_c_close(window: MainWindow) -> None:
    """Close the window on Ctrl+C in the terminal; the timer gives Python a chance to see the signal."""
    signal.signal(signal.SIGINT, lambda _number, _frame: window.close())
    signal.signal(signal.SIGTERM, lambda _number, _frame: window.close())
    timer = QTimer(window)
    timer.timeout.connect(lambda: None)
    timer.start(_SIGNAL_POLL_MS)


if __name__ == "__main__":
    sys.exit(run())
