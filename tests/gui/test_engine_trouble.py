"""The engine dies, gives up, or belongs to another window: the window stays, says so, and offers the remedy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.session import EngineState
from desktop_rag.ui.turn_view import TurnState
from desktop_rag.ui.welcome import WelcomeState
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import FakeEngine
from tests.gui.conftest import MakeWindow, answered, ask

_LEFT = Qt.MouseButton.LeftButton


def test_an_engine_that_dies_while_answering_leaves_the_evidence_and_offers_to_ask_again(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.script.die_after_evidence = True
    turn = answered(qtbot, window, QUESTION)
    assert turn.state is TurnState.INTERRUPTED
    assert len(turn.cards.cards) == 4
    assert turn.cards.isVisible()
    assert "The engine stopped while it was answering" in turn.message
    qtbot.waitUntil(lambda: window.session.engine is EngineState.READY)
    assert window.banner.message == "The engine is running again. Nothing was lost."
    qtbot.waitUntil(lambda: window.chat.thread_id is not None)
    qtbot.mouseClick(turn.ask_again, _LEFT)
    again = window.chat.turns[-1]
    qtbot.waitUntil(lambda: again.state is TurnState.DONE)
    assert len(window.session.threads) == 1


def test_an_engine_that_gives_up_can_be_started_again(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.script.die_after_evidence = True
    engine.script.restarts = False
    ask(qtbot, window, QUESTION)
    qtbot.waitUntil(lambda: window.session.engine is EngineState.GONE)
    assert window.banner.message == "The engine stopped."
    assert not window.chat.composer.send.isEnabled()
    button = next(b for b in window.banner.findChildren(QPushButton) if b.text() == "Start again")
    qtbot.mouseClick(button, _LEFT)
    qtbot.waitUntil(lambda: window.session.engine is EngineState.READY)


def test_a_second_window_on_a_workspace_says_why_and_tries_again(
    make: MakeWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.script.refuse = True
    window = make()
    welcome = window.chat.welcome
    qtbot.waitUntil(lambda: welcome.state is WelcomeState.BLOCKED)
    assert welcome.isVisible()
    assert "is open in another window. Close that one" in welcome.body.text()
    assert not window.chat.composer.send.isEnabled()
    assert not window.sidebar.no_folders.isVisible()  # nobody knows yet whether there are any
    window.session.add_paths(["/home/ann/Reports"])
    qtbot.waitUntil(lambda: "Nothing was added" in window.banner.message)
    engine.script.refuse = False
    qtbot.mouseClick(welcome.retry_button, _LEFT)
    qtbot.waitUntil(lambda: welcome.state is WelcomeState.READY)


def test_another_workspace_has_its_own_engine_and_nothing_of_the_first(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    answered(qtbot, window, QUESTION)
    window.open_workspace("Private")
    assert not window.chat.turns
    assert not window.results.isVisible()
    qtbot.waitUntil(lambda: window.session.engine is EngineState.READY)
    assert engine.client.workspace == "Private"
    assert window.sidebar.workspace_button.text() == "Private"
    assert "Private" in window.windowTitle()


def test_a_workspace_name_that_no_folder_could_have_is_refused(window: MainWindow) -> None:
    window.open_workspace("a/b")
    assert "cannot be the name of a workspace" in window.banner.message
    assert window.session.workspace == "default"
