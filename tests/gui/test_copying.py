"""What is copied from a quote, and what is said of words that text recognition is not sure of."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_rag.core.types import ElementKind
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.turn_view import TurnView
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import FakeEngine
from tests.gui.conftest import answered


@pytest.fixture
def turn(window: MainWindow, qtbot: QtBot, engine: FakeEngine) -> TurnView:
    """Ask a question of which the first quote is a row of a table, and the third is from a bad scan."""
    client = engine.clients[-1]
    first, second, third, fourth = client.evidence
    row = replace(first, kind=ElementKind.TABLE)
    scan = replace(third, kind=ElementKind.SCAN, confidence=0.62)
    client.evidence = (row, replace(second, confidence=0.97), scan, fourth)
    engine.script.table_of = row.element
    turn = answered(qtbot, window, QUESTION)
    qtbot.waitUntil(lambda: window.results.page.sharp)
    return turn


def run_action(window: MainWindow, text: str) -> None:
    next(action for action in window.shortcuts.table if action.text == text).run()


def test_the_table_of_a_row_is_copied_as_csv(window: MainWindow, turn: TurnView, qtbot: QtBot) -> None:
    window.results.show_citation(1)
    button = window.results.table_button
    assert button.isVisible()
    button.as_csv.trigger()
    qtbot.waitUntil(lambda: button.text() == "Copied")
    rows = list(csv.reader(io.StringIO(QApplication.clipboard().text(), newline="")))
    assert rows == [["Year", "Million euros"], ["2020", "3.6"], ["2021", "4.1"]]


def test_the_table_is_copied_as_markdown_from_the_list_of_actions(
    window: MainWindow, turn: TurnView, qtbot: QtBot
) -> None:
    window.results.show_citation(1)
    run_action(window, "Copy the table as Markdown")
    qtbot.waitUntil(lambda: window.results.table_button.text() == "Copied")
    assert QApplication.clipboard().text().startswith("Research\n\n| Year | Million euros |\n| --- | --- |\n| 2020 |")


def test_a_quote_that_is_no_table_offers_none(window: MainWindow, turn: TurnView, qtbot: QtBot) -> None:
    window.results.show_citation(2)
    assert not window.results.table_button.isVisible()
    run_action(window, "Copy the table as CSV")
    assert "not from a table" in window.banner.message


def test_a_table_that_is_not_known_is_told(
    window: MainWindow, turn: TurnView, qtbot: QtBot, engine: FakeEngine
) -> None:
    engine.script.table_of = ""
    window.results.show_citation(1)
    window.results.table_button.as_csv.trigger()
    qtbot.waitUntil(lambda: "not known" in window.banner.message)


def test_unsure_words_are_told_quietly_and_only_there(window: MainWindow, turn: TurnView) -> None:
    note = "recognised text, some words unsure"
    assert [note in card.toolTip() for card in turn.cards.cards] == [False, False, True, False]
    assert [note in row.toolTip() for row in window.results.quotes.rows] == [False, False, True, False]
    assert note in turn.cards.cards[2].accessibleDescription()


def test_the_unsure_place_on_the_page_says_so_under_the_pointer(
    window: MainWindow, turn: TurnView, qtbot: QtBot
) -> None:
    window.results.show_citation(3)
    page = window.results.page
    qtbot.waitUntil(lambda: page.sharp)
    box = window.results.page.lit[0].bbox
    inside = page.mapFromScene((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
    above = [item.toolTip() for item in page.items(inside)]
    assert "recognised text, some words unsure" in above
    assert not any(item.toolTip() for item in page.items(inside + QPoint(0, 60)))
