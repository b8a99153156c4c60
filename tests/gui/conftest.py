"""A window over a double of the engine, and the helpers to drive it as a person would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_rag.ui.app import make_application, make_window
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.theme import ThemeName
from desktop_rag.ui.turn_view import TurnState, TurnView
from tests.fixtures.fake_engine import FakeEngine, Script, folder

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the platform without a screen say what it cannot do; every other word of Qt fails the test."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support", extend=True))


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    """Return the application as the program makes it."""
    return make_application()


@pytest.fixture(scope="module", autouse=True)
def garbage_of_windows(garbage_in_one_thread: None) -> None:
    """Every test here opens a window."""


@pytest.fixture
def engine() -> FakeEngine:
    """Return an engine with one folder of three files that are ready."""
    return FakeEngine(Script(folders=(folder(1, "/home/ann/Reports", 3, 3),)))


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """Return pytest-qt's bot, which waits longer for a condition than its 5 seconds: few on a busy machine."""
    bot = QtBot(request)
    bot.waitUntil = partial(bot.waitUntil, timeout=60_000)
    return bot


MakeWindow = Callable[..., MainWindow]


@pytest.fixture
def make(qapp: QApplication, qtbot: QtBot, engine: FakeEngine, data_home: Path) -> Iterator[MakeWindow]:
    """Return a function that opens a window over ``engine`` and waits until it is there."""
    windows = []

    def open_window(theme: ThemeName | None = ThemeName.LIGHT, width: int = 1440, height: int = 900) -> MainWindow:
        window = make_window(qapp, engine, data_home, theme)
        window.resize(width, height)
        windows.append(window)
        with qtbot.waitExposed(window):
            window.show()
        window.open_workspace("default")
        return window

    yield open_window
    for window in windows:
        window.close()
        window.deleteLater()
    engine.script.hold.set()


@pytest.fixture
def window(make: MakeWindow, qtbot: QtBot) -> MainWindow:
    """Return a window that is ready for a question."""
    window = make()
    qtbot.waitUntil(lambda: window.session.folders_known and bool(window.session.model.llm_name))
    return window


def press(qtbot: QtBot, window: MainWindow, key: Qt.Key, modifier: Qt.KeyboardModifier) -> None:
    """Press a key of the window; only the window in front hears its keys, and on a busy machine it comes there late."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, key, modifier)


def ask(qtbot: QtBot, window: MainWindow, question: str) -> TurnView:
    """Type ``question`` and press Enter."""
    edit = window.chat.composer.edit
    edit.setFocus()
    qtbot.keyClicks(edit, question)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    return window.chat.turns[-1]


def answered(qtbot: QtBot, window: MainWindow, question: str) -> TurnView:
    """Ask ``question`` and wait for the end of the answer."""
    turn = ask(qtbot, window, question)
    qtbot.waitUntil(lambda: turn.state in (TurnState.DONE, TurnState.INTERRUPTED) and not window.chat.busy)
    return turn
