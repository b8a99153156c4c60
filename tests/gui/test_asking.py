"""A question, its evidence, and the answer as it is written and checked."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_rag.core.limits import LONGEST_QUESTION
from desktop_rag.core.types import Route
from desktop_rag.ui import wording
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.turn_view import TurnState
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import COURTESY, FakeEngine
from tests.gui.conftest import MakeWindow, answered, ask

_LEFT = Qt.MouseButton.LeftButton


def test_evidence_stands_there_before_the_answer_is_written(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.script.hold.clear()
    turn = ask(qtbot, window, QUESTION)
    qtbot.waitUntil(lambda: turn.state is TurnState.WRITING and bool(turn.draft.text()))
    assert len(turn.cards.cards) == 4
    assert turn.cards.isVisible()
    assert not turn.text.isVisible()
    assert "each sentence is checked" in turn.status.text()
    engine.script.hold.set()
    qtbot.waitUntil(lambda: turn.state is TurnState.DONE)
    assert not turn.draft.isVisible()
    assert turn.text.toPlainText().startswith("The workshop spent 4.1 million euros on research in 2021.")
    assert turn.footer.text() == "hybrid · 3 of 3 sentences checked · 1.9 s"


def test_shift_enter_begins_a_new_line_and_the_field_grows(window: MainWindow, qtbot: QtBot) -> None:
    edit = window.chat.composer.edit
    before = edit.height()
    qtbot.keyClicks(edit, "one")
    qtbot.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(edit, "two")
    assert edit.toPlainText() == "one\ntwo"
    assert edit.height() > before
    assert not window.chat.turns


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_question_cannot_be_sent(window: MainWindow, qtbot: QtBot, text: str) -> None:
    qtbot.keyClicks(window.chat.composer.edit, text)
    assert not window.chat.composer.send.isEnabled()
    qtbot.keyClick(window.chat.composer.edit, Qt.Key.Key_Return)
    assert not window.chat.turns


def test_a_very_long_question_is_told_the_limit(window: MainWindow, qtbot: QtBot) -> None:
    composer = window.chat.composer
    composer.edit.setPlainText("x" * 10_000)
    assert composer.count.isVisible()
    assert "10,000 characters" in composer.count.text()
    assert wording.count(LONGEST_QUESTION) in composer.count.text()
    assert not composer.send.isEnabled()
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert not window.chat.turns
    composer.edit.setPlainText("shorter")
    assert composer.send.isEnabled()
    assert not composer.count.isVisible()


@pytest.mark.parametrize("way", ["button", "escape"])
def test_an_answer_can_be_stopped(window: MainWindow, engine: FakeEngine, qtbot: QtBot, way: str) -> None:
    engine.script.hold.clear()
    turn = ask(qtbot, window, QUESTION)
    qtbot.waitUntil(lambda: bool(turn.draft.text()))
    assert window.chat.composer.send.accessibleName() == "Stop"
    if way == "button":
        qtbot.mouseClick(window.chat.composer.send, _LEFT)
    else:
        qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: turn.state is TurnState.INTERRUPTED)
    assert turn.message == "You stopped this answer."
    assert turn.cards.isVisible()
    assert window.chat.composer.send.accessibleName() == "Send"


def test_a_refusal_is_calm_says_why_and_shows_the_nearest_places(window: MainWindow, qtbot: QtBot) -> None:
    turn = answered(qtbot, window, "Is there a unicorn?")
    assert turn.message == "The documents do not answer this. None of the 1,204 files mentions it."
    assert turn.status.text() == "Nearest places"
    assert not turn.text.isVisible()
    assert "no answer found" in turn.footer.text()


def test_thanks_get_a_calm_line_and_leave_what_is_shown_beside_them(window: MainWindow, qtbot: QtBot) -> None:
    before = answered(qtbot, window, QUESTION)
    turn = answered(qtbot, window, "Thanks!")
    assert turn.state is TurnState.DONE
    assert turn.message == COURTESY
    assert not any(part.isVisible() for part in (turn.text, turn.status, turn.cards, turn.footer, turn.trace_button))
    assert window.chat.marked_question == before.question


def test_the_answer_is_copied_with_its_sources(window: MainWindow, qtbot: QtBot) -> None:
    turn = answered(qtbot, window, QUESTION)
    qtbot.mouseClick(turn.copy, _LEFT)
    copied = QApplication.clipboard().text()
    assert "spent 4.1 million euros on research in 2021. [1] That was up" in copied
    assert "[1] annual-report-2021.pdf · p. 2" in copied
    assert turn.copy.text() == "Copied"


def test_a_question_can_be_asked_again(window: MainWindow, qtbot: QtBot) -> None:
    turn = answered(qtbot, window, QUESTION)
    qtbot.mouseClick(turn.ask_again, _LEFT)
    assert len(window.chat.turns) == 2
    assert window.chat.turns[1].question == QUESTION
    qtbot.waitUntil(lambda: not window.chat.busy)


def test_the_way_of_searching_goes_with_the_question(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    menu = window.chat.composer.route_button.menu()
    next(action for action in menu.actions() if action.text() == "By exact words").trigger()
    menu.actions()[-1].trigger()
    assert window.chat.composer.route_button.text() == "Words, quotes only"
    answered(qtbot, window, QUESTION)
    asked = next(kwargs for method, _args, kwargs in engine.script.calls if method == "ask")
    assert asked["route"] is Route.KEYWORD
    assert asked["use_model"] is False


def test_a_second_question_goes_to_the_same_conversation(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    answered(qtbot, window, QUESTION)
    answered(qtbot, window, "And the year before?")
    asked = [kwargs for method, _args, kwargs in engine.script.calls if method == "ask"]
    assert asked[0]["thread"] is None
    assert asked[1]["thread"] == window.chat.thread_id
    qtbot.waitUntil(lambda: window.header.title.text() == QUESTION)  # it comes with the list of conversations


def test_conversations_come_back(window: MainWindow, make: MakeWindow, qtbot: QtBot) -> None:
    answered(qtbot, window, QUESTION)
    qtbot.waitUntil(lambda: len(window.sidebar.threads.rows.rows) == 1)
    window.close()
    again = make()
    qtbot.waitUntil(lambda: bool(again.chat.turns))
    assert again.chat.turns[0].question == QUESTION
    assert again.chat.turns[0].text.isVisible()


def test_conversations_are_searched_renamed_and_deleted(window: MainWindow, qtbot: QtBot) -> None:
    answered(qtbot, window, QUESTION)
    qtbot.mouseClick(window.sidebar.new_button, _LEFT)
    answered(qtbot, window, "Is there a unicorn?")

    def titles() -> list[str]:
        return [row.text for row in window.sidebar.threads.rows.rows]

    qtbot.waitUntil(lambda: len(titles()) == 2)
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert window.sidebar.search.hasFocus()
    qtbot.keyClicks(window.sidebar.search, "workshop")
    qtbot.waitUntil(lambda: titles() == [QUESTION])
    qtbot.keyClicks(window.sidebar.search, "zzz")
    qtbot.waitUntil(lambda: not titles())
    assert window.sidebar.threads.accessibleDescription() == "No conversation has these words."
    window.sidebar.search.clear()
    qtbot.waitUntil(lambda: len(titles()) == 2)
    window.session.rename_thread(window.session.threads[0].id, "Fabulous beasts")
    qtbot.waitUntil(lambda: titles()[0] == "Fabulous beasts")
    window.session.delete_thread(window.session.threads[0].id)
    qtbot.waitUntil(lambda: titles() == [QUESTION])


def test_a_question_that_is_asked_before_its_conversation_is_shown_stands_last(
    window: MainWindow, qtbot: QtBot
) -> None:
    answered(qtbot, window, QUESTION)
    chat, thread = window.chat, window.chat.thread_id
    assert thread is not None
    chat.new_thread()
    chat.open_thread(thread)
    asked = ask(qtbot, window, "And in 2022?")
    assert chat.turns == [asked]
    qtbot.waitUntil(lambda: len(chat.turns) == 2 and not chat.busy)
    assert [turn.question for turn in chat.turns] == [QUESTION, "And in 2022?"]
    assert asked.state is TurnState.DONE
    qtbot.waitUntil(lambda: chat.turns[0].y() < asked.y())


def test_a_question_that_is_answered_before_its_conversation_is_shown_stands_there_once(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    answered(qtbot, window, QUESTION)
    chat, thread = window.chat, window.chat.thread_id
    assert thread is not None
    chat.new_thread()
    free = threading.Event()
    engine.client.hold_up(free)
    chat.open_thread(thread)
    asked = answered(qtbot, window, "And in 2022?")
    free.set()
    qtbot.waitUntil(lambda: len(chat.turns) > 1)
    assert [turn.question for turn in chat.turns] == [QUESTION, "And in 2022?"]
    assert chat.turns[-1] is asked


def test_the_last_conversation_does_not_come_over_a_question_that_was_quicker(
    make: MakeWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    first = make()
    qtbot.waitUntil(lambda: first.session.folders_known)
    answered(qtbot, first, QUESTION)
    first.close()
    engine.script.hold.clear()
    second = make()
    qtbot.waitUntil(lambda: second.session.folders_known)
    second.chat.new_thread()
    asked = ask(qtbot, second, "Who was it?")
    second._wanted_thread = engine.script.threads[-1].id
    second._take_threads()
    assert second.chat.turns == [asked]
    assert second.chat.busy
    engine.script.hold.set()
    qtbot.waitUntil(lambda: asked.state is TurnState.DONE)
