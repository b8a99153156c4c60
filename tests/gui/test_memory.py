"""What is kept in mind, how an answer came about, and conversations taken elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from desktop_rag.core.answers import Sentence, Verdict
from desktop_rag.core.memories import MemoryScope
from desktop_rag.core.trace import AnswerTrace, PromptPart, Step
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.memory_pane import MemoryPane
from desktop_rag.ui.results import Tab
from desktop_rag.ui.theme import LIGHT
from desktop_rag.ui.trace import Trace, trace_html
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import FakeEngine, full_script
from tests.fixtures.fake_keeping import memory
from tests.gui.conftest import MakeWindow, answered, press

_LEFT = Qt.MouseButton.LeftButton
_CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def pane(make: MakeWindow, engine: FakeEngine, qtbot: QtBot, tmp_path: Path) -> MemoryPane:
    """Return the memory of a workspace in which one thing was said and another typed."""
    engine.script = full_script(tmp_path)
    said = memory("m1", "Q means fiscal quarter.", thread="t2")
    engine.script.kept.memories = (memory("m0", "Answer in German.", MemoryScope.USER), said)
    window = make()
    press(qtbot, window, Qt.Key.Key_3, _CTRL)
    qtbot.waitUntil(lambda: len(window.results.memory.rows) == 2 and bool(window.session.threads))
    return window.results.memory


def _window(pane: MemoryPane) -> MainWindow:
    window = pane.window()
    assert isinstance(window, MainWindow)
    return window


def test_each_statement_says_for_whom_it_holds_and_where_it_was_said(pane: MemoryPane) -> None:
    typed, said = pane.rows
    assert (typed.text.text(), typed.scope.currentText()) == ("Answer in German.", "Everywhere")
    assert typed.said.isHidden()
    assert (said.text.text(), said.scope.currentText()) == ("Q means fiscal quarter.", "In this workspace")
    assert said.said.words == "said in “How is the heating switched to summer?”"


def test_the_link_leads_to_the_conversation(pane: MemoryPane, qtbot: QtBot) -> None:
    qtbot.mouseClick(pane.rows[1].said, _LEFT)
    assert _window(pane).chat.thread_id == "t2"
    assert pane.isVisible()


def test_something_is_added_by_keyboard(pane: MemoryPane, engine: FakeEngine, qtbot: QtBot) -> None:
    pane.field.setFocus()
    qtbot.keyClicks(pane.field, "The fiscal year begins in April.")
    pane.scope.setCurrentIndex(1)
    qtbot.keyClick(pane.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(pane.rows) == 3)
    new = engine.script.kept.memories[-1]
    assert (new.statement.text, new.scope) == ("The fiscal year begins in April.", MemoryScope.USER)
    assert pane.field.text() == ""


def test_a_statement_is_edited_in_place(pane: MemoryPane, engine: FakeEngine, qtbot: QtBot) -> None:
    row = pane.rows[1]
    qtbot.mouseClick(row.edit_button, _LEFT)
    assert row.edit.hasFocus()
    qtbot.keyClicks(row.edit, "Q means question.")
    qtbot.keyClick(row.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: pane.rows[1].text.text() == "Q means question.")
    assert engine.script.kept.memories[1].thread == "t2"


def test_escape_leaves_the_words_as_they_were(pane: MemoryPane, engine: FakeEngine, qtbot: QtBot) -> None:
    row = pane.rows[0]
    qtbot.mouseClick(row.edit_button, _LEFT)
    qtbot.keyClicks(row.edit, "Answer in French.")
    qtbot.keyClick(row.edit, Qt.Key.Key_Escape)
    assert row.edit.isHidden()
    assert row.text.text() == "Answer in German."
    assert not any(method == "change_memory" for method, _args, _kwargs in engine.script.calls)


def test_a_statement_is_made_to_hold_everywhere(pane: MemoryPane, engine: FakeEngine, qtbot: QtBot) -> None:
    box = pane.rows[1].scope
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: engine.script.kept.memories[1].scope is MemoryScope.USER)


def test_what_is_forgotten_can_be_kept_after_all(pane: MemoryPane, qtbot: QtBot) -> None:
    qtbot.mouseClick(pane.rows[0].forget_button, _LEFT)
    qtbot.waitUntil(lambda: len(pane.rows) == 1)
    assert pane.undo_text.text() == "Forgotten: “Answer in German.”"
    qtbot.mouseClick(pane.undo_button, _LEFT)
    qtbot.waitUntil(lambda: len(pane.rows) == 2)
    assert not pane.undo_line.isVisible()
    assert {row.memory.statement.text for row in pane.rows} == {"Answer in German.", "Q means fiscal quarter."}


def test_the_pane_shows_what_the_model_was_given_for_this_answer(pane: MemoryPane, qtbot: QtBot) -> None:
    window = _window(pane)
    assert pane.given.text() == "No answer is shown."
    turn = answered(qtbot, window, QUESTION)
    assert pane.given.text() == "Nothing but the quotes and the question."
    assert turn.answer is not None
    given = replace(turn.answer, given=("The reader said: Q means fiscal quarter.",))
    window.chat.shown.emit(QUESTION, given)
    assert pane.given.text() == "The reader said: Q means fiscal quarter."


def test_a_statement_said_in_a_question_appears(pane: MemoryPane, engine: FakeEngine, qtbot: QtBot) -> None:
    turn = answered(qtbot, _window(pane), QUESTION)
    assert turn.answer is not None
    engine.script.kept.memories += (memory("m2", "The hall is the new one."),)
    _window(pane).chat.shown.emit(QUESTION, replace(turn.answer, noted=("The hall is the new one.",)))
    qtbot.waitUntil(lambda: len(pane.rows) == 3)


def test_the_footer_leads_to_how_the_answer_came_about(window: MainWindow, qtbot: QtBot) -> None:
    turn = answered(qtbot, window, QUESTION)
    qtbot.mouseClick(turn.trace_button, _LEFT)
    sheet = window.findChild(Trace)
    assert sheet is not None
    assert sheet.isVisible()
    text = sheet.text.toPlainText()
    for part in ("3 of 3 sentences hold", "SmolLM2 135M", "1.9 s", "score 0.910", "q-1", "not cited"):
        assert part in text
    qtbot.mouseClick(sheet.copy, _LEFT)
    assert QApplication.clipboard().text().startswith(QUESTION)
    sheet.close()


def test_the_trace_tells_what_was_struck_and_takes_nothing_for_markup(window: MainWindow, qtbot: QtBot) -> None:
    turn = answered(qtbot, window, QUESTION)
    assert turn.answer is not None
    struck = Sentence("It was <b>9</b> million.", (1,), Verdict.UNSUPPORTED, "9 is not in the quote")
    answer = replace(turn.answer, struck=(struck,), given=("A <i>note</i>",), cached=True)
    page = trace_html(answer, LIGHT)
    assert "It was &lt;b&gt;9&lt;/b&gt; million." in page
    assert "9 is not in the quote" in page
    assert "A &lt;i&gt;note&lt;/i&gt;" in page
    assert "yes, asked before" in page
    assert "3 of 4 sentences hold" in page
    assert "No model was asked." in page


def test_the_trace_shows_the_prompt_and_what_was_done_without(window: MainWindow, qtbot: QtBot) -> None:
    turn = answered(qtbot, window, QUESTION)
    assert turn.answer is not None
    parts = (PromptPart("system", "Answer briefly."), PromptPart("user", "Quotes:\n[1] <b>x</b>\nQuestion: how?"))
    trace = AnswerTrace("how? (fiscal quarter)", (Step("embed", 12.0),), parts, ("It had 30 seconds.",))
    page = trace_html(replace(turn.answer, trace=trace), LIGHT)
    shown = (
        "user: Quotes:<br>[1] &lt;b&gt;x&lt;/b&gt;<br>Question: how?",
        "how? (fiscal quarter)",
        "It had 30 seconds.",
    )
    for part in (*shown, "12 ms"):
        assert part in page


def test_a_conversation_is_exported_from_its_menu(
    pane: MemoryPane, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    window = _window(pane)
    texts = [action.text() for action in window.sidebar.thread_menu("t1").actions()]
    assert texts == ["Rename…", "Export as Markdown…", "Export with page pictures…", "Delete"]
    window.sidebar.thread_menu("t1").actions()[2].trigger()
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    assert Path(dialog.selectedFiles()[0]).name == "Research budget.html"
    dialog.fileSelected.emit(str(tmp_path / "talk.html"))
    dialog.close()
    qtbot.waitUntil(lambda: engine.script.kept.exported == [str(tmp_path / "talk.html")])
    qtbot.waitUntil(lambda: "talk.html" in window.banner.message)


def test_an_export_that_fails_says_why(pane: MemoryPane, qtbot: QtBot, tmp_path: Path) -> None:
    window = _window(pane)
    window.menus.write("t1", str(tmp_path / "none" / "talk.md"))
    qtbot.waitUntil(lambda: "cannot be written" in window.banner.message)


def test_the_tab_in_front_stays_when_a_conversation_is_left(pane: MemoryPane, qtbot: QtBot) -> None:
    window = _window(pane)
    press(qtbot, window, Qt.Key.Key_N, _CTRL)
    assert pane.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_F6)
    press(qtbot, window, Qt.Key.Key_1, _CTRL)
    assert window.results.tab is Tab.CITATIONS


def test_what_is_being_edited_stays_when_the_list_is_asked_for_again(pane: MemoryPane, qtbot: QtBot) -> None:
    row = pane.rows[0]
    qtbot.mouseClick(row.edit_button, _LEFT)
    qtbot.keyClicks(row.edit, "Answer in")
    pane.kept.add("Something else.", MemoryScope.WORKSPACE)
    qtbot.waitUntil(lambda: len(pane.rows) == 3)
    assert pane.rows[0] is row
    assert row.edit.isVisible()
    assert row.edit.text() == "Answer in"
