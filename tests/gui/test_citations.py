"""From a number in the answer to the lit place on the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_rag.core.answers import Evidence
from desktop_rag.core.ledger import FolderState
from desktop_rag.ui.lit import paint_lit, rectangles
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.pictures import step_scale
from desktop_rag.ui.theme import LIGHT
from desktop_rag.ui.turn_view import TurnView
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import FakeEngine, folder
from tests.gui.conftest import answered

_LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def turn(window: MainWindow, qtbot: QtBot) -> TurnView:
    turn = answered(qtbot, window, QUESTION)
    qtbot.waitUntil(lambda: window.results.page.sharp)
    return turn


def _shown(window: MainWindow) -> QImage:
    return window.results.page.grab().toImage()


def _amber(image: QImage) -> int:
    wanted = QColor(LIGHT.lit)
    return sum(
        image.pixelColor(x, y) == wanted for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)
    )


def test_the_first_quote_is_lit_by_itself(window: MainWindow, turn: TurnView) -> None:
    assert window.results.isVisible()
    assert window.results.active == 1
    assert window.results.page_line.text() == "p. 2 of 3"
    assert window.results.file_line.text() == "annual-report-2021.pdf"


def test_a_quote_of_a_folder_that_is_away_says_so_and_stops_when_it_is_back(
    window: MainWindow, turn: TurnView, engine: FakeEngine
) -> None:
    """Also in a conversation that is opened again: the answer was written when the folder was there."""
    folders, row = window.session.folders, window.results.quotes.rows[0]
    away = folder(9, str(Path(row.evidence.file).parent), 3, 0, FolderState.OFFLINE)
    for known, said in (((away,), True), (folders, False)):
        window.session.folders = known
        window.session.folders_changed.emit(known)
        assert row.place.endswith("· offline") is said
        assert row.accessibleDescription() == row.place


def test_the_lit_words_are_amber_on_the_screen_and_the_letters_stay_dark(
    window: MainWindow, turn: TurnView, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: _amber(_shown(window)) > 50)
    image = QImage(4, 1, QImage.Format.Format_RGB32)
    image.fill(QColor("black"))
    painter = QPainter(image)
    paint_lit(painter, [QRectF(0, 0, 4, 1)], LIGHT.lit)
    painter.end()
    assert image.pixelColor(1, 0) == QColor("black")


def test_clicking_a_number_in_the_answer_lights_its_place(window: MainWindow, turn: TurnView, qtbot: QtBot) -> None:
    number, place = turn.text.chips()[2]
    assert number == 3
    qtbot.mouseClick(turn.text.viewport(), _LEFT, pos=place.center().toPoint())
    assert window.results.active == 3
    assert window.results.page_line.text() == "p. 3 of 3"
    assert [item.n for item in window.results.page.lit] == [3]


def test_clicking_a_card_or_a_quote_does_the_same(window: MainWindow, turn: TurnView, qtbot: QtBot) -> None:
    qtbot.mouseClick(turn.cards.cards[2], _LEFT)
    assert window.results.active == 3
    qtbot.mouseClick(window.results.quotes.rows[1], _LEFT)
    assert window.results.active == 2
    assert [item.n for item in window.results.page.lit] == [1, 2]


def test_j_and_k_step_through_the_citations_but_not_while_typing(
    window: MainWindow, turn: TurnView, qtbot: QtBot
) -> None:
    window.results.page.setFocus()
    qtbot.keyClick(window.results.page, Qt.Key.Key_J)
    assert window.results.active == 2
    qtbot.keyClick(window.results.page, Qt.Key.Key_K)
    qtbot.keyClick(window.results.page, Qt.Key.Key_K)
    assert window.results.active == 4
    edit = window.chat.composer.edit
    edit.setFocus()
    qtbot.keyClicks(edit, "jk")
    assert edit.toPlainText() == "jk"
    assert window.results.active == 4


def test_pages_turn(window: MainWindow, turn: TurnView, qtbot: QtBot) -> None:
    qtbot.mouseClick(window.results.next, _LEFT)
    assert window.results.page_line.text() == "p. 3 of 3"
    assert not window.results.next.isEnabled()
    qtbot.mouseClick(window.results.previous, _LEFT)
    qtbot.mouseClick(window.results.previous, _LEFT)
    assert window.results.page_line.text() == "p. 1 of 3"
    assert not window.results.previous.isEnabled()


def test_the_page_stays_sharp_when_it_is_zoomed(window: MainWindow, turn: TurnView, qtbot: QtBot) -> None:
    for _ in range(4):
        qtbot.mouseClick(window.results.zoom_in, _LEFT)
    assert not window.results.page.sharp
    qtbot.waitUntil(lambda: window.results.page.sharp)
    qtbot.mouseClick(window.results.fit, _LEFT)
    assert window.results.page.transform().m11() < 1.2


def test_the_page_turns_to_what_the_answer_cites_first(window: MainWindow, turn: TurnView) -> None:
    assert turn.answer is not None
    second = replace(turn.answer.sentences[0], citations=(2,))
    window.chat.answered.emit(replace(turn.answer, sentences=(second,)))
    assert window.results.active == 2


def test_a_place_that_the_person_chose_stays(window: MainWindow, turn: TurnView) -> None:
    assert turn.answer is not None
    window.results.show_citation(3)
    second = replace(turn.answer.sentences[0], citations=(2,))
    window.chat.answered.emit(replace(turn.answer, sentences=(second,)))
    assert window.results.active == 3


def test_the_quote_is_copied_with_its_place(window: MainWindow, turn: TurnView, qtbot: QtBot) -> None:
    qtbot.mouseClick(window.results.copy_button, _LEFT)
    expected = "“In 2021 the workshop spent 4.1 million euros on research.” (annual-report-2021.pdf · p. 2)"
    assert QApplication.clipboard().text() == expected


def test_opening_a_file_that_has_gone_names_it(window: MainWindow, turn: TurnView, qtbot: QtBot) -> None:
    qtbot.mouseClick(window.results.open_button, _LEFT)
    qtbot.waitUntil(lambda: "annual-report-2021.pdf" in window.banner.message)
    assert "is not there any more" in window.banner.message


def test_a_file_of_a_folder_that_is_away_is_not_said_to_be_gone(
    window: MainWindow, turn: TurnView, qtbot: QtBot
) -> None:
    """What helps is to connect the drive; to stop watching the folder would lose its index."""
    place = window.results.page.place
    assert place is not None
    found: list[str] = []
    window.session.find_file(place.document, found.append)
    qtbot.waitUntil(lambda: bool(found))
    window.session.folders = (folder(9, str(Path(found[0]).parent), 3, 0, FolderState.OFFLINE),)
    qtbot.mouseClick(window.results.open_button, _LEFT)
    qtbot.waitUntil(lambda: "cannot be reached now" in window.banner.message)
    assert "stop watching" not in window.banner.message


def test_the_pane_closes_and_a_number_opens_it_again(window: MainWindow, turn: TurnView, qtbot: QtBot) -> None:
    qtbot.mouseClick(window.results.close_button, _LEFT)
    assert not window.results.isVisible()
    _number, place = turn.text.chips()[0]
    qtbot.mouseClick(turn.text.viewport(), _LEFT, pos=place.center().toPoint())
    assert window.results.isVisible()


def test_three_cards_are_enough_until_more_are_wanted(window: MainWindow, turn: TurnView, qtbot: QtBot) -> None:
    assert [card.isVisible() for card in turn.cards.cards] == [True, True, True, False]
    assert turn.cards.more.text() == "1 more"
    qtbot.mouseClick(turn.cards.more, _LEFT)
    assert all(card.isVisible() for card in turn.cards.cards)
    assert turn.cards.more.text() == "Fewer"
    qtbot.mouseClick(turn.cards.more, _LEFT)
    assert [card.isVisible() for card in turn.cards.cards] == [True, True, True, False]


def test_a_card_beyond_the_third_comes_into_the_line_and_leaves_the_answer_in_sight(
    window: MainWindow, turn: TurnView
) -> None:
    window.results.show_citation(4)
    assert [card.isVisible() for card in turn.cards.cards] == [True, True, False, True]
    window.results.show_citation(1)
    assert turn.cards.cards[3].isVisible()
    window.results.show_citation(3)
    assert [card.isVisible() for card in turn.cards.cards] == [True, True, True, False]


def test_where_the_pane_is_narrow_its_tabs_and_the_name_of_the_file_have_their_room(
    window: MainWindow, turn: TurnView, qtbot: QtBot
) -> None:
    window.resize(window.minimumSize())
    results = window.results
    qtbot.waitUntil(lambda: not results.open_button.text())
    assert results.tabs.sizeHint().width() <= results.tabs.width()
    assert results.open_button.accessibleName() == "Open the file in its own program"
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: results.open_button.text() == "Open")


def test_at_the_least_size_an_answer_begins_in_sight_below_a_banner(
    window: MainWindow, turn: TurnView, qtbot: QtBot
) -> None:
    usual = turn.cards.cards[0].height()
    window.banner.say("The engine is running again. Nothing was lost.", "plain")
    window.resize(window.minimumSize())
    view = window.chat.scroller.viewport()
    three_lines = 3 * turn.text.fontMetrics().lineSpacing()
    qtbot.waitUntil(lambda: turn.text.mapTo(view, turn.text.rect().topLeft()).y() + three_lines <= view.height())
    assert turn.cards.cards[0].height() < usual
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: turn.cards.cards[0].height() == usual)


def test_a_slow_zoom_asks_for_few_pictures() -> None:
    assert len({step_scale(1 + step / 100) for step in range(100)}) <= 6
    assert step_scale(1.03) >= 1.03


def test_a_quote_without_line_boxes_is_lit_as_a_whole(turn: TurnView) -> None:
    evidence: Evidence = replace(turn.evidence[0], boxes=())
    assert len(rectangles(evidence)) == 1
