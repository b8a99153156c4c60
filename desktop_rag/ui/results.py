"""The right side: the cited page with its quotes, the comparison of ways of searching, and what is kept in mind."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop_rag.core.answers import Answer, Evidence
from desktop_rag.ui import wording
from desktop_rag.ui.compare_pane import ComparePane
from desktop_rag.ui.copying import CopyQuote, CopyTable, TableForm
from desktop_rag.ui.heat import HeatControl
from desktop_rag.ui.memory_pane import MemoryPane
from desktop_rag.ui.page_view import PageView, Place
from desktop_rag.ui.pictures import Pictures
from desktop_rag.ui.quote_list import QuoteList
from desktop_rag.ui.session import Session
from desktop_rag.ui.theme import SPACE_4, SPACE_8, SPACE_12, SPACE_16, Theme
from desktop_rag.ui.widgets import ElidedLabel, IconButton, TextButton, hairline, label

_NARROW_PX = 420
"""Below this width the name of the file needs the room of the words on the buttons beside it."""


class Tab(IntEnum):
    """The tabs, from left to right."""

    CITATIONS = 0
    COMPARE = 1
    MEMORY = 2


class Results(QWidget):
    """What an answer rests on, and what other ways of searching would have brought."""

    marked = Signal(int)
    """The number of the quote that is shown now."""
    closed = Signal()
    trouble = Signal(str)
    wide_wanted = Signal(int)
    """The width in pixels that the tab in front would like to have; 0 when the usual one will do."""

    def __init__(self, theme: Theme, session: Session, pictures: Pictures) -> None:
        super().__init__()
        self.setObjectName("results")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Citations"))
        self._theme, self._session = theme, session
        self.evidence: tuple[Evidence, ...] = ()
        self.active: int | None = None
        self.tabs = QTabBar()
        self.tabs.setAccessibleName(self.tr("Results"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(False)
        for name in (self.tr("Citations"), self.tr("Compare"), self.tr("Memory")):
            self.tabs.addTab(name)
        self.close_button = IconButton(theme, "x", self.tr("Close this pane"), shortcut="Ctrl+Shift+C", size_px=16)
        self.page = PageView(theme, pictures)
        self.quotes = QuoteList(theme)
        self.compare = ComparePane(theme, session, pictures)
        self.memory = MemoryPane(theme, session)
        self.file_line = ElidedLabel("", "strong", Qt.TextElideMode.ElideMiddle)
        self.previous = IconButton(theme, "caret-left", self.tr("Previous page"), shortcut="Alt+Left", size_px=16)
        self.next = IconButton(theme, "caret-right", self.tr("Next page"), shortcut="Alt+Right", size_px=16)
        self.page_line = label("", "small")
        self.heat = HeatControl(theme)
        self.zoom_out = IconButton(theme, "magnifying-glass-minus", self.tr("Smaller"), shortcut="Ctrl+-", size_px=16)
        self.zoom_in = IconButton(theme, "magnifying-glass-plus", self.tr("Larger"), shortcut="Ctrl++", size_px=16)
        self.fit = IconButton(
            theme, "arrows-out-line-horizontal", self.tr("Fit the width"), shortcut="Ctrl+0", size_px=16
        )
        self.open_button = TextButton(
            theme, "arrow-square-out", self.tr("Open"), tip=self.tr("Open the file in its own program")
        )
        self.copy_button = CopyQuote(theme)
        self.table_button = CopyTable(theme)
        self._lay_out()
        self._connect()

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return Tab(self.tabs.currentIndex())

    def show_tab(self, tab: Tab) -> None:
        """Bring a tab to the front."""
        self.tabs.setCurrentIndex(tab)

    def first_control(self) -> QWidget:
        """Return what the keyboard begins with in the tab in front."""
        firsts: dict[Tab, QWidget] = {Tab.CITATIONS: self.page, Tab.MEMORY: self.memory.field}
        return firsts.get(self.tab) or self.compare.first_control()

    def showEvent(self, event: QShowEvent) -> None:
        """Begin with what the tab in front needs."""
        super().showEvent(event)
        self._turn_to(self.tabs.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the words on the buttons out where they would leave no room for the name of the file."""
        super().resizeEvent(event)
        for button in (self.open_button, self.copy_button, self.table_button):
            button.set_narrow(self.width() < _NARROW_PX)
        self._quote_row.activate()

    def take_turn(self, question: str, answer: Answer | None) -> None:
        """Know which question is in question, and its answer if there is one."""
        self.compare.take_question(question)
        self.memory.take_answer(answer)

    def take(self, evidence: Sequence[Evidence], question: str = "") -> None:
        """Show the quotes of an answer to ``question``; the page follows when one of them is wanted."""
        self.evidence = tuple(evidence)
        self.heat.question = question
        self.heat.look_at(None, 0)
        self.quotes.take(self.evidence)
        self._mark_offline()
        if not self.evidence:
            self.active = None
            self.page.clear()
            self.file_line.set_text("")
            self._say_page()

    def show_citation(self, n: int) -> None:
        """Show the page of quote ``n`` with its place lit."""
        item = next((item for item in self.evidence if item.n == n), None)
        if item is None:
            return
        self.active = n
        self._show(Place(item.document, item.file, item.page, item.page_label))
        self.quotes.mark(n)
        self.marked.emit(n)

    def step(self, by: int) -> None:
        """Go to the next or the previous quote."""
        numbers = [item.n for item in self.evidence]
        if not numbers:
            return
        at = numbers.index(self.active) + by if self.active in numbers else 0
        self.show_citation(numbers[at % len(numbers)])

    def turn(self, by: int) -> None:
        """Turn to a neighbouring page."""
        place = self.page.place
        if place is not None and 1 <= place.page + by <= max(self.page.pages, 1):
            label_ = next((i.page_label for i in self._on_page(place.document, place.page + by)), "")
            self._show(Place(place.document, place.file, place.page + by, label_))

    def open_file(self) -> None:
        """Open the file in the system's viewer."""
        if self.page.place is not None:
            self._session.find_file(self.page.place.document, self.open_path)

    def open_path(self, found: str) -> None:
        """Open the file at ``found`` in the system's viewer, or say why not."""
        path = Path(found)
        if not path.exists() and self._session.is_offline(found):
            away = self.tr("{file} cannot be reached now. Connect its drive, or put its folder back, then try again.")
            self.trouble.emit(away.format(file=path.name))
        elif not path.exists():
            self.trouble.emit(
                self.tr("{file} is not there any more. Put it back, or stop watching its folder.").format(file=path)
            )
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self.trouble.emit(self.tr("No program on this computer opens {file}.").format(file=path.name))

    def copy_quote(self) -> None:
        """Copy the quote in question with its place."""
        item = self._item
        if item is not None:
            self.copy_button.copy(item)

    def copy_table(self, form: TableForm) -> None:
        """Copy the whole table of the quote in question, or say that it is from none."""
        if self.table_button.isHidden():
            self.trouble.emit(self.tr("This quote is not from a table. Choose one that is, then copy its table."))
        self.table_button.ask(form)

    def _turn_to(self, index: int) -> None:
        self._stack.setCurrentIndex(index)
        self.wide_wanted.emit(self.compare.wanted_px if index == Tab.COMPARE and self.isVisible() else 0)
        if index == Tab.COMPARE and self.isVisible():
            self.compare.look()

    def _mark_offline(self) -> None:
        self.quotes.mark_offline(self._session.is_offline)

    def _copy_table(self, element: str, form: str) -> None:
        self._session.find_table(element, lambda table: self.table_button.copy(table, form))

    @property
    def _item(self) -> Evidence | None:
        return next((item for item in self.evidence if item.n == self.active), None)

    def _show(self, place: Place) -> None:
        lit = self._on_page(place.document, place.page)
        active = self.active if any(item.n == self.active for item in lit) else None
        self.page.show_page(place, lit, active)
        self.heat.look_at(place.document, place.page)
        self.file_line.set_text(wording.file_name(place.file))
        self.file_line.setToolTip(place.file)
        self._say_page()

    def _on_page(self, document: str, page: int) -> list[Evidence]:
        return [item for item in self.evidence if (item.document, item.page) == (document, page)]

    def _say_page(self) -> None:
        place, pages = self.page.place, self.page.pages
        for button in (self.zoom_in, self.zoom_out, self.fit, self.open_button):
            button.setEnabled(place is not None)
        self.copy_button.setEnabled(self.active is not None)
        self.table_button.show_for(self._item)
        self.previous.setEnabled(place is not None and place.page > 1)
        self.next.setEnabled(place is not None and place.page < pages)
        if place is None:
            self.page_line.setText("")
            return
        name = wording.page_name(place.page, place.label)
        self.page_line.setText(self.tr("{page} of {pages}").format(page=name, pages=pages) if pages else name)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(SPACE_12, 0, SPACE_8, 0)
        top.addWidget(self.tabs)
        top.addStretch(1)
        top.addWidget(self.close_button)
        tools = QHBoxLayout()
        tools.setContentsMargins(SPACE_8, SPACE_4, SPACE_8, SPACE_4)
        tools.setSpacing(2)
        for widget in (self.previous, self.next):
            tools.addWidget(widget)
        tools.addSpacing(SPACE_4)
        tools.addWidget(self.page_line)
        tools.addStretch(1)
        tools.addWidget(self.heat)
        for widget in (self.zoom_out, self.zoom_in, self.fit):
            tools.addWidget(widget)
        page_bar = QWidget()
        page_bar.setObjectName("pageBar")
        page_bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        page_bar.setLayout(tools)
        upper = QWidget()
        upper_column = QVBoxLayout(upper)
        upper_column.setContentsMargins(0, 0, 0, 0)
        upper_column.setSpacing(0)
        upper_column.addWidget(self.page, 1)
        upper_column.addWidget(page_bar)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(upper)
        self.splitter.addWidget(self._quote_side())
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([560, 230])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(hairline())
        self._stack = QStackedWidget()
        for pane in (self.splitter, self.compare, self.memory):
            self._stack.addWidget(pane)
        column.addWidget(self._stack, 1)

    def _quote_side(self) -> QWidget:
        side = QWidget()
        side.setObjectName("quoteBar")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._quote_row = row = QHBoxLayout()
        row.setContentsMargins(SPACE_16, SPACE_8, SPACE_8, 0)
        row.setSpacing(SPACE_4)
        row.addWidget(self.file_line, 1)
        row.addSpacing(SPACE_12)
        row.addWidget(self.open_button)
        row.addWidget(self.copy_button)
        row.addWidget(self.table_button)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.quotes, 1)
        side.setMinimumHeight(120)
        return side

    def _connect(self) -> None:
        self.table_button.wanted.connect(self._copy_table)
        heat, find = self.heat, self._session.find_heat
        heat.wanted.connect(lambda question, document, page: find(question, document, page, heat.take))
        self.tabs.currentChanged.connect(self._turn_to)
        self.compare.roomy.connect(lambda: self._turn_to(self.tabs.currentIndex()))
        self.quotes.chosen.connect(self.show_citation)
        self.previous.clicked.connect(lambda: self.turn(-1))
        self.next.clicked.connect(lambda: self.turn(1))
        self.zoom_in.clicked.connect(self.page.zoom_in)
        self.zoom_out.clicked.connect(self.page.zoom_out)
        self.fit.clicked.connect(self.page.fit_width)
        self.open_button.clicked.connect(self.open_file)
        self.copy_button.clicked.connect(self.copy_quote)
        self.close_button.clicked.connect(self.closed)
        self.page.pages_known.connect(lambda _pages: self._say_page())
        self.page.failed.connect(self.trouble)
        self._session.folders_changed.connect(lambda _folders: self._mark_offline())
        self.heat.changed.connect(self.page.show_heat)
        self._say_page()
