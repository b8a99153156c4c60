"""All that a person can do in the window, with its keys: one table, which the help sheet and the palette show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from desktop_rag.ui.actions import Action, HelpSheet, Palette, bind
from desktop_rag.ui.copying import TableForm
from desktop_rag.ui.results import Tab

if TYPE_CHECKING:
    from desktop_rag.ui.main_window import MainWindow


class WindowActions(QObject):
    """Listens for the keys of ``window``; the functions behind them are the window's and its parts'."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.table = self._make_table()
        bind(window, self.table)

    def show_help(self) -> None:
        """Show the keys."""
        sheet = HelpSheet(self.table, self._window)
        sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet.open()

    def show_palette(self) -> None:
        """Let a person find an action by its name."""
        palette = Palette(self._window.theme, self.table, self._window)
        palette.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        palette.open()

    def _make_table(self) -> tuple[Action, ...]:
        window, sidebar = self._window, self._window.sidebar
        results, chat = window.results, window.chat
        return (
            Action(self.tr("Go to the question"), ("Ctrl+L",), window.focus_question),
            Action(self.tr("Send the question"), ("Return",), lambda: chat.composer.edit.submitted.emit(), False),
            Action(self.tr("New line in the question"), ("Shift+Return",), window.focus_question, False),
            Action(self.tr("Stop the answer"), ("Esc",), self._escape),
            Action(self.tr("Choose what is searched"), (), chat.choose_filter),
            Action(self.tr("Next citation"), ("J",), lambda: results.step(1)),
            Action(self.tr("Previous citation"), ("K",), lambda: results.step(-1)),
            Action(self.tr("Next page"), ("Alt+Right",), lambda: results.turn(1)),
            Action(self.tr("Previous page"), ("Alt+Left",), lambda: results.turn(-1)),
            Action(self.tr("Larger page"), ("Ctrl++", "Ctrl+="), results.page.zoom_in),
            Action(self.tr("Smaller page"), ("Ctrl+-",), results.page.zoom_out),
            Action(self.tr("Fit the page to the pane"), ("Ctrl+0",), results.page.fit_width),
            Action(self.tr("Open or close the pane with the citations"), ("Ctrl+Shift+C",), window.toggle_results),
            Action(self.tr("Show the citations"), ("Ctrl+1",), lambda: window.show_tab(Tab.CITATIONS)),
            Action(self.tr("Compare ways of searching"), ("Ctrl+2",), lambda: window.show_tab(Tab.COMPARE)),
            Action(self.tr("Show what is kept in mind"), ("Ctrl+3",), lambda: window.show_tab(Tab.MEMORY)),
            Action(self.tr("Open the file in its own program"), (), results.open_file),
            Action(self.tr("Copy the quote"), (), results.copy_quote),
            Action(self.tr("Copy the table as CSV"), (), lambda: results.copy_table(TableForm.CSV)),
            Action(self.tr("Copy the table as Markdown"), (), lambda: results.copy_table(TableForm.MARKDOWN)),
            Action(self.tr("Go to the next pane"), ("F6",), self._next_pane),
            Action(self.tr("New conversation"), ("Ctrl+N",), window.new_thread),
            Action(self.tr("Search conversations"), ("Ctrl+Shift+F",), sidebar.open_search),
            Action(self.tr("Watch a folder"), ("Ctrl+O",), window.add_folder),
            Action(self.tr("Watch single files"), (), window.add_files),
            Action(self.tr("Show every file and its state"), ("Ctrl+Shift+L",), window.show_files),
            Action(self.tr("Pause reading, or go on"), (), window.status.pause.click),
            Action(self.tr("Manage workspaces"), (), window.show_workspaces),
            Action(self.tr("Manage models"), (), window.show_models),
            Action(self.tr("Find an action"), ("Ctrl+K",), self.show_palette),
            Action(self.tr("Show these keys"), ("F1", "?"), self.show_help),
        )

    def _next_pane(self) -> None:
        window = self._window
        panes: list[QWidget] = [window.sidebar.threads, window.chat.composer.edit]
        if window.results.isVisible():
            panes.append(window.results.first_control())
        owners = [window.sidebar, window.chat, window.results][: len(panes)]
        focused = window.focusWidget()
        at = next((i for i, owner in enumerate(owners) if focused and owner.isAncestorOf(focused)), -1)
        panes[(at + 1) % len(panes)].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _escape(self) -> None:
        window = self._window
        if window.chat.busy:
            window.chat.stop()
        elif not window.banner.isHidden():
            window.banner.hide()
