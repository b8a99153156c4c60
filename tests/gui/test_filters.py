"""Choosing what is searched, seeing it as chips, and taking it back."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_rag.core.filters import Filters, parse_filters
from desktop_rag.ui.filters import _TYPES, FilterDialog, Narrowing
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.results import Tab
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import FakeEngine, file_row, folder
from tests.gui.conftest import answered

_LEFT = Qt.MouseButton.LeftButton


def opened(qtbot: QtBot, window: MainWindow) -> FilterDialog:
    """Open the dialog as a person does."""
    qtbot.mouseClick(window.chat.composer.filter_button, _LEFT)
    dialog = window.findChild(FilterDialog)
    assert isinstance(dialog, FilterDialog)
    return dialog


def asked_with(engine: FakeEngine, method: str) -> list[str | None]:
    """Return the filters of all calls of a method."""
    return [kwargs["where"] for name, _args, kwargs in engine.script.calls if name == method]


def test_what_is_chosen_goes_with_every_question_and_shows_as_chips(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    dialog = opened(qtbot, window)
    qtbot.keyClicks(dialog.type, "PDF")
    qtbot.keyClicks(dialog.kind, "Tables")
    qtbot.keyClicks(dialog.folder, "Reports")
    qtbot.keyClicks(dialog.first, "2023")
    qtbot.keyClick(dialog.first, Qt.Key.Key_Return)
    composer = window.chat.composer

    assert [chip.text() for chip in composer.chips.chips] == ["PDF", "Tables", "Reports", "from 2023"]
    answered(qtbot, window, QUESTION)
    assert asked_with(engine, "ask") == ['type:pdf kind:"table" folder:"/home/ann/Reports" date:"2023.."']

    qtbot.mouseClick(composer.chips.chips[0], _LEFT)
    assert composer.narrowing == Narrowing("", "table", "/home/ann/Reports", "", "2023")
    assert composer.chips.chips[0].accessibleName() == "Remove the filter Tables"


def test_everything_is_searched_again_after_a_word(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    composer = window.chat.composer
    composer.narrow(Narrowing(language="de", first="2023", last="2024-05"))
    assert composer.chips.isVisible()
    assert "filtered" in composer.filter_button.accessibleName()

    qtbot.mouseClick(opened(qtbot, window).clear, _LEFT)

    assert not composer.chips.isVisible()
    assert "everything" in composer.filter_button.accessibleName()
    answered(qtbot, window, QUESTION)
    assert asked_with(engine, "ask") == [None]


def test_a_date_that_is_none_is_told_and_nothing_changes(window: MainWindow, qtbot: QtBot) -> None:
    dialog = opened(qtbot, window)
    qtbot.keyClicks(dialog.last, "last week")
    qtbot.mouseClick(dialog.apply, _LEFT)

    assert dialog.isVisible()
    assert "2024-05" in dialog.problem.text()
    assert window.chat.composer.narrowing == Narrowing()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_a_comparison_is_made_anew_when_something_else_is_searched(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    answered(qtbot, window, QUESTION)
    window.results.show_tab(Tab.COMPARE)
    window.show_results(True)
    qtbot.waitUntil(lambda: asked_with(engine, "compare") == [None])

    window.chat.composer.narrow(Narrowing(kind="table"))

    qtbot.waitUntil(lambda: asked_with(engine, "compare") == [None, 'kind:"table"'])


def test_a_folder_that_is_not_watched_any_more_is_no_filter(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    window.chat.composer.narrow(Narrowing("pdf", folder="/home/ann/Reports"))

    window.session.folders_changed.emit((folder(2, "/home/ann/Letters", 1, 1),))

    assert window.chat.composer.narrowing == Narrowing("pdf")
    assert window.session.where == "type:pdf"


def test_every_choice_is_a_filter_that_the_engine_understands() -> None:
    for key, endings in _TYPES.items():
        filters = parse_filters(Narrowing(key, "table", 'C:\\My "docs"'.replace('"', ""), "fr", "", "2024").where)
        assert isinstance(filters, Filters)
        assert filters.wanted.types == endings
        assert filters.wanted.folders == ("c:\\my docs",)


def test_tagged_files_can_be_searched_alone(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    engine.script.files = (file_row("a.pdf"), file_row("b.pdf"))
    window.session.bridge.call("tag", ["id-a.pdf"], "tax 2024", done=lambda _none: window.session.ask_tags())
    qtbot.waitUntil(lambda: window.session.tags == ("tax 2024",))

    dialog = opened(qtbot, window)
    qtbot.keyClicks(dialog.tag, "tax")
    qtbot.mouseClick(dialog.apply, _LEFT)

    assert [chip.text() for chip in window.chat.composer.chips.chips] == ["tax 2024"]
    answered(qtbot, window, QUESTION)
    assert asked_with(engine, "ask") == ['tag:"tax 2024"']
