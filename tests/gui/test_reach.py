"""Everything can be reached by keyboard and by a screen reader, at any size and in any theme."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLineEdit, QPlainTextEdit, QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from desktop_rag.ui.actions import HelpSheet, Palette
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.results import Tab
from desktop_rag.ui.theme import ThemeName
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import FakeEngine
from tests.fixtures.fake_keeping import memory
from tests.gui.conftest import MakeWindow, answered

_CONTROLS = (QAbstractButton, QLineEdit, QPlainTextEdit, QAbstractItemView, QTextBrowser)


@pytest.mark.parametrize("tab", list(Tab))
def test_every_control_has_a_name(window: MainWindow, qtbot: QtBot, engine: FakeEngine, tab: Tab) -> None:
    engine.script.kept.memories = (memory("m", "Q means fiscal quarter."),)
    answered(qtbot, window, QUESTION)
    window.results.memory.kept.refresh()
    window.results.show_tab(tab)
    if tab is Tab.COMPARE:
        qtbot.waitUntil(lambda: bool(window.results.compare.board.cards))
    qtbot.waitUntil(lambda: bool(window.results.memory.rows))
    window.show_files()
    controls: list[QWidget] = [w for kind in _CONTROLS for w in window.findChildren(kind)]
    nameless = [
        (type(control).__name__, control.objectName())
        for control in controls
        if control.isVisible() and not control.accessibleName() and not getattr(control, "text", str)()
        if not control.objectName().startswith("qt_") and type(control.parent()) is not QLineEdit
    ]
    assert nameless == []


def test_tab_reaches_the_question_the_send_button_and_the_evidence(window: MainWindow, qtbot: QtBot) -> None:
    turn = answered(qtbot, window, QUESTION)
    window.chat.composer.edit.setFocus()
    seen = set()
    for _ in range(80):
        focused = window.focusWidget()
        seen.add(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert turn.cards.cards[0] in seen
    assert turn.ask_again in seen
    assert window.results.open_button in seen
    assert window.sidebar.add_button in seen


def test_keys_reach_the_panes(window: MainWindow, qtbot: QtBot) -> None:
    answered(qtbot, window, QUESTION)
    window.sidebar.threads.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert window.focusWidget() is window.chat.composer.edit
    qtbot.keyClick(window, Qt.Key.Key_F6)
    assert window.focusWidget() is window.results.page
    qtbot.keyClick(window, Qt.Key.Key_F6)
    assert window.focusWidget() is window.sidebar.threads
    qtbot.keyClick(window, Qt.Key.Key_F6)
    assert window.focusWidget() is window.chat.composer.edit


def test_no_two_actions_share_their_keys(window: MainWindow) -> None:
    keys = [key for action in window.shortcuts.table for key in action.keys]
    assert len(keys) == len(set(keys))


def test_f1_shows_the_keys(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F1)
    sheet = window.findChild(HelpSheet)
    assert sheet is not None
    assert sheet.isVisible()
    sheet.close()


def test_the_palette_runs_what_is_typed(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = window.findChild(Palette)
    assert palette is not None
    qtbot.keyClicks(palette.field, "every file")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.files is not None
    assert window.files.isVisible()


def test_the_palette_says_when_nothing_is_called_like_that(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = window.findChild(Palette)
    assert palette is not None
    assert palette.list.accessibleDescription() == ""
    qtbot.keyClicks(palette.field, "zzz")
    assert palette.list.accessibleDescription() == "Nothing that can be done is called that."
    empty = palette.list.viewport().grab().toImage()
    assert any(empty.pixelColor(x, y) != empty.pixelColor(0, 0) for x in range(8, 120) for y in range(8, 24))


@pytest.mark.parametrize("theme", [ThemeName.LIGHT, ThemeName.DARK, ThemeName.CONTRAST])
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 700)])
def test_nothing_runs_out_of_the_window(
    make: MakeWindow, qtbot: QtBot, theme: ThemeName, width: int, height: int
) -> None:
    window = make(theme, width, height)
    qtbot.waitUntil(lambda: window.session.folders_known)
    turn = answered(qtbot, window, QUESTION)
    assert window.width() == width
    assert turn.width() <= window.chat.scroller.viewport().width()
    for tab in Tab:
        window.results.show_tab(tab)
        qtbot.waitUntil(lambda shown=tab: shown is not Tab.COMPARE or bool(window.results.compare.board.cards))
        for button in window.findChildren(QAbstractButton):
            if button.isVisible() and button.text():
                assert button.width() >= button.minimumSizeHint().width(), button.text()
        assert window.width() == width


def test_the_theme_and_the_sizes_come_back(make: MakeWindow, qtbot: QtBot) -> None:
    window = make(None)
    menu = window.sidebar.menu_button.menu()
    next(action for action in menu.actions() if action.text() == "Dark").trigger()
    window.resize(1100, 760)
    window.close()
    again = make(None, 1100, 760)
    assert again.theme.choice is ThemeName.DARK
    assert again.size() == window.size()
