"""From an empty window to watched folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from desktop_rag.core.events import LedgerChanged
from desktop_rag.engine.protocol import SyncState, SyncStateChanged
from desktop_rag.ui import suggestions
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.welcome import WelcomeState
from tests.fixtures.fake_engine import FakeEngine, Script, folder
from tests.gui.conftest import MakeWindow, ask

_MOVE = Qt.DropAction.CopyAction
_LEFT = Qt.MouseButton.LeftButton
_PLAIN = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(Script())


def _dragged(*paths: Path) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return mime


def _drag(window: MainWindow, mime: QMimeData) -> None:
    window.dragEnterEvent(QDragEnterEvent(QPoint(300, 300), _MOVE, mime, _LEFT, _PLAIN))


def _drop(window: MainWindow, mime: QMimeData) -> None:
    window.dropEvent(QDropEvent(QPointF(300, 300), _MOVE, mime, _LEFT, _PLAIN))


def test_an_empty_window_says_what_to_do(window: MainWindow) -> None:
    welcome = window.chat.welcome
    assert welcome.state is WelcomeState.NOTHING
    assert "Drop a folder" in welcome.body.text()
    assert welcome.add_button.isVisible()
    assert welcome.samples_button.isVisible()
    assert not window.results.isVisible()


def test_at_the_least_size_the_steps_are_not_clipped(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(window.minimumSize())
    welcome = window.chat.welcome
    for words in welcome.findChildren(QLabel):
        if words.isVisible() and words.wordWrap():
            qtbot.waitUntil(lambda words=words: words.height() >= words.heightForWidth(words.width()))


def test_without_folders_the_status_bar_does_not_claim_to_look_at_any(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.client.tell(SyncStateChanged(SyncState.RUNNING))
    qtbot.waitUntil(lambda: window.session.sync is SyncState.RUNNING)
    assert window.status.text.text() == ""
    assert not window.status.pause.isVisible()


def test_dragging_a_folder_over_the_window_says_what_will_happen(window: MainWindow, tmp_path: Path) -> None:
    mime = _dragged(tmp_path)
    _drag(window, mime)
    assert window.overlay.isVisible()
    assert window.overlay.message == "Watch this folder in default"
    assert window.overlay.size() == window.size()
    window.dragLeaveEvent(QDragLeaveEvent())
    assert not window.overlay.isVisible()


def test_dragging_text_is_nothing_to_watch(window: MainWindow) -> None:
    mime = QMimeData()
    mime.setText("hello")
    _drag(window, mime)
    assert not window.overlay.isVisible()


def test_a_dropped_folder_is_watched(window: MainWindow, engine: FakeEngine, qtbot: QtBot, tmp_path: Path) -> None:
    mime = _dragged(tmp_path)
    _drag(window, mime)
    _drop(window, mime)
    assert not window.overlay.isVisible()
    qtbot.waitUntil(lambda: [row.text for row in window.sidebar.folders.rows.rows] == [tmp_path.name])
    assert window.chat.welcome.state is WelcomeState.READING
    assert ("add_paths", ([str(tmp_path)],), {}) in engine.script.calls


def test_several_dropped_files_are_watched(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    files = [tmp_path / "a.pdf", tmp_path / "b.md"]
    for file in files:
        file.write_text("x")
    mime = _dragged(*files)
    _drag(window, mime)
    assert window.overlay.message == "Watch these 2 in default"
    _drop(window, mime)
    qtbot.waitUntil(lambda: len(window.sidebar.folders.rows.rows) == 2)


def test_the_button_opens_a_dialog_for_a_folder(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    qtbot.mouseClick(window.sidebar.add_button, _LEFT)
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.filesSelected.emit([str(tmp_path)])
    dialog.close()
    qtbot.waitUntil(lambda: len(window.sidebar.folders.rows.rows) == 1)


def test_the_samples_are_one_click_away(window: MainWindow, engine: FakeEngine, qtbot: QtBot, samples: Path) -> None:
    qtbot.mouseClick(window.chat.welcome.samples_button, _LEFT)
    qtbot.waitUntil(lambda: bool(window.session.folders))
    assert window.session.folders[0].path == str(samples)
    engine.script.folders = (folder(1, str(samples), 4, 4),)
    engine.client.tell(LedgerChanged())
    qtbot.waitUntil(lambda: window.chat.welcome.state is WelcomeState.READY)
    questions = window.chat.welcome.suggestion_buttons
    assert len(questions) == 3
    qtbot.mouseClick(questions[0], _LEFT)
    assert window.chat.turns[-1].question == questions[0].text()


def test_a_folder_that_is_not_there_is_named_in_a_message(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    engine.script.bad_path = str(gone)
    _drop(window, _dragged(gone))
    qtbot.waitUntil(lambda: str(gone) in window.banner.message)
    assert "Check the path" in window.banner.message


def test_asking_before_anything_is_watched_points_at_adding_a_folder(window: MainWindow, qtbot: QtBot) -> None:
    turn = ask(qtbot, window, "Who is there?")
    assert "Add a folder" in turn.message
    assert not window.chat.busy


def test_reading_is_told_with_numbers_and_can_be_paused(make: MakeWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.script.folders = (folder(1, "/home/ann/Scans", 380, 0),)
    window = make()
    qtbot.waitUntil(lambda: window.session.folders_known)
    engine.client.progress(212, 380)
    qtbot.waitUntil(lambda: "212 of 380 files" in window.status.text.text())
    assert "about" in window.status.text.text()
    assert window.status.bar.value() == 212
    assert "212 of 380 files" in window.chat.welcome.body.text()
    qtbot.mouseClick(window.status.pause, _LEFT)
    qtbot.waitUntil(lambda: window.session.sync is SyncState.PAUSED)
    assert window.status.text.text() == "Paused · 212 of 380 files"
    assert window.status.pause.accessibleName() == "Go on reading"
    assert window.chat.welcome.title.text() == "Reading is paused"
    assert "212" not in window.chat.welcome.body.text()
    qtbot.mouseClick(window.status.pause, _LEFT)
    qtbot.waitUntil(lambda: window.session.sync is SyncState.RUNNING)
    engine.client.finish()
    qtbot.waitUntil(lambda: window.session.sync is SyncState.IDLE)
    assert not window.status.pause.isVisible()


def test_looking_for_changes_is_not_called_reading(make: MakeWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    """Every start begins with a look at all folders; where nothing changed, nothing is read."""
    engine.script.folders = (folder(1, "/home/ann/Scans", 3, 3),)
    window = make()
    qtbot.waitUntil(lambda: window.session.folders_known)
    engine.client.tell(SyncStateChanged(SyncState.RUNNING))
    qtbot.waitUntil(lambda: window.session.sync is SyncState.RUNNING)
    assert window.chat.welcome.state is WelcomeState.READY
    engine.client.progress(1, 3)
    qtbot.waitUntil(lambda: window.chat.welcome.state is WelcomeState.READING)
    engine.client.finish()
    qtbot.waitUntil(lambda: window.chat.welcome.state is WelcomeState.READY)


def test_a_folder_can_be_let_go(make: MakeWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.script.folders = (folder(7, "/home/ann/Reports", 3, 3),)
    window = make()
    qtbot.waitUntil(lambda: bool(window.session.folders))
    menu = window.sidebar.folder_menu("7")
    next(action for action in menu.actions() if action.text() == "Stop watching…").trigger()
    box = window.findChild(QMessageBox)
    assert box is not None
    assert "What was read of its 3 files is forgotten" in box.text()
    assert window.session.folders
    next(button for button in box.buttons() if button.text() == "Stop watching").click()
    qtbot.waitUntil(lambda: not window.session.folders)
    assert "Its files stay on the disk" in window.banner.message
    qtbot.waitUntil(lambda: window.chat.welcome.state is WelcomeState.NOTHING)


def test_questions_are_offered_from_what_was_read(make: MakeWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.script.folders = (folder(1, "/home/ann/Reports", 3, 0),)
    engine.script.suggestions = ("How do I reset the meter?", "What is said about opening hours?")
    window = make()
    welcome = window.chat.welcome
    qtbot.waitUntil(lambda: welcome.state is WelcomeState.READING)
    assert not any(method == "suggestions" for method, _, _ in engine.script.calls)
    engine.script.folders = (folder(1, "/home/ann/Reports", 3, 3),)
    engine.client.finish()
    qtbot.waitUntil(lambda: len(welcome.suggestion_buttons) == 2)
    assert all(button.isVisible() for button in welcome.suggestion_buttons)
    assert welcome.suggestion_buttons[0].accessibleName() == "How do I reset the meter?"

    engine.script.suggestions = (
        "What does ‘Rules for those who borrow the tools of the house’ say about opening hours and lost keys?",
    )
    engine.client.finish()
    qtbot.waitUntil(lambda: len(welcome.suggestion_buttons) == 1)
    window.resize(window.minimumSize())
    (button,) = welcome.suggestion_buttons
    words = button.findChild(QLabel)
    assert words is not None
    qtbot.waitUntil(lambda: words.height() >= words.heightForWidth(words.width()))
    qtbot.mouseClick(button, _LEFT)
    assert window.chat.turns[-1].question == engine.script.suggestions[0]


def test_another_folder_takes_the_questions_of_the_former_one_away(
    make: MakeWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.script.folders = (folder(1, "/home/ann/Reports", 3, 3),)
    engine.script.suggestions = ("How do I reset the meter?",)
    window = make()
    qtbot.waitUntil(lambda: len(window.chat.welcome.suggestion_buttons) == 1)
    engine.script.folders, engine.script.suggestions = (folder(2, "/home/ann/Letters", 3, 3),), ()
    engine.client.tell(LedgerChanged())
    qtbot.waitUntil(lambda: window.chat.welcome.suggestion_buttons == [])


def test_questions_come_later_where_the_engine_has_something_else_to_do(
    make: MakeWindow, engine: FakeEngine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggestions, "RETRY_MS", 20)
    engine.script.folders = (folder(1, "/home/ann/Reports", 3, 3),)
    engine.script.suggestions, engine.script.suggesting_waits = ("How do I reset the meter?",), 2
    window = make()
    qtbot.waitUntil(lambda: len(window.chat.welcome.suggestion_buttons) == 1)
    assert engine.script.suggesting_waits == 0
