"""``desktop-rag gui``: opens the window."""

from __future__ import annotations

import os
import sys

import typer

from desktop_rag.cli.common import WorkspaceOption, given_workspace
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.paths import workspace_paths


def gui(context: typer.Context, workspace: WorkspaceOption = None) -> None:
    """Open the window.

    This is what happens without a command, too. It shows the workspace that was open last, if none is named.
    """
    name = given_workspace(context, workspace)
    if name is not None:
        workspace_paths(name)  # a name that cannot be is told here rather than in a window
    _need_display()
    from desktop_rag.ui.app import run

    raise typer.Exit(run(name))


def _need_display() -> None:
    """Qt would abort the process without a display, with a message about its plugins."""
    chosen = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    if sys.platform.startswith("linux") and not chosen:
        raise UserFacingError(
            "There is no display to open a window on. Start it from a desktop session, or use the commands: "
            "desktop-rag --help"
        )
