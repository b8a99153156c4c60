"""What the menus of the sidebar do: with a conversation (rename, export, delete) and with a watched folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_rag.core.ledger import FolderRow
from desktop_rag.engine.protocol import Relocation
from desktop_rag.ui import wording
from desktop_rag.ui.dialogs import ask_name, confirm
from desktop_rag.ui.folder_pages import FolderPagesDialog
from desktop_rag.ui.folder_rules import FolderRulesDialog
from desktop_rag.ui.models import Models
from desktop_rag.ui.models_dialog import ModelsDialog
from desktop_rag.ui.session import Session
from desktop_rag.ui.sidebar import Sidebar
from desktop_rag.ui.theme import Theme
from desktop_rag.ui.workspaces_dialog import WorkspacesDialog


class SidebarActions(QObject):
    """Asks what must be asked, then lets the engine do it; ``leave`` is called before a conversation is deleted."""

    def __init__(
        self,
        session: Session,
        models: Models,
        parent: QWidget,
        leave: Callable[[str], None],
        say: Callable[[str], None],
    ) -> None:
        super().__init__(parent)
        self._session, self._parent, self._leave, self._say = session, parent, leave, say
        self._models, self._models_open = models, False
        models.said.connect(self._models_said)

    def serve(self, sidebar: Sidebar) -> None:
        """Do what the menus of ``sidebar`` ask for."""
        sidebar.folder_removed.connect(self.remove_folder)
        sidebar.folder_opened.connect(self.open_folder)
        sidebar.folder_rules.connect(self.show_rules)
        sidebar.folder_pages.connect(self.show_pages)
        sidebar.folder_tagged.connect(self._session.set_folder_tag)
        self._session.tags_changed.connect(lambda: sidebar.take_tags(self._session.tags))
        sidebar.thread_renamed.connect(self.rename)
        sidebar.thread_deleted.connect(self.delete)
        sidebar.thread_exported.connect(self.export)

    def rename(self, key: str) -> None:
        """Ask for another title."""
        ask_name(
            self._parent,
            self.tr("Rename"),
            self.tr("Title"),
            self._title(key),
            lambda text: self._session.rename_thread(key, text),
        )

    def delete(self, key: str) -> None:
        """Delete a conversation, once that is confirmed."""
        question = self.tr("Delete “{title}”? Its questions and answers cannot be brought back.")
        confirm(self._parent, question.format(title=self._title(key)), self.tr("Delete"), lambda: self._forget(key))

    def export(self, key: str, ending: str) -> QFileDialog:
        """Ask for a file, and write the conversation there; ``ending`` is "md" or "html"."""
        dialog = QFileDialog(self._parent, self.tr("Export the conversation"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
        dialog.setNameFilter(self.tr("Page (*.html)") if ending == "html" else self.tr("Markdown (*.md)"))
        dialog.selectFile(f"{_file_name(self._title(key))}.{ending}")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda file: self.write(key, file))
        dialog.open()
        return dialog

    def write(self, key: str, file: str) -> None:
        """Write the conversation to ``file``."""
        done = self.tr("The conversation was written to {name}.").format(name=Path(file).name)
        self._session.bridge.call(
            "export_thread", key, file, done=lambda _none: self._say(done), failed=self._session.tell
        )

    def remove_folder(self, folder: FolderRow) -> None:
        """Stop watching a folder, once that is confirmed: to read it again may take long."""
        files = wording.plural(folder.files, self.tr("file"), self.tr("files"))
        question = self.tr(
            "Stop watching {name}? What was read of its {files} is forgotten, with their tags. "
            "The files stay on the disk."
        )
        text = question.format(name=wording.file_name(folder.path), files=files)
        confirm(self._parent, text, self.tr("Stop watching"), lambda: self._let_go(folder))

    def _let_go(self, folder: FolderRow) -> None:
        self._session.remove_folder(folder)
        name = wording.file_name(folder.path)
        self._say(self.tr("{name} is not watched any more. Its files stay on the disk.").format(name=name))

    def open_folder(self, folder: FolderRow) -> None:
        """Show a folder in the system's file manager."""
        path = Path(folder.path).expanduser().absolute()
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            text = self.tr("{path} could not be shown. Is its drive connected?").format(path=path)
            self._session.trouble.emit(text)

    def show_rules(self, folder: FolderRow) -> None:
        """Show which files of a folder are read, to be changed."""
        dialog = FolderRulesDialog(folder, lambda rules: self._session.set_rules(folder, rules), self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def show_pages(self, folder: FolderRow) -> FolderPagesDialog:
        """Show whether the pages of a folder are looked at, to be changed."""
        dialog = FolderPagesDialog(folder, self._session, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def show_models(self, theme: Theme, question: str) -> ModelsDialog:
        """Show all models; one that is tried is asked ``question``, unless a person types another one."""
        dialog = ModelsDialog(theme, self._models, question, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(lambda _code: self._set_models_open(False))
        self._set_models_open(True)
        dialog.open()
        return dialog

    def show_workspaces(
        self,
        changed: Callable[[], None],
        open_workspace: Callable[[str], None],
        relocate: Callable[[Relocation], None],
    ) -> None:
        """Show all workspaces; ``changed`` is called after each change, ``open_workspace`` with one that is wanted.

        ``relocate`` is called with what is wanted of the open one.
        """
        dialog = WorkspacesDialog(self._session, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(changed)
        dialog.open_wanted.connect(open_workspace)
        dialog.relocation_wanted.connect(relocate)
        dialog.open()

    def _set_models_open(self, is_open: bool) -> None:
        self._models_open = is_open

    def _models_said(self, text: str, _bad: bool) -> None:
        """Say what became of a model where its dialog does not."""
        if not self._models_open:
            self._say(text)

    def _forget(self, key: str) -> None:
        self._leave(key)
        self._session.delete_thread(key)

    def _title(self, key: str) -> str:
        return next((thread.title for thread in self._session.threads if thread.id == key), "")


def _file_name(title: str) -> str:
    """Return ``title`` as the name of a file on any system."""
    kept = "".join(char if char.isalnum() or char in " -_" else " " for char in title)
    return " ".join(kept.split())[:60].strip() or "conversation"
