"""Workspaces as wholes, and the rules of a folder, in the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QMessageBox
from pytestqt.qtbot import QtBot

from desktop_rag.core.rules import FolderRules
from desktop_rag.ui.folder_rules import FolderRulesDialog
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.workspaces_dialog import WorkspacesDialog
from tests.fixtures.fake_engine import FakeEngine, workspace

_LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> WorkspacesDialog:
    engine.script.workspaces = (workspace("default"), workspace("Garden"))
    (wanted,) = (a for a in window.sidebar.workspace_button.menu().actions() if a.text().startswith("Manage"))
    wanted.trigger()
    dialog = window.findChild(WorkspacesDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 2)
    return dialog


def test_the_open_workspace_can_be_backed_up_and_repaired_only(dialog: WorkspacesDialog, qtbot: QtBot) -> None:
    assert dialog.selected is not None
    assert dialog.selected.name == "default"
    assert "index 32 MB" in dialog.detail.text()
    assert [b.isEnabled() for b in (dialog.rename_button, dialog.move_button, dialog.delete_button)] == [False] * 3
    qtbot.mouseClick(dialog.repair_button, _LEFT)
    qtbot.waitUntil(lambda: dialog.news.text() == "Nothing was damaged.")


def test_another_workspace_is_renamed(dialog: WorkspacesDialog, qtbot: QtBot) -> None:
    dialog.table.selectRow(1)
    qtbot.mouseClick(dialog.rename_button, _LEFT)
    question = dialog.findChild(QInputDialog)
    assert question is not None
    question.setTextValue("Orchard")
    question.accept()
    qtbot.waitUntil(lambda: dialog.table.item(1, 0).text() == "Orchard")
    assert dialog.selected is not None
    assert dialog.selected.name == "Orchard"


def test_deleting_asks_first(dialog: WorkspacesDialog, engine: FakeEngine, qtbot: QtBot) -> None:
    dialog.table.selectRow(1)
    qtbot.mouseClick(dialog.delete_button, _LEFT)
    box = dialog.findChild(QMessageBox)
    assert box is not None
    assert "No document is touched" in box.text()
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
