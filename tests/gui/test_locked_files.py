"""Locked files: told of quietly, asked for one by one, and never asked for twice without need."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from desktop_rag.core.ledger import FileState
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.password_dialog import PasswordDialog
from tests.fixtures.fake_engine import FakeEngine, file_row
from tests.gui.conftest import answered

_LEFT = Qt.MouseButton.LeftButton
_REASON = "It is locked with a password."


@pytest.fixture
def locked(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> MainWindow:
    engine.script.files = (
        file_row("plans/budget.pdf", FileState.NEEDS_PASSWORD, _REASON, 0),
        file_row("plans/minutes.docx", FileState.NEEDS_PASSWORD, _REASON, 0),
        file_row("plans/open.pdf"),
    )
    engine.client.finish()
    qtbot.waitUntil(lambda: not window.locked.notice.isHidden())
    return window


def _dialog(qtbot: QtBot, window: MainWindow, file: str) -> PasswordDialog:
    def shown() -> bool:
        return window.locked.dialog is not None and file in window.locked.dialog.question.text()

    qtbot.waitUntil(shown)
    dialog = window.locked.dialog
    assert dialog is not None
    return dialog


def _click_notice(qtbot: QtBot, window: MainWindow) -> None:
    button = next(b for b in window.locked.notice.findChildren(QPushButton) if b.text() == "Enter password …")
    qtbot.mouseClick(button, _LEFT)


def _type(qtbot: QtBot, dialog: PasswordDialog, password: str) -> None:
    qtbot.keyClicks(dialog.field, password)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)


def _unlocks(engine: FakeEngine) -> list[tuple[object, ...]]:
    return [arguments for method, arguments, _ in engine.script.calls if method == "unlock"]


def test_a_quiet_line_tells_of_locked_files_and_each_is_asked_for(
    locked: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    assert locked.locked.notice.message == "2 files are locked with a password."
    _click_notice(qtbot, locked)

    dialog = _dialog(qtbot, locked, "budget.pdf")
    assert dialog.question.text() == "budget.pdf is locked with a password."
    assert dialog.field.echoMode() is QLineEdit.EchoMode.Password
    assert dialog.focusWidget() is dialog.field
    assert "forgotten when the window is closed" in dialog.note.text()
    assert not dialog.open_button.isEnabled()
    _type(qtbot, dialog, "open sesame")

    second = _dialog(qtbot, locked, "minutes.docx")
    qtbot.mouseClick(second.skip_button, _LEFT)
    qtbot.waitUntil(lambda: locked.locked.dialog is None)
    assert _unlocks(engine) == [("id-plans/budget.pdf", "open sesame", False)]


def test_a_wrong_password_says_so_and_asks_again(locked: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    _click_notice(qtbot, locked)
    dialog = _dialog(qtbot, locked, "budget.pdf")
    _type(qtbot, dialog, "guess")

    qtbot.waitUntil(dialog.trouble.isVisible)
    assert dialog.trouble.text() == "The password given does not open it. Check it and enter it again."
    assert dialog.field.selectedText() != ""
    assert dialog.isVisible()
    _type(qtbot, dialog, "open sesame")
    _dialog(qtbot, locked, "minutes.docx")
    assert [password for _, password, _ in _unlocks(engine)] == ["guess", "open sesame"]


def test_one_password_for_all_is_asked_for_once(locked: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    _click_notice(qtbot, locked)
    dialog = _dialog(qtbot, locked, "budget.pdf")
    dialog.for_others.click()
    _type(qtbot, dialog, "open sesame")

    qtbot.waitUntil(lambda: locked.locked.dialog is None)
    assert _unlocks(engine) == [("id-plans/budget.pdf", "open sesame", True)]
    qtbot.waitUntil(locked.locked.notice.isHidden)


def test_a_line_that_was_closed_does_not_come_back_for_the_same_files(
    locked: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    def looks() -> int:
        return len([1 for method, _, _ in engine.script.calls if method == "locked"])

    locked.locked.notice.hide()
    asked = looks()
    engine.client.finish()
    qtbot.waitUntil(lambda: looks() > asked)
    assert locked.locked.notice.isHidden()

    engine.script.files += (file_row("plans/new.pdf", FileState.NEEDS_PASSWORD, _REASON, 0),)
    engine.client.finish()
    qtbot.waitUntil(lambda: locked.locked.notice.message == "3 files are locked with a password.")


def test_the_files_panel_asks_for_the_selected_file(locked: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    qtbot.mouseClick(locked.sidebar.files_button, _LEFT)
    panel = locked.files
    assert panel is not None
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3)
    assert panel.password_button.isVisible()
    assert not panel.password_button.isEnabled()
    panel.table.selectRow(1)
    assert panel.password_button.isEnabled()
    qtbot.mouseClick(panel.password_button, _LEFT)

    dialog = _dialog(qtbot, locked, "minutes.docx")
    _type(qtbot, dialog, "open sesame")
    qtbot.waitUntil(lambda: locked.locked.dialog is None)
    panel.table.selectRow(2)
    assert not panel.password_button.isEnabled()


def test_a_page_that_is_locked_asks_for_the_password_and_is_shown_then(
    make: Callable[..., MainWindow], engine: FakeEngine, qtbot: QtBot
) -> None:
    window = make()
    qtbot.waitUntil(lambda: window.session.folders_known and bool(window.session.model.llm_name))
    engine.script.pages_locked = True
    answered(qtbot, window, "How much?")

    message = "report.pdf is locked. Enter its password to see its pages."
    qtbot.waitUntil(lambda: window.locked.notice.message == message)
    assert window.banner.isHidden()
    assert not window.results.page.sharp
    _click_notice(qtbot, window)
    dialog = _dialog(qtbot, window, "locked with a password")
    assert dialog.for_others.isHidden()
    _type(qtbot, dialog, "open sesame")
    qtbot.waitUntil(lambda: window.results.page.sharp)
