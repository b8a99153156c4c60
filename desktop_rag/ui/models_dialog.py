"""All models with what they need and how fast they are here: add, fetch, try, choose, check and remove them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QTabBar,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop_rag.core.model_rows import ModelKind, ModelRow, ModelState, Redoing
from desktop_rag.ui import model_wording, wording
from desktop_rag.ui.dialogs import ask_paths, confirm
from desktop_rag.ui.fetch_bar import FetchBar
from desktop_rag.ui.model_trial import ModelTrialDialog
from desktop_rag.ui.models import Models
from desktop_rag.ui.plain_table import plain_table
from desktop_rag.ui.theme import SPACE_8, SPACE_12, SPACE_16, SPACE_24, Theme
from desktop_rag.ui.widgets import ElidedLabel, dialog_button, hairline, label, restyle

_SIZE = (1020, 560)
_NAME, _STATE, _SIZE_ON_DISK, _MEMORY, _SPEED, _LICENCE, _LANGUAGES = range(7)
_WIDTHS_PX = {_NAME: 156, _STATE: 120, _SIZE_ON_DISK: 80, _MEMORY: 140, _SPEED: 180, _LICENCE: 112}
_MOST_NAME_PX = 280
"""A longer name is shortened in its middle; its tooltip has all of it."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_NOTHING_TO_TRY = ("none", "words")
_HERE = (ModelState.INSTALLED, ModelState.LOST, ModelState.PARTLY)


class ModelsDialog(QDialog):
    """One tab a kind of model. ``question`` is what a model is asked when it is tried."""

    def __init__(self, theme: Theme, models: Models, question: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._models, self._question = theme, models, question
        self._rows: tuple[ModelRow, ...] = ()
        self.setWindowTitle(self.tr("Models"))
        self.resize(*_SIZE)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(self.tr("Kinds of models"))
        for kind in ModelKind:
            self.tabs.addTab(model_wording.kind_title(kind))
        self.about = label("", "muted", wrap=True)
        self.table = self._make_table()
        self.detail = label("", "muted", wrap=True)
        self.place = ElidedLabel("", "small", Qt.TextElideMode.ElideMiddle)
        self.news = label("", wrap=True)
        self.fetching = FetchBar(models)
        self.use_button = dialog_button(self.tr("Use"), self._use)
        self.try_button = dialog_button(self.tr("Try …"), self.try_selected)
        self.fetch_button = dialog_button(self.tr("Fetch …"), self._fetch)
        self.check_button = dialog_button(self.tr("Check files"), self._check)
        self.remove_button = dialog_button(self.tr("Remove …"), self._remove)
        self.add_button = dialog_button(self.tr("Add from this computer …"), lambda: None)
        self.add_button.setMenu(self._add_menu())
        self._lay_out()
        self.tabs.currentChanged.connect(lambda _at: self._show_kind())
        models.changed.connect(self._show_kind)
        models.fetch_changed.connect(self._show_selected)
        models.said.connect(self._say)
        self._show_kind()

    @property
    def kind(self) -> ModelKind:
        """The kind whose tab is open."""
        return list(ModelKind)[self.tabs.currentIndex()]

    def show_kind(self, kind: ModelKind) -> None:
        """Open the tab of a kind."""
        self.tabs.setCurrentIndex(list(ModelKind).index(kind))

    @property
    def selected(self) -> ModelRow | None:
        """The model that is chosen in the table."""
        chosen = self.table.selectionModel().selectedRows()
        return self._rows[chosen[0].row()] if chosen and chosen[0].row() < len(self._rows) else None

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the models."""
        super().showEvent(event)
        self._say("", False)
        self._models.refresh()

    def _show_kind(self) -> None:
        before = self.selected
        self.about.setText(model_wording.kind_about(self.kind))
        self._rows = tuple(row for row in self._models.rows if row.kind is self.kind)
        self.table.setRowCount(len(self._rows))
        for number, row in enumerate(self._rows):
            self._fill(number, row)
        needed = self.table.sizeHintForColumn(_NAME) + SPACE_8
        self.table.setColumnWidth(_NAME, min(max(_WIDTHS_PX[_NAME], needed), _MOST_NAME_PX))
        names = [row.name for row in self._rows]
        used = next((at for at, row in enumerate(self._rows) if row.used), 0)
        same = before is not None and before.kind is self.kind and before.name in names
        self.table.selectRow(names.index(before.name) if same and before else used)
        self._show_selected()

    def _fill(self, number: int, row: ModelRow) -> None:
        texts = {
            _NAME: row.name,
            _STATE: model_wording.state_word(row),
            _SIZE_ON_DISK: wording.size(row.bytes) if row.bytes else "",
            _MEMORY: model_wording.memory_word(row),
            _SPEED: row.speed.sentence() if row.speed else "",
            _LICENCE: row.licence,
            _LANGUAGES: row.languages,
        }
        for column, text in texts.items():
            item = QTableWidgetItem(text)
            item.setToolTip(text)
            if column == _SIZE_ON_DISK:
                item.setTextAlignment(_RIGHT)
            if row.used and column in (_NAME, _STATE):
                font = item.font()
                font.setBold(True)
                item.setFont(font)
            self.table.setItem(number, column, item)

    def _show_selected(self) -> None:
        row = self.selected
        self.detail.setText("" if row is None else model_wording.details(row))
        place = "" if row is None else row.folder or row.source
        self.place.set_text(place)
        self.place.setVisible(bool(place))
        usable = row is not None and row.usable
        tried = usable and row is not None and row.name not in _NOTHING_TO_TRY
        pulled = row is not None and row.state in (ModelState.KNOWN, ModelState.PARTLY)
        here = row is not None and row.state in _HERE and not row.used
        busy = bool(self._models.fetching)
        self.use_button.setEnabled(usable and row is not None and not row.used)
        self.try_button.setEnabled(tried)
        self.fetch_button.setVisible(pulled)
        self.fetch_button.setEnabled(pulled and not busy)
        part = row is not None and row.state is ModelState.PARTLY
        self.fetch_button.setText(self.tr("Go on fetching …") if part else self.tr("Fetch …"))
        self.use_button.setVisible(not pulled)
        self.try_button.setVisible(not pulled)
        self.check_button.setEnabled(row is not None and row.state is ModelState.INSTALLED)
        self.remove_button.setEnabled(here and not (row is not None and row.name == self._models.fetching))

    def _use(self) -> None:
        row = self.selected
        if row is None:
            return

        def ask(redoing: Redoing | None) -> None:
            if redoing is None:
                self._models.choose(row)
            else:
                question = model_wording.choose_question(row, redoing)
                confirm(self, question, self.tr("Use it"), lambda: self._models.choose(row), harmless=True)

        self._models.ask_redoing(row, ask)

    def try_selected(self) -> ModelTrialDialog:
        """Open the dialog in which the chosen model is asked something."""
        row = self.selected or self._rows[0]
        dialog = ModelTrialDialog(self._theme, self._models, row, self._question, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(lambda _code: self._models.refresh())
        dialog.open()
        return dialog

    def _fetch(self) -> None:
        row = self.selected
        if row is not None:
            question = model_wording.fetch_question(row)
            confirm(self, question, self.tr("Fetch"), lambda: self._models.fetch(row), harmless=True)

    def _check(self) -> None:
        if self.selected is not None:
            self._models.verify(self.selected)

    def _remove(self) -> None:
        row = self.selected
        if row is not None:
            question = model_wording.remove_question(row)
            confirm(self, question, self.tr("Remove"), lambda: self._models.remove(row))

    def _add_menu(self) -> QMenu:
        def choose(title: str, mode: QFileDialog.FileMode) -> None:
            ask_paths(self, title, mode, lambda paths: self._models.add(paths[0]))

        menu = QMenu(self)
        file, folder = QFileDialog.FileMode.ExistingFile, QFileDialog.FileMode.Directory
        for text, title, mode in (
            (self.tr("A file (GGUF) …"), self.tr("The file of a model"), file),
            (self.tr("A folder …"), self.tr("The folder of a model"), folder),
        ):
            action = menu.addAction(text)
            action.triggered.connect(lambda _checked, t=title, m=mode: choose(t, m))
        return menu

    def _say(self, text: str, bad: bool) -> None:
        self.news.setProperty("role", "trouble" if bad else "")
        self.news.setText(text)
        self.news.setVisible(bool(text))
        restyle(self.news)

    def _make_table(self) -> QTableWidget:
        headings = [
            self.tr("Model"), self.tr("State"), self.tr("Size"), self.tr("Memory"), self.tr("Speed here"),
            self.tr("Licence"), self.tr("Languages"),
        ]  # fmt: skip
        table = plain_table(self.tr("Models"), headings, _WIDTHS_PX)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        table.itemSelectionChanged.connect(self._show_selected)
        return table

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_24, SPACE_12, SPACE_24, SPACE_16)
        column.setSpacing(SPACE_8)
        column.addWidget(self.tabs)
        column.addWidget(hairline())
        column.addWidget(self.about)
        column.addWidget(self.table, 1)
        column.addWidget(self.detail)
        column.addWidget(self.place)
        column.addWidget(self.news)
        column.addWidget(self.fetching)
        row = QHBoxLayout()
        row.setSpacing(SPACE_8)
        buttons = (self.use_button, self.try_button, self.fetch_button, self.check_button, self.remove_button)
        for button in buttons:
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.add_button)
        column.addLayout(row)
