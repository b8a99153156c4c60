"""The middle: a conversation, and the field in which the next question is typed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from desktop_rag.core.answers import Answer, Evidence, Turn
from desktop_rag.core.events import AnswerEvent
from desktop_rag.core.ledger import FolderRow
from desktop_rag.core.outline import SectionPlace
from desktop_rag.engine.protocol import EngineLostError
from desktop_rag.ui.bridge import Call, Failure
from desktop_rag.ui.composer import Composer
from desktop_rag.ui.filters import FilterDialog
from desktop_rag.ui.pictures import Pictures
from desktop_rag.ui.session import EngineState, Question, Session
from desktop_rag.ui.theme import COLUMN_PX, SPACE_8, SPACE_24, SPACE_32, Theme
from desktop_rag.ui.turn_view import TurnState, TurnView
from desktop_rag.ui.welcome import Welcome

_NEAR_END_PX = 48
_LOW_PX = 420
"""Below this height of the conversation, its cards are low, so that an answer begins in sight."""


class Chat(QWidget):
    """Asks through the session and shows what comes of it."""

    cited = Signal(object, int)
    """The evidence of a turn, and the number to show."""
    evidence_found = Signal(object)
    """The evidence of the newest question."""
    answered = Signal(object)
    """The whole Answer, when it has come."""
    shown = Signal(str, object)
    """The question that is in question now, and its Answer, or None while there is none."""
    thread_changed = Signal()

    def __init__(self, theme: Theme, session: Session, pictures: Pictures) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAccessibleName(self.tr("Conversation"))
        self._theme, self._session, self._pictures = theme, session, pictures
        self.thread_id: str | None = None
        self.turns: list[TurnView] = []
        self._call: Call | None = None
        self._running: TurnView | None = None
        self._marked: TurnView | None = None
        self._follow = True
        self.welcome = Welcome(theme)
        self.composer = Composer(theme)
        self.scroller = QScrollArea()
        self._first = QScrollArea()
        self._stack = QStackedWidget()
        self._lay_out()
        self.composer.asked.connect(self.ask)
        self.composer.stopped.connect(self.stop)
        self.composer.filter_wanted.connect(self.choose_filter)
        self.composer.narrowed.connect(lambda narrowing: session.narrow(narrowing.where))
        self.welcome.suggested.connect(self.ask)
        session.engine_changed.connect(self._engine_changed)
        session.folders_changed.connect(self._folders_changed)
        bar = self.scroller.verticalScrollBar()
        bar.rangeChanged.connect(lambda _low, _high: self._keep_up())
        bar.sliderMoved.connect(lambda _at: self._note_place())
        self.scroller.viewport().installEventFilter(self)

    @property
    def busy(self) -> bool:
        """Whether an answer is on its way."""
        return self._running is not None

    def ask(self, text: str, fresh: bool = False, section: SectionPlace | None = None) -> None:
        """Ask a question in this conversation; ``fresh`` asks for an answer that does not come from memory.

        With a ``section`` that one is read as a whole.
        """
        if self.busy or not text.strip():
            return
        self.composer.edit.clear()
        if self._session.folders_known and not self._session.folders:
            self._refuse(text, self.tr("Nothing can be asked yet: no folder is watched. Add a folder, then ask again."))
            return
        turn = self._add_turn(text)
        self._running = turn
        self.composer.set_busy(True)
        self._follow = True
        how, where = (self.composer.route, self.composer.use_model), self.composer.narrowing.where
        question = Question(text, self.thread_id, *how, fresh, where, section)
        self._call = self._session.ask(
            question,
            item=lambda event: self._take_event(turn, event),
            done=lambda answer: self._done(turn, answer),
            failed=lambda failure: self._failed(turn, failure),
        )

    def choose_filter(self) -> None:
        """Let a person choose what is searched."""
        known = self._session.folders, self._session.tags
        dialog = FilterDialog(self._theme, self.composer.narrowing, *known, self.composer.narrow, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def stop(self) -> None:
        """Stop the answer that is on its way."""
        if self._call is not None:
            self._call.cancel()

    def open_thread(self, thread: str) -> None:
        """Show another conversation."""
        if thread != self.thread_id:
            self.new_thread()
            self.thread_id = thread
            self._session.turns(thread, lambda turns: self._show_turns(thread, turns))
            self.thread_changed.emit()

    def new_thread(self) -> None:
        """Begin a conversation."""
        self.stop()
        self._call = self._running = self._marked = None
        self.composer.set_busy(False)
        self.thread_id = None
        for turn in self.turns:
            self._column.removeWidget(turn)
            turn.deleteLater()
        self.turns = []
        self._stack.setCurrentWidget(self._first)
        self.evidence_found.emit(())
        self.shown.emit("", None)
        self.thread_changed.emit()

    def mark(self, n: int | None) -> None:
        """Show which citation is in the page pane."""
        if self._marked is not None:
            self._marked.mark(n)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stop following the answer when somebody scrolls, and make do with little height."""
        if event.type() is QEvent.Type.Wheel:
            QTimer.singleShot(0, self, self._note_place)
        elif event.type() is QEvent.Type.Resize:
            self._fit_height()
        return super().eventFilter(watched, event)

    @property
    def _low(self) -> bool:
        return self.scroller.viewport().height() < _LOW_PX

    @property
    def _above_px(self) -> int:
        """The room above a question."""
        return SPACE_8 if self._low else SPACE_24

    def _fit_height(self) -> None:
        self._column.setContentsMargins(0, self._above_px, 0, SPACE_24)
        for turn in self.turns:
            turn.cards.set_low(self._low)

    def _refuse(self, text: str, why: str) -> None:
        turn = self._add_turn(text)
        turn.interrupt(why)

    def _add_turn(self, question: str) -> TurnView:
        turn = TurnView(self._theme, self._pictures, question)
        turn.cited.connect(lambda n: self._show_citation(turn, n))
        turn.again.connect(lambda: self.ask(turn.question, fresh=True))
        turn.grew.connect(self._keep_up)
        turn.cards.set_low(self._low)
        self._put_last(turn)
        self._stack.setCurrentWidget(self.scroller)
        QTimer.singleShot(0, self, self._keep_up)
        return turn

    def _put_last(self, turn: TurnView) -> None:
        if self.turns:
            turn.stand_apart()
        self._column.insertWidget(self._column.count() - 1, turn)
        self.turns.append(turn)

    def _show_turns(self, thread: str, turns: Sequence[Turn]) -> None:
        if thread != self.thread_id:
            return
        meanwhile, self.turns = self.turns, []
        for turn in meanwhile:
            self._column.removeWidget(turn)
        asked = {turn.question for turn in meanwhile}
        for at, stored in enumerate(turns, start=len(meanwhile) - len(turns)):
            if stored.question in asked and (at >= 0 or stored.answer is None):
                continue  # it is on its way, or has just come
            turn = self._add_turn(stored.question)
            if stored.answer is not None:
                turn.finish(stored.answer)
            else:
                turn.interrupt(self.tr("This question was not answered to its end. Ask it again."))
        if self.turns and not meanwhile:
            self._mark_turn(self.turns[-1])
        for turn in meanwhile:
            self._put_last(turn)
        self._follow = True
        QTimer.singleShot(0, self, self._keep_up)

    def _take_event(self, turn: TurnView, event: AnswerEvent) -> None:
        if turn is not self._running:
            return
        had = turn.evidence
        turn.take_event(event)
        if turn.evidence and turn.evidence != had:
            self._mark_turn(turn)

    def _done(self, turn: TurnView, answer: Answer) -> None:
        if turn is self._running:
            if turn.answer != answer:
                turn.finish(answer)
            self.thread_id = answer.thread
            if not self._marked_is(turn) and answer.evidence:
                self._mark_turn(turn)
            self.answered.emit(answer)
            self.shown.emit(turn.question, answer)
            self._ended()

    def _failed(self, turn: TurnView, failure: Failure) -> None:
        if turn is not self._running:
            return
        if turn.state in (TurnState.SEARCHING, TurnState.WRITING):
            turn.interrupt(self._reason(failure))
        self._ended()

    def _reason(self, failure: Failure) -> str:
        if failure.stopped:
            return self.tr("You stopped this answer.")
        if isinstance(failure.error, EngineLostError):
            return self.tr("The engine stopped while it was answering. What it had found is kept; ask again.")
        return failure.message or self.tr("The question could not be answered. The log of this workspace says why.")

    def _ended(self) -> None:
        self._call = self._running = None
        self.composer.set_busy(False)
        self.composer.edit.setFocus()
        self._session.ask_threads()
        self.thread_changed.emit()

    def adopt_thread(self) -> None:
        """After a first question was cut off: find the conversation in which it was kept."""
        if self.thread_id is None and self.turns and self._session.threads:
            newest = self._session.threads[0]
            if self.turns[0].question.startswith(newest.title.rstrip("…")):
                self.thread_id = newest.id

    @property
    def marked_question(self) -> str:
        """The question whose quotes are shown beside the conversation."""
        return self._marked.question if self._marked is not None else ""

    def _marked_is(self, turn: TurnView) -> bool:
        return self._marked is turn

    def _mark_turn(self, turn: TurnView) -> None:
        if self._marked is not None and self._marked is not turn:
            self._marked.mark(None)
        self._marked = turn
        if turn.cards.cards:
            # From the send button, Tab goes on to what the question brought.
            self.setTabOrder(self.composer.send, turn.cards.cards[0])
        self.evidence_found.emit(turn.evidence)
        self.shown.emit(turn.question, turn.answer)

    def _show_citation(self, turn: TurnView, n: int) -> None:
        if self._marked is not turn:
            self._mark_turn(turn)
        evidence: tuple[Evidence, ...] = turn.evidence
        self.cited.emit(evidence, n)

    def _folders_changed(self, folders: Sequence[FolderRow]) -> None:
        """A folder that is not watched any more, or not in this workspace, cannot be what is searched."""
        narrowing = self.composer.narrowing
        if narrowing.folder and narrowing.folder not in {row.path for row in folders}:
            self.composer.narrow(narrowing.without("folder"))

    def _engine_changed(self, state: EngineState, _message: str) -> None:
        self.composer.set_ready(state is EngineState.READY)

    def _note_place(self) -> None:
        bar = self.scroller.verticalScrollBar()
        self._follow = bar.value() >= bar.maximum() - _NEAR_END_PX

    def _keep_up(self) -> None:
        """Keep the end in view while an answer grows, but never lose the question at the top."""
        if not self._follow or not self.turns:
            return
        bar = self.scroller.verticalScrollBar()
        top = self.turns[-1].y() + (SPACE_32 if len(self.turns) > 1 else 0) - self._above_px
        bar.setValue(min(bar.maximum(), max(0, top)))

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setObjectName("turns")
        holder = QWidget()
        holder.setMaximumWidth(COLUMN_PX)
        self._column = QVBoxLayout(holder)
        self._column.setContentsMargins(0, SPACE_24, 0, SPACE_24)
        self._column.addStretch(1)
        row = QHBoxLayout(inside)
        row.setContentsMargins(SPACE_24, 0, SPACE_24, 0)
        row.addStretch(1)
        row.addWidget(holder, 1000)
        row.addStretch(1)
        for scroller, shown in ((self._first, self.welcome), (self.scroller, inside)):
            scroller.setWidget(shown)
            scroller.setWidgetResizable(True)
            scroller.setFrameShape(QFrame.Shape.NoFrame)
            scroller.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            scroller.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self._stack.addWidget(scroller)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._stack, 1)
        column.addWidget(self.composer)
