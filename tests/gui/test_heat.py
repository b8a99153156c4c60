"""Why a page was found: warm colours over the page, in total or by word, switched with a button."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_rag.ui.main_window import MainWindow
from tests.fixtures.fake_engine import FakeEngine
from tests.gui.conftest import answered


def test_a_button_shows_where_the_question_fits_and_a_list_for_which_word(qtbot: QtBot, window: MainWindow) -> None:
    answered(qtbot, window, "How much was spent?")
    heat, page = window.results.heat, window.results.page
    assert not page.warm
    assert not heat.words.isVisible()

    qtbot.mouseClick(heat.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.warm)
    assert [heat.words.itemText(index) for index in range(heat.words.count())] == [
        "All words", "How", "much", "was", "spent?",
    ]  # fmt: skip
    assert "words and places" in heat.button.toolTip()

    told: list[tuple[float, ...]] = []
    heat.changed.connect(lambda _heat, values: told.append(tuple(values)))
    heat.words.setFocus()
    qtbot.keyClick(heat.words, Qt.Key.Key_Down)
    assert told[-1][:2] == (1.0, 0.0)

    qtbot.mouseClick(heat.button, Qt.MouseButton.LeftButton)
    assert not page.warm


def test_turning_the_page_asks_for_the_heat_of_that_page(qtbot: QtBot, window: MainWindow) -> None:
    answered(qtbot, window, "How much was spent?")
    results = window.results
    results.heat.button.setChecked(True)
    qtbot.waitUntil(lambda: results.page.warm and results.page.pages > 1)
    wanted: list[int] = []
    results.heat.wanted.connect(lambda _question, _document, page: wanted.append(page))
    place = results.page.place
    assert place is not None
    by = 1 if place.page < results.page.pages else -1

    results.turn(by)

    assert wanted == [place.page + by]
    qtbot.waitUntil(lambda: results.page.warm)


def test_a_page_that_nobody_looked_at_says_so(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    engine.script.unseen = True
    answered(qtbot, window, "How much was spent?")
    window.results.heat.button.setChecked(True)
    qtbot.waitUntil(lambda: "Nobody looked at this page yet" in window.results.heat.button.toolTip())
    assert not window.results.page.warm
