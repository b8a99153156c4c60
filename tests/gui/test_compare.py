"""A question through several ways of searching, side by side; and the own questions that come of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from desktop_rag.core.ledger import FolderState
from desktop_rag.core.types import Route
from desktop_rag.ui.compare_board import ties_of
from desktop_rag.ui.compare_pane import ComparePane
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.results import Tab
from desktop_rag.ui.snippets import snippet
from desktop_rag.ui.theme import THEMES, ThemeName, contrast
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import FakeEngine, folder
from tests.fixtures.fake_keeping import FOUND
from tests.gui.conftest import answered, press

_LEFT = Qt.MouseButton.LeftButton
_CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def pane(window: MainWindow, qtbot: QtBot) -> ComparePane:
    """Return the comparison of a question that was asked, opened by the keyboard."""
    answered(qtbot, window, QUESTION)
    press(qtbot, window, Qt.Key.Key_2, _CTRL)
    pane = window.results.compare
    qtbot.waitUntil(lambda: len(pane.board.columns) == 4)
    return pane


def _compared(engine: FakeEngine) -> list[list[Route]]:
    return [kwargs["routes"] for method, _args, kwargs in engine.script.calls if method == "compare"]


def test_the_present_question_is_compared_when_the_tab_is_opened(pane: ComparePane, window: MainWindow) -> None:
    assert window.results.tab is Tab.COMPARE
    assert pane.field.text() == QUESTION
    assert pane.chosen == (Route.TEXT, Route.KEYWORD, Route.HYBRID, Route.BEST)
    assert [len(column) for column in pane.board.columns] == [len(places) for places in FOUND.values()]
    assert pane.board.headers[3].accessibleName() == "Best, 29 ms"
    assert "weigh 6" in pane.board.headers[3].steps
    assert "join 0.4 ms" in pane.board.headers[3].accessibleDescription()


def test_the_same_page_has_one_letter_in_all_columns_and_what_is_alone_says_so(pane: ComparePane) -> None:
    letters = {(card.page_key[1], card.tie.letter if card.tie else "") for card in pane.board.cards}
    assert letters == {(2, "A"), (3, "B"), (1, "")}
    alone = pane.board.columns[0][2]
    assert "only in this column" in alone.accessibleName()
    assert "also in other columns" in pane.board.columns[1][0].accessibleName()


def test_what_lies_in_a_folder_that_is_away_says_so(
    pane: ComparePane, window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    file = Path(pane.board.cards[0].evidence.file)
    assert "offline" not in pane.board.cards[0].accessibleName()
    engine.script.folders = window.session.folders = (folder(9, str(file.parent), 3, 0, FolderState.OFFLINE),)
    pane.compare()
    qtbot.waitUntil(lambda: "offline" in pane.board.cards[0].accessibleName())
    assert not window.session.is_offline(str(file.parent) + " too/a.pdf")


def test_looking_at_a_result_lifts_its_page_in_every_column(pane: ComparePane) -> None:
    card = pane.board.columns[1][0]
    card.setFocus()
    assert {other.page_key for other in pane.board.cards if other.strong} == {card.page_key}
    assert sum(other.strong for other in pane.board.cards) == 3
    pane.board.columns[0][2].setFocus()
    assert not any(other.strong for other in pane.board.cards)


def test_a_result_shows_its_page_with_the_place_lit(pane: ComparePane, qtbot: QtBot) -> None:
    qtbot.mouseClick(pane.board.columns[1][0], _LEFT)
    assert pane.page.isVisible()
    assert pane.page_line.text() == "annual-report-2021.pdf · p. 3"
    assert [item.quote for item in pane.page.lit] == [pane.board.columns[1][0].evidence.quote]
    qtbot.waitUntil(lambda: pane.page.sharp)
    qtbot.mouseClick(pane.page_close, _LEFT)
    assert not pane.page.isVisible()


def test_arrows_walk_through_the_results_and_enter_opens_one(pane: ComparePane, qtbot: QtBot) -> None:
    first = pane.board.columns[0][0]
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Down)
    assert pane.board.columns[0][1].hasFocus()
    qtbot.keyClick(pane.board.columns[0][1], Qt.Key.Key_Right)
    assert pane.board.columns[1][1].hasFocus()
    qtbot.keyClick(pane.board.columns[1][1], Qt.Key.Key_Left)
    qtbot.keyClick(pane.board.columns[0][1], Qt.Key.Key_Up)
    qtbot.keyClick(first, Qt.Key.Key_Return)
    assert pane.page_line.text() == "annual-report-2021.pdf · p. 2"


def test_tab_goes_from_the_question_through_the_results(pane: ComparePane, window: MainWindow, qtbot: QtBot) -> None:
    pane.field.setFocus()
    seen = set()
    for _ in range(40):
        focused = window.focusWidget()
        seen.add(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert pane.own_button in seen
    assert set(pane.route_buttons.values()) <= seen
    assert set(pane.board.cards) <= seen
    assert {card.mark_button for card in pane.board.cards} <= seen


def test_where_the_pane_is_narrow_the_names_of_the_ways_are_whole(
    window: MainWindow, pane: ComparePane, qtbot: QtBot
) -> None:
    window.resize(window.minimumSize())
    qtbot.waitUntil(lambda: window.width() == window.minimumWidth())
    for button in pane.route_buttons.values():
        qtbot.waitUntil(lambda one=button: one.width() >= one.sizeHint().width())
        assert button.geometry().right() <= pane.width()


def test_two_to_four_ways_are_compared(pane: ComparePane, engine: FakeEngine, qtbot: QtBot) -> None:
    for route in (Route.TEXT, Route.KEYWORD):
        qtbot.mouseClick(pane.route_buttons[route], _LEFT)
    qtbot.waitUntil(lambda: len(pane.board.columns) == 2)
    qtbot.mouseClick(pane.route_buttons[Route.HYBRID], _LEFT)
    assert pane.chosen == (Route.HYBRID, Route.BEST)
    assert "Two to four" in pane.status.text()
    assert _compared(engine)[-1] == [Route.HYBRID, Route.BEST]


def test_another_question_can_be_compared_without_asking_it(
    pane: ComparePane, window: MainWindow, qtbot: QtBot
) -> None:
    pane.field.setFocus()
    pane.field.selectAll()
    qtbot.keyClicks(pane.field, "Where are the unicorns?")
    qtbot.keyClick(pane.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Nothing was found" in pane.status.text())
    assert pane.board.cards == []
    assert len(window.chat.turns) == 1


def test_a_question_that_is_typed_before_the_ways_are_known_is_compared(window: MainWindow, qtbot: QtBot) -> None:
    pane = window.results.compare
    window.results.show_tab(Tab.COMPARE)
    window.show_results(True)
    pane.field.setText(QUESTION)
    assert not pane.route_buttons
    qtbot.keyClick(pane.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(pane.board.columns) == 4)
    names = [button.text() for button in pane.findChildren(QPushButton) if button.property("chip")]
    assert names == ["Meaning", "Words", "Hybrid", "Best"]


def test_the_columns_get_room_and_give_it_back(pane: ComparePane, window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.results.width() >= 4 * 172)
    wide = window.results.width()
    press(qtbot, window, Qt.Key.Key_1, _CTRL)
    qtbot.waitUntil(lambda: window.results.width() < wide)


def test_marking_the_right_page_shows_in_every_column_and_can_be_taken_back(
    pane: ComparePane, engine: FakeEngine, qtbot: QtBot
) -> None:
    card = pane.board.columns[1][0]
    qtbot.mouseClick(card.mark_button, _LEFT)
    qtbot.waitUntil(lambda: card.right)
    assert {other.page_key for other in pane.board.cards if other.right} == {card.page_key}
    assert pane.own_button.text() == "My questions (1)"
    assert (engine.script.kept.questions[0].question, engine.script.kept.questions[0].page) == (QUESTION, 3)
    qtbot.mouseClick(card.mark_button, _LEFT)
    qtbot.waitUntil(lambda: not card.right)
    assert engine.script.kept.questions == ()


def test_a_run_gives_a_table_and_a_plot_beside_the_run_before(
    pane: ComparePane, engine: FakeEngine, qtbot: QtBot
) -> None:
    qtbot.mouseClick(pane.board.columns[0][0].mark_button, _LEFT)
    qtbot.waitUntil(lambda: bool(pane.own.questions))
    qtbot.mouseClick(pane.own_button, _LEFT)
    shown = pane.questions
    assert [row.text for row in shown.list.rows.rows] == [QUESTION]
    assert shown.plot.isHidden()
    for better in (0.0, 0.1):
        engine.script.kept.better = better
        runs = len(pane.own.runs)
        qtbot.mouseClick(shown.run_button, _LEFT)
        qtbot.waitUntil(lambda before=runs: len(pane.own.runs) == before + 1 and not pane.own.running)
    assert shown.plot.isVisible()
    assert [shown.table.item(row, 0).text() for row in range(4)] == ["meaning", "words", "hybrid", "best"]
    assert shown.table.item(3, 2).text() == "0.90  (+0.10)"
    assert "best: right page first (hit@1) 0.90" in shown.plot.accessibleDescription()


def test_a_run_is_exported_where_a_person_wants_it(
    pane: ComparePane, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    pane.own.run()
    qtbot.waitUntil(lambda: bool(pane.own.runs))
    pane.show_questions(True)
    qtbot.mouseClick(pane.questions.export_button, _LEFT)
    dialog = pane.questions.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "run.html"))
    dialog.close()
    qtbot.waitUntil(lambda: engine.script.kept.exported == [str(tmp_path / "run.html")])


def test_a_question_of_the_list_is_compared_again_or_removed(
    pane: ComparePane, engine: FakeEngine, qtbot: QtBot
) -> None:
    qtbot.mouseClick(pane.board.columns[0][0].mark_button, _LEFT)
    qtbot.waitUntil(lambda: bool(pane.own.questions))
    pane.show_questions(True)
    key = pane.questions.list.rows.rows[0].key
    pane.questions.menu(key).actions()[0].trigger()
    assert not pane.questions.isVisible()
    assert pane.field.text() == QUESTION
    pane.show_questions(True)
    pane.questions.list.mark(key)
    pane.questions.list.setFocus()
    qtbot.keyClick(pane.questions.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: engine.script.kept.questions == () and pane.questions.hint.isVisible())


def test_another_workspace_starts_with_nothing_compared(pane: ComparePane, window: MainWindow) -> None:
    window.open_workspace("other")
    assert pane.board.cards == []
    assert pane.own.questions == ()


def test_pages_in_two_columns_are_tied_best_ranks_first(pane: ComparePane, engine: FakeEngine) -> None:
    results = engine.client._compare(QUESTION, [Route.KEYWORD, Route.HYBRID], 5)
    assert [(key[1], tie.letter) for key, tie in ties_of(results, 8).items()] == [(3, "A"), (2, "B")]
    assert ties_of(results[:1], 8) == {}


def test_a_snippet_begins_where_the_question_is_answered() -> None:
    text = "Nothing of note here. " * 20 + "In 2021 the budget for research was 4.1 million euros. " + "And more. " * 30
    found = snippet(text, "What was the research budget in 2021?")
    assert [found.text[at : at + length] for at, length in found.lit] == ["2021", "budget", "research"]
    assert found.text.startswith("…")
    assert found.text.endswith("…")
    assert len(found.text) <= 180
    assert snippet("Short.", "budget").text == "Short."


@pytest.mark.parametrize("name", [ThemeName.LIGHT, ThemeName.DARK, ThemeName.CONTRAST])
def test_marks_of_shared_pages_stand_out(name: ThemeName) -> None:
    tokens = THEMES[name]
    assert len(set(tokens.series)) == len(tokens.series)
    for colour in tokens.series:
        assert contrast(colour, tokens.canvas) >= 4.5  # the letter in the tab has the colour of the canvas
        assert contrast(colour, tokens.desk) >= 3


def test_a_question_that_leans_on_the_conversation_is_compared_as_the_chat_searches_it(
    pane: ComparePane, engine: FakeEngine, qtbot: QtBot
) -> None:
    pane.field.setText("And in 2021?")
    qtbot.keyClick(pane.field, Qt.Key.Key_Return)

    whole = "Who paid the toll? And in 2021?"
    qtbot.waitUntil(lambda: pane.status.text() == f"Searched as: {whole}")
    assert pane.field.text() == "And in 2021?"
    assert [args for method, args, _ in engine.script.calls if method == "compare"][-1] == (whole,)
    qtbot.mouseClick(pane.board.columns[0][0].mark_button, _LEFT)
    qtbot.waitUntil(lambda: bool(pane.own.questions))
    assert pane.own.questions[0].question == whole
