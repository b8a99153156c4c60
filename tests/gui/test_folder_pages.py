"""Whether a folder's pages are looked at: said what it costs, and changed."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop_rag.core.reports import PageEstimate
from desktop_rag.ui.folder_pages import FolderPagesDialog
from desktop_rag.ui.main_window import MainWindow
from tests.fixtures.fake_engine import FakeEngine


def opened(window: MainWindow) -> FolderPagesDialog:
    menu = window.sidebar.folder_menu("1")
    next(action for action in menu.actions() if action.text().startswith("Look at its pages")).trigger()
    dialog = window.findChild(FolderPagesDialog)
    assert dialog is not None
    return dialog


def test_what_it_costs_is_said_before_it_begins(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    dialog = opened(window)
    qtbot.waitUntil(lambda: "1,600 pages, about 2 h on this machine, 130 MB" in dialog.estimate.text())
    assert dialog.choice.isChecked()
    dialog.choice.setChecked(False)
    assert "What was seen of its pages so far is forgotten" in dialog.consequence.text()
    dialog.buttons.accepted.emit()
    qtbot.waitUntil(lambda: not engine.script.folders[0].looks)
    assert ("page_estimate", (1,), {}) in engine.script.calls
    qtbot.waitUntil(lambda: not window.session.folders[0].looks)


def test_cancelling_changes_nothing(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.script.models.estimate = PageEstimate("words and places", 0, 0.0, 0)
    dialog = opened(window)
    qtbot.waitUntil(lambda: dialog.estimate.text().startswith("Every page that was read has been looked at"))
    dialog.choice.setChecked(False)
    dialog.buttons.rejected.emit()
    assert all(call[0] != "look_at_pages" for call in engine.script.calls)
    assert engine.script.folders[0].looks
