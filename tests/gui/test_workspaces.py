"""Workspaces as wholes, and the rules of a folder, in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QMessageBox
from pytestqt.qtbot import QtBot

from desktop_rag.core.rules import FolderRules
from desktop_rag.engine.protocol import Relocation
from desktop_rag.ui.folder_rules import FolderRulesDialog
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.session import EngineState
from desktop_rag.ui.workspaces_dialog import WorkspacesDialog
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import FakeEngine
from tests.fixtures.fake_workspaces import workspace
from tests.gui.conftest import answered

_LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> WorkspacesDialog:
    return _manage(window, engine, qtbot)


def _manage(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> WorkspacesDialog:
    engine.script.workspaces = (workspace("default"), workspace("Garden"))
    (wanted,) = (a for a in window.sidebar.workspace_button.menu().actions() if a.text().startswith("Manage"))
    wanted.trigger()
    dialog = window.findChild(WorkspacesDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 2)
    return dialog


def _manage_open_garden(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> WorkspacesDialog:
    window.open_workspace("Garden")
    qtbot.waitUntil(lambda: window.session.engine is EngineState.READY)
    dialog = _manage(window, engine, qtbot)
    assert dialog.selected is not None
    assert dialog.selected.name == "Garden"
    return dialog


def _rename(dialog: WorkspacesDialog, qtbot: QtBot, name: str) -> None:
    qtbot.mouseClick(dialog.rename_button, _LEFT)
    question = dialog.findChild(QInputDialog)
    assert question is not None
    question.setTextValue(name)
    question.accept()


def test_the_open_workspace_can_be_backed_up_and_repaired_but_not_deleted(
    dialog: WorkspacesDialog, qtbot: QtBot
) -> None:
    assert dialog.selected is not None
    assert dialog.selected.name == "default"
    assert "index 32 MB" in dialog.detail.text()
    assert not dialog.delete_button.isEnabled()
    assert dialog.move_button.isEnabled()
    qtbot.mouseClick(dialog.repair_button, _LEFT)
    qtbot.waitUntil(lambda: dialog.news.text() == "Nothing was damaged.")


def test_another_workspace_is_renamed(dialog: WorkspacesDialog, qtbot: QtBot) -> None:
    dialog.table.selectRow(1)
    _rename(dialog, qtbot, "Orchard")
    qtbot.waitUntil(lambda: dialog.table.item(1, 0).text() == "Orchard")
    assert dialog.selected is not None
    assert dialog.selected.name == "Orchard"


def test_the_workspace_that_opens_when_none_is_named_keeps_its_name(dialog: WorkspacesDialog) -> None:
    assert not dialog.rename_button.isEnabled()
    assert "It keeps its name" in dialog.detail.text()


def test_a_name_that_is_taken_is_told_at_once(dialog: WorkspacesDialog, qtbot: QtBot) -> None:
    dialog.table.selectRow(1)
    _rename(dialog, qtbot, "default")
    assert dialog.news.text() == "There is a workspace “default” already."


def test_the_open_workspace_is_renamed_and_open_again(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    dialog = _manage_open_garden(window, engine, qtbot)
    answered(qtbot, window, QUESTION)
    thread = window.chat.thread_id
    assert thread
    _rename(dialog, qtbot, "Orchard")

    qtbot.waitUntil(lambda: window.banner.message == "“Garden” is called “Orchard” now.")
    assert window.findChild(WorkspacesDialog) is None
    assert window.session.workspace == engine.client.workspace == window.state.workspace == "Orchard"
    assert window.windowTitle().startswith("Orchard")
    assert window.state.thread("Orchard") == thread
    assert window.session.engine is EngineState.READY


def test_the_open_workspace_is_moved(window: MainWindow, engine: FakeEngine, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = _manage_open_garden(window, engine, qtbot)
    qtbot.mouseClick(dialog.move_button, _LEFT)
    chooser = dialog.findChild(QFileDialog)
    assert chooser is not None
    chooser.filesSelected.emit([str(tmp_path)])

    qtbot.waitUntil(lambda: window.banner.message == f"“Garden” was moved to {tmp_path}.")
    assert engine.client.relocation == Relocation("Garden", folder=str(tmp_path))
    assert window.session.workspace == "Garden"


def test_a_workspace_that_cannot_be_renamed_is_open_again_under_its_name(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    dialog = _manage_open_garden(window, engine, qtbot)
    engine.script.relocation_fault = "Another program has the workspace open."
    _rename(dialog, qtbot, "Orchard")

    qtbot.waitUntil(lambda: window.session.engine is EngineState.READY and window.session.workspace == "Garden")
    assert window.banner.message == "Another program has the workspace open."
    assert engine.client.relocation is None
    assert window.state.workspace == "Garden"


def test_a_backup_says_where_it_lies(dialog: WorkspacesDialog, qtbot: QtBot) -> None:
    dialog.table.selectRow(1)
    qtbot.mouseClick(dialog.back_up_button, _LEFT)
    choice = dialog.findChild(QFileDialog)
    assert choice is not None
    choice.filesSelected.emit(["/media/stick"])
    choice.close()
    qtbot.waitUntil(lambda: dialog.news.text().endswith("is backed up: /media/stick"))


def test_deleting_asks_first(dialog: WorkspacesDialog, engine: FakeEngine, qtbot: QtBot) -> None:
    dialog.table.selectRow(1)
    qtbot.mouseClick(dialog.delete_button, _LEFT)
    box = dialog.findChild(QMessageBox)
    assert box is not None
    assert "No document is touched" in box.text()
    assert box.defaultButton() is box.button(QMessageBox.StandardButton.Cancel)
    assert len(engine.script.workspaces) == 2
    next(button for button in box.buttons() if button.text() == "Delete").click()
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 1)


def test_the_rules_of_a_folder_are_patterns(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, qapp: QApplication
) -> None:
    menu = window.sidebar.folder_menu("1")
    next(action for action in menu.actions() if action.text().startswith("Which files")).trigger()
    dialog = window.findChild(FolderRulesDialog)
    assert dialog is not None
    dialog.include.setPlainText("*.pdf\n\n *.docx ")
    dialog.exclude.setPlainText("drafts/")
    dialog.buttons.accepted.emit()
    rules = FolderRules(("*.pdf", "*.docx"), ("drafts/",))
    qtbot.waitUntil(lambda: engine.script.folders[0].rules == rules)
