"""All workspaces with their sizes and places: make, rename, move, back up, restore and delete them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop_rag.core.paths import DEFAULT_WORKSPACE
from desktop_rag.core.reports import DiskUse, WorkspaceRow
from desktop_rag.engine.protocol import Relocation
from desktop_rag.ui import wording
from desktop_rag.ui.bridge import Failure
from desktop_rag.ui.dialogs import ask_name, ask_paths, confirm
from desktop_rag.ui.plain_table import plain_table
from desktop_rag.ui.session import Session
from desktop_rag.ui.theme import SPACE_8, SPACE_16, SPACE_24
from desktop_rag.ui.widgets import dialog_button, label

_NAME, _SIZE, _PLACE = range(3)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class WorkspacesDialog(QDialog):
    """The workspace that is open is closed and opened again to change its name or place; it cannot be deleted."""

    changed = Signal()
    """Workspaces came, went, or have another name."""
    open_wanted = Signal(str)
    relocation_wanted = Signal(object)
    """A Relocation of the open workspace, which the engine that has it open cannot do."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: tuple[WorkspaceRow, ...] = ()
        self._wanted = ""
        self.setWindowTitle(self.tr("Workspaces"))
        self.resize(820, 460)
        self.table = self._make_table()
        self.detail = label("", "muted", wrap=True)
        self.news = label("", wrap=True)
        self.open_button = dialog_button(self.tr("Open"), self._open)
        self.new_button = dialog_button(self.tr("New …"), self._new)
        self.rename_button = dialog_button(self.tr("Rename …"), self._rename)
        self.move_button = dialog_button(self.tr("Move …"), self._move)
        self.back_up_button = dialog_button(self.tr("Back up …"), self._back_up)
        self.restore_button = dialog_button(self.tr("Restore …"), self._restore)
        self.repair_button = dialog_button(self.tr("Check and repair"), self._repair)
        self.delete_button = dialog_button(self.tr("Delete …"), self._delete)
        self._lay_out()
        self._show_selected()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the workspaces."""
        super().showEvent(event)
        self.news.clear()
        self.ask()

    def ask(self) -> None:
        """Ask for the workspaces again."""
        self._session.bridge.call("workspaces", done=self.take, failed=self._tell)

    def take(self, rows: Sequence[WorkspaceRow]) -> None:
        """Show the workspaces; the one that was chosen stays so, or the open one is."""
        wanted = self._wanted or (self.selected.name if self.selected else self._session.workspace)
        self._wanted = ""
        self._rows = tuple(rows)
        self.table.setRowCount(len(rows))
        for number, row in enumerate(rows):
            place = row.folder if row.reachable else self.tr("{folder} (not there now)").format(folder=row.folder)
            size = wording.size(row.use.total) if row.use.total else ""
            for column, text in ((_NAME, row.name), (_SIZE, size), (_PLACE, place)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                if column == _SIZE:
                    item.setTextAlignment(_RIGHT)
                if row.name == self._session.workspace:
                    font = item.font()
                    font.setBold(True)
                    item.setFont(font)
                self.table.setItem(number, column, item)
        names = [row.name for row in rows]
        self.table.selectRow(names.index(wanted) if wanted in names else 0)
        self._show_selected()

    @property
    def selected(self) -> WorkspaceRow | None:
        """The workspace that is chosen in the table."""
        chosen = self.table.selectionModel().selectedRows()
        return self._rows[chosen[0].row()] if chosen and chosen[0].row() < len(self._rows) else None

    def _show_selected(self) -> None:
        row = self.selected
        is_open = row is not None and row.name == self._session.workspace
        other = row is not None and not is_open and row.reachable
        for button in (self.open_button, self.delete_button):
            button.setEnabled(other)
        self.rename_button.setEnabled(row is not None and row.reachable and row.name != DEFAULT_WORKSPACE)
        self.move_button.setEnabled(row is not None and row.reachable)
        self.back_up_button.setEnabled(row is not None and row.reachable)
        self.repair_button.setEnabled(is_open)
        self.detail.setText("" if row is None else self._detail(row, is_open))

    def _detail(self, row: WorkspaceRow, is_open: bool) -> str:
        parts = [_parts(row.use)] if row.use.total else [self.tr("Nothing is in it yet.")]
        if is_open:
            parts.append(self.tr("It is open: open another one to delete it."))
        if row.name == DEFAULT_WORKSPACE:
            parts.append(self.tr("It keeps its name, as it opens when none is named."))
        return " ".join(parts)

    def _open(self) -> None:
        if self.selected is not None:
            self.open_wanted.emit(self.selected.name)
            self.accept()

    def _new(self) -> None:
        def make(name: str) -> None:
            self._do(self.tr("“{name}” was made.").format(name=name), name, "create_workspace", name)

        ask_name(self, self.tr("New workspace"), self.tr("Name"), "", make)

    def _rename(self) -> None:
        row = self.selected
        if row is None:
            return

        def rename(name: str) -> None:
            if name in [other.name for other in self._rows]:
                self.news.setText(self.tr("There is a workspace “{name}” already.").format(name=name))
            elif row.name == self._session.workspace:
                self._relocate(Relocation(row.name, new_name=name))
            else:
                said = self.tr("“{name}” has its new name.").format(name=name)
                self._do(said, name, "rename_workspace", row.name, name)

        ask_name(self, self.tr("Rename"), self.tr("Name"), row.name, rename)

    def _move(self) -> None:
        row = self.selected
        if row is None:
            return

        def move(folders: list[str]) -> None:
            if row.name == self._session.workspace:
                self._relocate(Relocation(row.name, folder=folders[0]))
                return
            said = self.tr("“{name}” was moved to {folder}.").format(name=row.name, folder=folders[0])
            self._do(said, row.name, "move_workspace", row.name, folders[0])

        ask_paths(self, self.tr("Move to this folder"), QFileDialog.FileMode.Directory, move)

    def _relocate(self, wanted: Relocation) -> None:
        self.relocation_wanted.emit(wanted)
        self.accept()

    def _back_up(self) -> None:
        row = self.selected
        if row is None:
            return

        def back_up(paths: list[str]) -> None:
            self._do(
                lambda archive: self.tr("“{name}” is backed up: {archive}").format(name=row.name, archive=archive),
                row.name,
                "back_up_workspace",
                row.name,
                paths[0],
            )

        ask_paths(self, self.tr("Write the backup into this folder"), QFileDialog.FileMode.Directory, back_up)

    def _restore(self) -> None:
        def choose(paths: list[str]) -> None:
            ask_name(
                self, self.tr("Restore"), self.tr("Name of the restored workspace"), _name_in(paths[0]),
                lambda name: self._do(
                    self.tr("“{name}” was restored.").format(name=name), name, "restore_workspace", paths[0], name
                ),
            )  # fmt: skip

        ask_paths(self, self.tr("Choose a backup"), QFileDialog.FileMode.ExistingFile, choose)

    def _repair(self) -> None:
        def done(sentences: tuple[str, ...]) -> None:
            self.news.setText(" ".join(sentences) or self.tr("Nothing was damaged."))
            self.ask()

        self.news.setText(self.tr("Checking …"))
        self._session.bridge.call("repair", done=done, failed=self._tell)

    def _delete(self) -> None:
        row = self.selected
        if row is None:
            return
        question = self.tr(
            "Delete “{name}” with its index and its conversations? That cannot be undone. No document is touched."
        )
        said = self.tr("“{name}” was deleted.").format(name=row.name)
        confirm(
            self, question.format(name=row.name), self.tr("Delete"),
            lambda: self._do(said, "", "remove_workspace", row.name),
        )  # fmt: skip

    def _do(self, said: str | Callable[[object], str], then: str, method: str, *arguments: str) -> None:
        """Ask the engine, then say what was done and choose the workspace ``then``."""

        def done(value: object) -> None:
            self.news.setText(said if isinstance(said, str) else said(value))
            self._wanted = then
            self.changed.emit()
            self.ask()

        self.news.setText(self.tr("One moment …"))
        self._session.bridge.call(method, *arguments, done=done, failed=self._tell)

    def _tell(self, failure: Failure) -> None:
        if not failure.stopped:
            self.news.setText(failure.message or self.tr("That did not work. The log says more."))

    def _make_table(self) -> QTableWidget:
        headings = [self.tr("Workspace"), self.tr("Size"), self.tr("Folder")]
        table = plain_table(self.tr("Workspaces"), headings, {_NAME: 200, _SIZE: 96})
        table.itemSelectionChanged.connect(self._show_selected)
        table.itemDoubleClicked.connect(lambda _item: self.open_button.click())
        return table

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_24, SPACE_24, SPACE_24, SPACE_16)
        column.setSpacing(SPACE_8)
        column.addWidget(self.table, 1)
        column.addWidget(self.detail)
        column.addWidget(self.news)
        row = QHBoxLayout()
        row.setSpacing(SPACE_8)
        for button in (self.open_button, self.rename_button, self.move_button, self.back_up_button, self.delete_button):
            row.addWidget(button)
        row.addSpacing(SPACE_16)
        row.addStretch(1)
        for button in (self.repair_button, self.restore_button, self.new_button):
            row.addWidget(button)
        column.addLayout(row)


def _parts(use: DiskUse) -> str:
    named = {
        "catalogue": use.catalogue,
        "index": use.index,
        "print views": use.print_views,
        "page pictures": use.pictures,
        "attachments": use.attachments,
        "logs": use.logs,
    }
    told = ", ".join(f"{name} {wording.size(size)}" for name, size in named.items() if size)
    return f"{told[:1].upper()}{told[1:]}."


def _name_in(archive: str) -> str:
    """Return the name that a backup most likely has: that of its file without the day."""
    stem = Path(archive).stem
    return stem[:-11] if len(stem) > 11 and stem[-11] == "-" and stem[-10:-6].isdigit() else stem
