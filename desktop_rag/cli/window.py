"""``desktop-rag gui``: opens the window."""

from __future__ import annotations

import typer

from desktop_rag.cli.common import WorkspaceOption, workspace_name
from desktop_rag.core.paths import workspace_paths


def gui(context: typer.Context, workspace: WorkspaceOption = None) -> None:
    """Open the window. This is what happens without a command, too."""
    name = workspace_name(context, workspace)
    workspace_paths(name)  # a name that cannot be is told here rather than in a window
    from desktop_rag.ui.app import run

    raise typer.Exit(run(name))
