"""The line above the conversation: its title, and a button for the right pane."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop_rag.ui.theme import SPACE_8, SPACE_24, Theme
from desktop_rag.ui.widgets import ElidedLabel, IconButton

HEIGHT_PX = 44


class Header(QWidget):
    """Thin: a title, no tools but the one that opens the pane."""

    results_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setFixedHeight(HEIGHT_PX)
        self.title = ElidedLabel("", "muted")
        name = self.tr("Open or close the pane with the citations")
        self.results_button = IconButton(theme, "book-open", name, shortcut="Ctrl+Shift+C")
        self.results_button.setCheckable(True)
        self.results_button.clicked.connect(self.results_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_24, 0, SPACE_8, 0)
        row.addWidget(self.title, 1)
        row.addWidget(self.results_button)

    def set_title(self, title: str) -> None:
        """Show the title of the conversation."""
        self.title.set_text(title)

    def set_results(self, shown: bool) -> None:
        """Show whether the right pane is open."""
        self.results_button.setChecked(shown)
