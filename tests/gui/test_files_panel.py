"""Each file with its state and reason, also where there are twenty thousand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QMenu, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from desktop_rag.core.ledger import FileRow, FileState, Ledger, Stage, StageState
from desktop_rag.core.outline import SectionPlace
from desktop_rag.ui.files_model import NAME, FilesModel, PathDelegate
from desktop_rag.ui.files_panel import FilesPanel
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.read_whole import ReadWholeDialog
from tests.fixtures.fake_engine import FakeEngine, file_row

_LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> FilesPanel:
    engine.script.files = (
        file_row("a.pdf"),
        file_row("b.pdf", FileState.FAILED, "b.pdf is damaged. Save it again.", 0),
        file_row("c.doc", FileState.UNSUPPORTED, "c.doc is an old Word document, which is not supported.", 0),
    )
    qtbot.mouseClick(window.sidebar.files_button, _LEFT)
    assert window.files is not None
    panel = window.files
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3)
    return panel


def _cells(panel: FilesPanel, row: int) -> list[str]:
    return [panel.model.index(row, column).data() for column in range(7)]


def test_files_in_trouble_stand_first_with_their_reason(panel: FilesPanel) -> None:
    assert _cells(panel, 0) == ["Could not be read", "b.pdf", "", "81 KB", "", "", "b.pdf is damaged. Save it again."]
    assert _cells(panel, 2)[:3] == ["Ready", "a.pdf", "3"]
    assert panel.summary.text() == "3 files · 1 could not be read · 1 not supported"
    assert not panel.isModal()


def test_a_chosen_file_stays_chosen_while_the_list_is_refreshed(panel: FilesPanel, engine: FakeEngine) -> None:
    panel.table.selectRow(1)
    panel.take(Ledger("default", (), (*engine.script.files, file_row("d.pdf", FileState.FAILED, "It is empty."))))
    assert panel.model.rowCount() == 4
    assert panel.detail.text().startswith("c.doc")
    assert panel.again_button.isEnabled()


def test_of_a_long_path_the_name_of_the_file_is_seen(panel: FilesPanel, engine: FakeEngine) -> None:
    option = QStyleOptionViewItem()
    delegate = panel.table.itemDelegateForIndex(panel.model.index(0, NAME))
    assert isinstance(delegate, PathDelegate)
    delegate.initStyleOption(option, panel.model.index(0, NAME))
    assert option.textElideMode is Qt.TextElideMode.ElideMiddle


def test_the_filter_finds_names_states_and_reasons(panel: FilesPanel, qtbot: QtBot) -> None:
    qtbot.keyClicks(panel.filter, "DAMAGED")
    assert panel.model.rowCount() == 1
    panel.filter.clear()
    qtbot.keyClicks(panel.filter, "not supported")
    assert _cells(panel, 0)[1] == "c.doc"


def test_of_twenty_thousand_files_only_the_cells_in_sight_are_made(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, panel: FilesPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: set[str] = set()
    text = FilesModel._text

    def noted(model: FilesModel, row: FileRow, column: int) -> str:
        made.add(row.file)
        return text(model, row, column)

    monkeypatch.setattr(FilesModel, "_text", noted)
    engine.script.files = tuple(file_row(f"folder {n % 50}/file {n}.pdf") for n in range(20_000))
    window.session.bridge.call("status", done=panel.take)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 20_000)
    panel.table.scrollToBottom()
    panel.grab()
    seen = len(made)
    assert seen < 200
    assert panel.model.index(19_999, 1).data() in made
    assert len(made) == seen


def test_a_failed_file_can_be_tried_again_and_a_waiting_one_be_read_first(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, panel: FilesPanel
) -> None:
    waiting = replace(
        file_row("d.pdf", FileState.WORKING), stages={Stage.TEXT: StageState.DONE, Stage.OCR: StageState.PENDING}
    )
    engine.script.files += (waiting,)
    window.session.bridge.call("status", done=panel.take)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 4)
    assert not panel.again_button.isEnabled()

    panel.table.selectRow(0)
    assert "b.pdf is damaged." in panel.detail.text()
    assert panel.again_button.isEnabled()
    assert not panel.first_button.isEnabled()
    qtbot.mouseClick(panel.again_button, _LEFT)

    row = next(row for row in range(4) if _cells(panel, row)[1] == "d.pdf")
    assert _cells(panel, row)[4] == "scanned text"
    panel.table.selectRow(row)
    assert "words: done \N{MIDDLE DOT} scanned text: to come" in panel.detail.text()
    qtbot.mouseClick(panel.first_button, _LEFT)

    calls = [(method, args) for method, args, _ in engine.script.calls if method in ("retry", "read_first")]
    assert [method for method, _ in calls] == ["retry", "read_first"]
    assert [len(args[0]) for _, args in calls] == [1, 1]
    assert [action.text() for action in panel.file_menu().actions()] == [
        "Read first",
        "Try again",
        "Tags",
        "Read as a whole …",
    ]


def test_files_are_tagged_by_their_menu_and_found_by_their_tags(
    window: MainWindow, panel: FilesPanel, qtbot: QtBot
) -> None:
    def tags() -> dict[str, QAction]:
        (menu,) = (action.menu() for action in panel.file_menu().actions() if action.menu())
        assert isinstance(menu, QMenu)
        return {action.text(): action for action in menu.actions() if action.text()}

    assert list(tags()) == ["New tag …"]
    panel.table.selectRow(2)
    tags()["New tag …"].trigger()
    dialog = panel.findChild(QInputDialog)
    assert isinstance(dialog, QInputDialog)
    dialog.setTextValue("Tax 2024")
    dialog.accept()

    qtbot.waitUntil(lambda: window.session.tags == ("tax 2024",))
    window.session.bridge.call("status", done=panel.take)
    qtbot.waitUntil(lambda: _cells(panel, 2)[5] == "tax 2024")
    panel.filter.setText("tax")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    panel.table.selectRow(0)
    assert tags()["tax 2024"].isChecked()

    tags()["tax 2024"].trigger()
    qtbot.waitUntil(lambda: window.session.tags == ())


def test_the_menu_of_a_folder_shows_its_own_files(window: MainWindow, panel: FilesPanel, qtbot: QtBot) -> None:
    action = next(one for one in window.sidebar.folder_menu("1").actions() if "its files" in one.text())
    action.trigger()
    assert panel.filter.text() == window.session.folders[0].path
    qtbot.mouseClick(window.sidebar.files_button, _LEFT)
    assert panel.filter.text() == ""


def test_a_folder_is_tagged_by_its_menu_with_all_its_files(
    window: MainWindow, panel: FilesPanel, engine: FakeEngine, qtbot: QtBot
) -> None:
    def tags() -> dict[str, QAction]:
        (menu,) = (action.menu() for action in window.sidebar.folder_menu("1").actions() if action.menu())
        assert isinstance(menu, QMenu)
        return {action.text(): action for action in menu.actions() if action.text()}

    tags()["New tag …"].trigger()
    dialog = window.sidebar.findChild(QInputDialog)
    assert isinstance(dialog, QInputDialog)
    dialog.setTextValue("Tax 2024")
    dialog.accept()
    qtbot.waitUntil(lambda: "tax 2024" in tags() and tags()["tax 2024"].isChecked())
    assert all(row.tags == ("tax 2024",) for row in engine.script.files)
    assert "Tags: tax 2024" in window.sidebar.folders.rows.rows[0].tip

    tags()["tax 2024"].trigger()
    qtbot.waitUntil(lambda: "tax 2024" not in tags())


def test_a_section_of_a_file_is_read_as_a_whole(
    window: MainWindow, engine: FakeEngine, panel: FilesPanel, qtbot: QtBot
) -> None:
    panel.table.selectRow(2)
    (action,) = (one for one in panel.file_menu().actions() if one.text() == "Read as a whole …")
    action.trigger()
    dialog = panel.findChild(ReadWholeDialog)
    assert isinstance(dialog, ReadWholeDialog)
    qtbot.waitUntil(lambda: dialog.part.count() == 3)
    assert [dialog.part.itemText(at) for at in range(3)] == ["All of a.pdf", "Boat  (p. 1)", "    Engine  (p. 2)"]
    assert not dialog.go.isEnabled()

    dialog.part.setCurrentIndex(2)
    qtbot.keyClicks(dialog.field, "How many cylinders?")
    qtbot.mouseClick(dialog.go, _LEFT)

    qtbot.waitUntil(lambda: not window.chat.busy)
    (asked,) = ((args, kwargs["section"]) for method, args, kwargs in engine.script.calls if method == "ask")
    assert asked == (("How many cylinders?",), SectionPlace("id-a.pdf", ("Boat", "Engine")))
    assert len(window.chat.turns) == 1
