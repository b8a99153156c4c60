"""The comparison: a question through several ways of searching side by side, and the page of the result in question."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QMargins, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop_rag.core.reports import RouteResult
from desktop_rag.core.types import Route
from desktop_rag.ui import wording
from desktop_rag.ui.bridge import Failure
from desktop_rag.ui.compare_board import LEAST_COLUMN_PX, Board, BoardScroller
from desktop_rag.ui.flow import FlowLayout
from desktop_rag.ui.own_questions_pane import OwnQuestionsPane
from desktop_rag.ui.own_set import OwnSet
from desktop_rag.ui.page_view import PageView, Place
from desktop_rag.ui.pictures import Pictures
from desktop_rag.ui.result_card import ResultCard
from desktop_rag.ui.session import EngineState, Session
from desktop_rag.ui.theme import SPACE_4, SPACE_8, SPACE_12, SPACE_16, Theme
from desktop_rag.ui.widgets import ElidedLabel, IconButton, TextButton, label

LEAST, MOST = 2, 4
"""Ways of searching that are compared at a time."""
FIRST = (Route.TEXT, Route.KEYWORD, Route.HYBRID, Route.BEST)
_RESULTS = 5
_ROOM_PX = 36
"""What a column takes besides its results."""


class ComparePane(QWidget):
    """Asks the engine when it is looked at; a result shows its page below, with its place lit."""

    roomy = Signal()
    """Another number of columns would like another width."""

    def __init__(self, theme: Theme, session: Session, pictures: Pictures) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Compare"))
        self._theme, self._session = theme, session
        self._compared = ""
        self._searched = ""
        self._wanted = ""
        self.conversation: Callable[[], str | None] = lambda: None
        """Which conversation is open: a question that leans on it is searched as it would be there."""
        self.own = OwnSet(session)
        self.field = QLineEdit()
        self.field.setAccessibleName(self.tr("Question to compare"))
        self.field.setPlaceholderText(self.tr("A question to search for in several ways"))
        self.own_button = TextButton(theme, "list-numbers", self.tr("My questions"))
        self.route_buttons: dict[Route, QPushButton] = {}
        self.status = label("", "small", wrap=True)
        self.board = Board(theme, pictures)
        self.scroller = BoardScroller(self.board)
        self.page = PageView(theme, pictures)
        self.page_line = ElidedLabel("", "strong", Qt.TextElideMode.ElideMiddle)
        self.page_close = IconButton(theme, "x", self.tr("Close this page"), size_px=16)
        self.questions = OwnQuestionsPane(theme, self.own)
        self._chips = FlowLayout(QMargins(SPACE_12, 0, SPACE_12, 0), SPACE_8)
        self._stack = QStackedWidget()
        self._lower = QWidget()
        self._lay_out()
        self._connect()

    @property
    def chosen(self) -> tuple[Route, ...]:
        """The ways of searching that are compared."""
        return tuple(route for route, button in self.route_buttons.items() if button.isChecked())

    @property
    def wanted_px(self) -> int:
        """The width that the columns would like to have."""
        return len(self.chosen or FIRST) * (LEAST_COLUMN_PX + _ROOM_PX)

    def take_question(self, question: str) -> None:
        """Have this question compared, now or when the pane is looked at."""
        if question != self._wanted:
            self._wanted = question
            self.field.setText(question)
            self.field.setCursorPosition(0)
            if self.isVisible():
                self.look()

    def look(self) -> None:
        """The pane is looked at: learn which ways there are, then compare what is not compared yet."""
        if self._session.engine is not EngineState.READY:
            return
        if not self.route_buttons:
            self._session.bridge.call("routes", done=self._take_routes, failed=self._session.tell)
        elif self.field.text().strip() != self._compared:
            self.compare()

    def compare(self) -> None:
        """Compare the question in the field, as soon as it is known which ways there are."""
        if not self.route_buttons:
            self.look()
            return
        question = self.field.text().strip()
        routes = self.chosen
        self._close_page()
        if not question or not routes:
            self._compared = question
            self.board.take("", (), self._session.is_offline)
            self._say("")
            return
        self._compared = question
        self._say(self.tr("Searching in {n} ways…").format(n=len(routes)))
        thread = self.conversation()
        if thread is None:
            self._search(question, question, routes)
            return
        self._session.bridge.call(
            "searched_as",
            question,
            thread=thread,
            done=lambda searched: self._search(question, searched, routes),
            failed=lambda failure: self._failed(question, failure),
        )

    def _search(self, question: str, searched: str, routes: tuple[Route, ...]) -> None:
        if (question, routes) != (self._compared, self.chosen):
            return
        self._searched = searched
        self._session.bridge.call(
            "compare",
            searched,
            routes=list(routes),
            k=_RESULTS,
            where=self._session.where or None,
            done=lambda results: self._take(question, routes, results),
            failed=lambda failure: self._failed(question, failure),
        )

    def show_questions(self, shown: bool) -> None:
        """Turn to the own questions, or back."""
        if shown:
            self.own.refresh()
        self._stack.setCurrentIndex(1 if shown else 0)
        (self.questions.list if shown else self.field).setFocus(Qt.FocusReason.OtherFocusReason)

    def first_control(self) -> QWidget:
        """Return what the keyboard begins with."""
        return self.questions.back if self._stack.currentIndex() else self.field

    def _take_routes(self, routes: Sequence[Route]) -> None:
        if self.route_buttons:  # they were asked for twice
            return
        for route in routes:
            button = QPushButton(wording.route_name(route).capitalize())
            button.setProperty("chip", True)
            button.setCheckable(True)
            button.setChecked(route in FIRST)
            button.setAccessibleName(self.tr("Compare {route}").format(route=wording.route_name(route)))
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda _checked, one=button: self._chip(one))
            self.route_buttons[route] = button
            self._chips.addWidget(button)
        self.roomy.emit()

    def _chip(self, button: QPushButton) -> None:
        """Keep two to four ways chosen, then compare anew."""
        if not LEAST <= len(self.chosen) <= MOST:
            button.setChecked(not button.isChecked())
            self._say(self.tr("Two to four ways are compared at a time."))
            return
        self.compare()

    def _take(self, question: str, routes: tuple[Route, ...], results: Sequence[RouteResult]) -> None:
        if (question, routes) != (self._compared, self.chosen):
            return
        self.board.take(self._searched, results, self._session.is_offline)
        self._show_marks()
        said = self.tr("Searched as: {question}").format(question=self._searched) if self._searched != question else ""
        nothing = "" if any(one.hits for one in results) else self.tr("Nothing was found, in none of these ways.")
        self._say("\n".join(filter(None, (said, nothing))))

    def _failed(self, question: str, failure: Failure) -> None:
        if question == self._compared:
            self._compared = ""
            self._say(failure.message or self.tr("That did not work. Try again."))

    def _say(self, text: str) -> None:
        self.status.setText(text)
        self.status.setVisible(bool(text))

    def _show_page(self, card: ResultCard) -> None:
        item = card.evidence
        self.board.activate(card)
        self._lower.show()
        self.page_line.set_text(wording.evidence_place(item))
        self.page.show_page(Place(item.document, item.file, item.page), (item,), item.n)
        self.scroller.reveal(card)

    def _close_page(self) -> None:
        self._lower.hide()
        self.board.activate(None)
        self.page.clear()

    def _mark(self, card: ResultCard) -> None:
        self.own.toggle(self._searched, *card.page_key)

    def _show_marks(self) -> None:
        self.board.show_marks(self.own.pages_of(self._searched))
        count = len(self.own.questions)
        self.own_button.setText(self.tr("My questions ({n})").format(n=count) if count else self.tr("My questions"))

    def _ask_own(self, question: str) -> None:
        self.show_questions(False)
        self.field.setText(question)
        self.compare()

    def _narrowed(self) -> None:
        """What was compared holds for what was searched before."""
        self._compared = ""
        if self.isVisible():
            self.look()

    def _engine_changed(self, state: EngineState, _message: str) -> None:
        if state is EngineState.STARTING:
            self._compared = ""
            self.board.take("", (), self._session.is_offline)
            self._close_page()
        elif state is EngineState.READY and self.isVisible():
            self.look()

    def _connect(self) -> None:
        self.field.returnPressed.connect(self.compare)
        self.own_button.clicked.connect(lambda: self.show_questions(True))
        self.questions.closed.connect(lambda: self.show_questions(False))
        self.questions.asked.connect(self._ask_own)
        self.board.chosen.connect(self._show_page)
        self.board.marked.connect(self._mark)
        self.page_close.clicked.connect(self._close_page)
        self.page.failed.connect(self._session.trouble)
        self.own.changed.connect(self._show_marks)
        self._session.engine_changed.connect(self._engine_changed)
        self._session.narrowed.connect(self._narrowed)

    def _lay_out(self) -> None:
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, SPACE_12, 0, 0)
        column.setSpacing(SPACE_8)
        asking = QHBoxLayout()
        asking.setContentsMargins(SPACE_12, 0, SPACE_12, 0)
        asking.addWidget(self.field, 1)
        asking.addWidget(self.own_button)
        column.addLayout(asking)
        column.addLayout(self._chips)
        self.status.setContentsMargins(SPACE_16, 0, SPACE_16, 0)
        self.status.hide()
        column.addWidget(self.status)
        column.addWidget(self.scroller, 1)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(upper)
        self.splitter.addWidget(self._page_side())
        self.splitter.setSizes([460, 340])
        self._stack.addWidget(self.splitter)
        self._stack.addWidget(self.questions)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._stack)

    def _page_side(self) -> QWidget:
        bar = QWidget()
        bar.setObjectName("quoteBar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(bar)
        row.setContentsMargins(SPACE_16, SPACE_4, SPACE_8, SPACE_4)
        row.addWidget(self.page_line, 1)
        row.addWidget(self.page_close)
        column = QVBoxLayout(self._lower)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.page, 1)
        self._lower.setMinimumHeight(160)
        self._lower.hide()
        return self._lower
