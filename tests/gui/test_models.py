"""Models in the window: seen by kind, added, fetched with progress and stopped, tried, chosen and removed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from desktop_rag.core.model_rows import ModelKind, ModelState, Redoing
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.model_trial import ModelTrialDialog
from desktop_rag.ui.models_dialog import ModelsDialog
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import FakeEngine
from tests.gui.conftest import answered

_LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(window: MainWindow, qtbot: QtBot) -> ModelsDialog:
    qtbot.mouseClick(window.sidebar.model_line, _LEFT)
    return opened(window, qtbot)


def opened(window: MainWindow, qtbot: QtBot) -> ModelsDialog:
    dialog = window.findChild(ModelsDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.table.rowCount() > 0)
    return dialog


def choose(dialog: ModelsDialog, name: str) -> None:
    found = dialog.table.findItems(name, Qt.MatchFlag.MatchExactly)
    dialog.table.selectRow(found[0].row())


def cell(dialog: ModelsDialog, row: int, column: int) -> str:
    return dialog.table.item(row, column).text()


def rename(engine: FakeEngine, name: str, other: str) -> None:
    models = engine.script.models
    models.rows = tuple(replace(row, name=other) if row.name == name else row for row in models.rows)


def question_of(dialog: ModelsDialog, qtbot: QtBot) -> QMessageBox:
    qtbot.waitUntil(lambda: dialog.findChild(QMessageBox) is not None)
    box: QMessageBox = dialog.findChild(QMessageBox)
    return box


def say_yes(box: QMessageBox, word: str) -> None:
    next(button for button in box.buttons() if button.text() == word).click()


def test_every_kind_has_its_models_with_what_they_need(dialog: ModelsDialog) -> None:
    assert [dialog.tabs.tabText(at) for at in range(dialog.tabs.count())] == [
        "Answers", "Figures", "Meaning", "Pages", "Second look",
    ]  # fmt: skip
    assert [cell(dialog, 0, column) for column in range(7)] == [
        "smollm2-135m", "in use", "98 MB", "449 MB", "18 tokens a second", "Apache-2.0", "English",
    ]  # fmt: skip
    assert [cell(dialog, row, 3) for row in range(4)] == ["449 MB", "2.6 GB, not free", "890 MB", "2.9 GB, too much"]
    choose(dialog, "qwen3-4b")
    assert "more than this machine has" in dialog.detail.text()
    assert dialog.place.text() == "https://hub.example/qwen3-4b"
    dialog.show_kind(ModelKind.EMBEDDING)
    assert cell(dialog, 0, 0) == "all-minilm-l6-v2"
    assert "works out the meaning of every passage anew, and of pages" in dialog.about.text()


def test_a_long_name_has_the_room_that_it_needs(
    dialog: ModelsDialog, window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    before = dialog.table.columnWidth(0)
    name = "a-writer-of-many-languages-q4"
    rename(engine, "writer-3b", name)
    window.models.refresh()
    qtbot.waitUntil(lambda: bool(dialog.table.findItems(name, Qt.MatchFlag.MatchExactly)))
    assert before < dialog.table.sizeHintForColumn(0) <= dialog.table.columnWidth(0)
    assert dialog.table.item(1, 0).toolTip() == name
    rename(engine, name, "far-" * 40)
    window.models.refresh()
    qtbot.waitUntil(lambda: cell(dialog, 1, 0).startswith("far-"))
    assert dialog.table.columnWidth(0) < dialog.table.sizeHintForColumn(0)
    assert dialog.table.columnWidth(6) > 60


def test_the_menu_and_the_palette_lead_there(window: MainWindow, qtbot: QtBot) -> None:
    menu = window.sidebar.menu_button.menu()
    next(action for action in menu.actions() if action.text().startswith("Models")).trigger()
    opened(window, qtbot).close()
    assert any(action.text == "Manage models" for action in window.shortcuts.table)


def test_fetching_says_that_it_uses_the_network_and_goes_on_where_it_was_stopped(
    dialog: ModelsDialog, window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.script.models.hold.clear()
    choose(dialog, "qwen2.5-0.5b")
    qtbot.mouseClick(dialog.fetch_button, _LEFT)
    box = question_of(dialog, qtbot)
    assert "from https://hub.example/qwen2.5-0.5b" in box.text()
    assert "the one thing for which the program uses the network" in box.text()
    assert window.models.fetching == ""
    say_yes(box, "Fetch")
    qtbot.waitUntil(lambda: dialog.fetching.text.text() == "Fetching qwen2.5-0.5b: 245 MB of 490 MB")
    assert dialog.fetching.bar.value() == 500
    assert window.status.offline.text().startswith("online: fetching the model qwen2.5-0.5b")
    assert not dialog.fetch_button.isEnabled()

    qtbot.mouseClick(dialog.fetching.stop_button, _LEFT)
    qtbot.waitUntil(lambda: cell(dialog, 2, 1) == "fetched in part")
    assert dialog.news.text() == "Fetching qwen2.5-0.5b was stopped; it can go on later."
    assert "245 MB of 490 MB are here" in dialog.detail.text()
    assert window.status.offline.text() == "offline: nothing leaves this computer"
    assert dialog.fetch_button.text() == "Go on fetching …"

    engine.script.models.hold.set()
    qtbot.mouseClick(dialog.fetch_button, _LEFT)
    say_yes(question_of(dialog, qtbot), "Fetch")
    qtbot.waitUntil(lambda: cell(dialog, 2, 1) == "installed")
    assert "checksums are right" in dialog.news.text()
    assert dialog.use_button.isEnabled()


def test_a_fetch_goes_on_while_the_dialog_is_closed_and_says_when_it_is_done(
    dialog: ModelsDialog, window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.script.models.hold.clear()
    row = next(row for row in window.models.rows if row.name == "qwen2.5-0.5b")
    window.models.fetch(row)
    qtbot.waitUntil(lambda: window.models.progress is not None)
    dialog.close()
    engine.script.models.hold.set()
    qtbot.waitUntil(lambda: "qwen2.5-0.5b is here" in window.banner.message)


def test_a_model_is_tried_before_it_is_chosen(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    answered(qtbot, window, QUESTION)
    window.show_models()
    dialog = opened(window, qtbot)
    choose(dialog, "writer-3b")
    qtbot.mouseClick(dialog.try_button, _LEFT)
    trial = dialog.findChild(ModelTrialDialog)
    assert trial is not None
    assert trial.field.text() == QUESTION
    engine.script.models.hold.clear()
    qtbot.mouseClick(trial.ask_button, _LEFT)
    assert (trial.ask_button.text(), trial.footer.text()) == ("Stop", "Loading the model and asking it …")
    qtbot.mouseClick(trial.ask_button, _LEFT)
    assert (trial.ask_button.text(), trial.footer.text()) == ("Ask", "Stopped.")
    engine.script.models.hold.set()
    qtbot.keyClick(trial.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: trial.footer.text() == "6.3 s · 1.4 s to load · 9.0 tokens a second")
    assert trial.outcome.text().startswith("The workshop spent 4.1 million euros")
    assert "annual-report-2021.pdf, p. 2" in trial.outcome.text()
    trial.close()
    qtbot.waitUntil(lambda: cell(dialog, 1, 4) == "9.0 tokens a second")
    assert cell(dialog, 1, 1) == "installed"


def test_choosing_says_first_what_has_to_be_done_anew(dialog: ModelsDialog, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.script.models.redoing = Redoing(12_400, "passages", 302.0)
    dialog.show_kind(ModelKind.EMBEDDING)
    choose(dialog, "many-tongues")
    qtbot.mouseClick(dialog.use_button, _LEFT)
    box = question_of(dialog, qtbot)
    assert "The meaning of all passages is worked out anew: 12,400 passages, about 5 min on this machine." in box.text()
    say_yes(box, "Use it")
    qtbot.waitUntil(lambda: cell(dialog, 1, 1) == "in use")
    assert cell(dialog, 0, 1) == "comes along"


def test_another_chat_model_is_used_at_once_and_named_in_the_window(
    dialog: ModelsDialog, window: MainWindow, qtbot: QtBot
) -> None:
    choose(dialog, "writer-3b")
    qtbot.mouseClick(dialog.use_button, _LEFT)
    qtbot.waitUntil(lambda: "writer-3b" in window.sidebar.model_line.accessibleName())
    assert dialog.news.text() == "writer-3b is in use now."


def test_removing_asks_first_and_what_is_in_use_stays(dialog: ModelsDialog, engine: FakeEngine, qtbot: QtBot) -> None:
    assert not dialog.remove_button.isEnabled()
    choose(dialog, "writer-3b")
    qtbot.mouseClick(dialog.remove_button, _LEFT)
    box = question_of(dialog, qtbot)
    assert box.text() == "Take writer-3b off the list? Its files stay in /home/ann/models/writer-3b.gguf."
    say_yes(box, "Remove")
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 3)


def test_a_file_of_this_computer_is_added_and_a_wrong_one_says_why(
    dialog: ModelsDialog, window: MainWindow, qtbot: QtBot
) -> None:
    dialog.add_button.menu().actions()[0].trigger()
    chooser = dialog.findChild(QFileDialog)
    assert chooser is not None
    chooser.filesSelected.emit(["/home/ann/models/new.gguf"])
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 5)
    assert dialog.news.text() == "new was added. Try it, or use it."
    window.models.add("/home/ann/models")
    qtbot.waitUntil(lambda: "is not the folder of a model" in dialog.news.text())
    choose(dialog, "writer-3b")
    qtbot.mouseClick(dialog.check_button, _LEFT)
    qtbot.waitUntil(lambda: dialog.news.text() == "The files of the model 'writer-3b' have changed.")


def test_nothing_of_ones_own_cannot_be_tried(dialog: ModelsDialog) -> None:
    dialog.show_kind(ModelKind.PAGE)
    assert not dialog.try_button.isEnabled()
    choose(dialog, "colpali")
    assert dialog.fetch_button.isVisible()
    assert not dialog.use_button.isVisible()


def test_an_engine_that_dies_ends_the_fetch(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.script.models.hold.clear()
    window.models.refresh()
    qtbot.waitUntil(lambda: bool(window.models.rows))
    row = next(row for row in window.models.rows if row.state is ModelState.KNOWN)
    window.models.fetch(row)
    window.open_workspace("other")
    assert window.models.fetching == ""
    assert window.status.offline.text() == "offline: nothing leaves this computer"
