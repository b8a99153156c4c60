"""What the window remembers: sizes, theme, last workspace and conversation; kept in a file of the data folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from desktop_rag.core.paths import DEFAULT_WORKSPACE, home
from desktop_rag.ui.theme import ThemeName


class WindowState:
    """An ini file beside the workspaces."""

    def __init__(self, base: Path | None = None) -> None:
        self._stored = QSettings(str((base or home()) / "window.ini"), QSettings.Format.IniFormat)

    @property
    def theme(self) -> ThemeName:
        """The theme that was chosen last."""
        name = str(self._stored.value("theme", ThemeName.SYSTEM))
        return ThemeName(name) if name in set(ThemeName) else ThemeName.SYSTEM

    @theme.setter
    def theme(self, theme: ThemeName) -> None:
        self._stored.setValue("theme", str(theme))

    @property
    def workspace(self) -> str:
        """The workspace that was open last."""
        return str(self._stored.value("workspace", DEFAULT_WORKSPACE))

    @workspace.setter
    def workspace(self, name: str) -> None:
        self._stored.setValue("workspace", name)

    def thread(self, workspace: str) -> str | None:
        """Return the conversation that was open last in ``workspace``."""
        value = self._stored.value(f"threads/{workspace}")
        return str(value) if value else None

    def set_thread(self, workspace: str, thread: str | None) -> None:
        """Remember the conversation that is open in ``workspace``."""
        self._stored.setValue(f"threads/{workspace}", thread or "")

    def layout(self, name: str) -> QByteArray | None:
        """Return a stored geometry or splitter state."""
        value = self._stored.value(f"layout/{name}")
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def set_layout(self, name: str, value: QByteArray) -> None:
        """Remember a geometry or splitter state."""
        self._stored.setValue(f"layout/{name}", value)
