"""“My questions”: the questions whose right pages somebody marked, and how well each way of searching finds them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop_rag.core.evaluation import OwnRun
from desktop_rag.ui import wording
from desktop_rag.ui.own_set import OwnSet
from desktop_rag.ui.rows import ROW_PX, Row, RowList
from desktop_rag.ui.score_plot import SHOWN, TIME, ScorePlot, value_text
from desktop_rag.ui.theme import SPACE_4, SPACE_8, SPACE_12, SPACE_16, Theme
from desktop_rag.ui.widgets import TextButton, label

_TABLE_ROW_PX = 28
_MOST_ROWS = 6


class OwnQuestionsPane(QWidget):
    """List, run, table, plot, export."""

    closed = Signal()
    asked = Signal(str)
    """A question of the list that shall be compared."""

    def __init__(self, theme: Theme, own: OwnSet) -> None:
        super().__init__()
        self._own = own
        self.setAccessibleName(self.tr("My questions"))
        self.back = TextButton(theme, "arrow-left", self.tr("Back"), tip=self.tr("Back to the comparison"))
        self.run_button = TextButton(theme, "play", self.tr("Run"), tip=self.tr("Ask all of them, each way"))
        self.export_button = TextButton(
            theme, "export", self.tr("Export…"), tip=self.tr("Write the last run to a file")
        )
        self.list = RowList(theme, self.tr("My questions"), fits=True)
        self.list.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hint = label(
            self.tr("No questions yet. Compare ways of searching, then mark the right page with its ✓."),
            "small",
            wrap=True,
        )
        self.ran = label("", "small", wrap=True)
        self.table = _table(self.tr("Scores of the last run"))
        self.plot = ScorePlot(theme)
        self.legend = label(
            self.tr("Bars with their 95 % intervals; the dotted mark is the run before."), "small", wrap=True
        )
        self._lay_out()
        self.back.clicked.connect(self.closed)
        self.run_button.clicked.connect(self._run_or_stop)
        self.export_button.clicked.connect(self._ask_file)
        self.list.chosen.connect(self._ask)
        self.list.menu_wanted.connect(self._menu)
        remove = QShortcut(QKeySequence("Del"), self.list)
        remove.setContext(Qt.ShortcutContext.WidgetShortcut)
        remove.activated.connect(self._remove_present)
        own.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what is known now."""
        own = self._own
        rows = [
            Row(str(one.id), one.question, f"{wording.file_name(one.file)} · {wording.page_name(one.page)}")
            for one in own.questions
        ]
        self.list.take(rows)
        self.list.setFixedHeight(min(len(rows), _MOST_ROWS) * ROW_PX + 2)
        self.list.setVisible(bool(rows))
        self.hint.setVisible(not rows)
        self.run_button.setText(self.tr("Stop") if own.running else self.tr("Run"))
        self.run_button.setEnabled(own.running or bool(rows))
        self.export_button.setEnabled(bool(own.runs))
        self._show_runs(own.runs)

    def export(self, file: str) -> None:
        """Write the last run to ``file``."""
        self._own.export(file)

    def _show_runs(self, runs: Sequence[OwnRun]) -> None:
        for widget in (self.table, self.plot, self.legend):
            widget.setVisible(bool(runs))
        if self._own.running:
            self.ran.setText(self.tr("Asking {n}…").format(n=self._many(len(self._own.questions))))
        elif runs:
            self.ran.setText(_when(runs[0], self.tr("Last run")))
        self.ran.setVisible(self._own.running or bool(runs))
        self.plot.take(runs[:2])
        if runs:
            self._fill_table(runs[0], runs[1] if len(runs) > 1 else None)

    def _fill_table(self, run: OwnRun, before: OwnRun | None) -> None:
        old = {score.route: score for score in before.scores} if before else {}
        self.table.setRowCount(len(run.scores))
        for row, score in enumerate(run.scores):
            cells = [wording.route_name(score.route), str(score.n)]
            cells += [value_text(name, score, old.get(score.route), interval=False) for name in (*SHOWN, TIME)]
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                self.table.setItem(row, column, item)
        bar = self.table.horizontalScrollBar().sizeHint().height()
        height = self.table.horizontalHeader().sizeHint().height() + len(run.scores) * _TABLE_ROW_PX + bar + SPACE_4
        self.table.setFixedHeight(height)

    def _run_or_stop(self) -> None:
        if self._own.running:
            self._own.stop()
        else:
            self._own.run()

    def _ask_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Export the last run"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Page with table and plot (*.html)"), self.tr("Table (*.csv)")])
        dialog.setDefaultSuffix("html")
        dialog.filterSelected.connect(lambda name: dialog.setDefaultSuffix("csv" if "csv" in name else "html"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.export)
        dialog.open()

    def _ask(self, key: str) -> None:
        question = next((one.question for one in self._own.questions if str(one.id) == key), "")
        if question:
            self.asked.emit(question)

    def _menu(self, key: str, at: QPoint) -> None:
        menu = self.menu(key)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def menu(self, key: str) -> QMenu:
        """Return the menu of a question."""
        menu = QMenu(self)
        menu.addAction(self.tr("Compare")).triggered.connect(lambda: self._ask(key))
        menu.addAction(self.tr("Remove")).triggered.connect(lambda: self._own.remove(int(key)))
        return menu

    def _remove_present(self) -> None:
        index = self.list.currentIndex()
        if index.isValid():
            self._own.remove(int(self.list.rows.rows[index.row()].key))

    def _many(self, number: int) -> str:
        return wording.plural(number, self.tr("question"), self.tr("questions"))

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(SPACE_8, SPACE_8, SPACE_8, SPACE_4)
        for button in (self.back, self.run_button, self.export_button):
            top.addWidget(button)
            if button is self.back:
                top.addStretch(1)
        inside = QWidget()
        body = QVBoxLayout(inside)
        body.setContentsMargins(SPACE_16, SPACE_4, SPACE_16, SPACE_16)
        body.setSpacing(SPACE_8)
        body.addWidget(label(self.tr("My questions"), "heading"))
        for widget in (self.hint, self.list):
            body.addWidget(widget)
        body.addSpacing(SPACE_12)
        for shown in (self.ran, self.table, self.plot, self.legend):
            body.addWidget(shown)
        body.addStretch(1)
        scroller = QScrollArea()
        scroller.setFrameShape(QFrame.Shape.NoFrame)
        scroller.setWidgetResizable(True)
        scroller.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroller.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroller.setWidget(inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(scroller, 1)


def _table(name: str) -> QTableWidget:
    table = QTableWidget(0, 7)
    table.setAccessibleName(name)
    table.setHorizontalHeaderLabels(["", "n", "hit@1", "hit@5", "MRR", "nDCG", wording.measure_name(TIME)])
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(_TABLE_ROW_PX)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    table.horizontalHeader().setHighlightSections(False)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    return table


def _when(run: OwnRun, words: str) -> str:
    moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.ran_at))
    gone = f" · {len(run.gone)} left out" if run.gone else ""
    return f"{words}: {moment} · {run.setup}{gone}"
