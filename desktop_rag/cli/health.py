"""``desktop-rag doctor``: what is installed, what is missing, and how to get it."""

from __future__ import annotations

from typing import Annotated

import typer

from desktop_rag.cli.common import JsonOption, WorkspaceOption, interruptible, opened, workspace_name
from desktop_rag.cli.output import console, print_json, printable, tell
from desktop_rag.cli.progress import ProgressDisplay
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.paths import home, workspace_paths
from desktop_rag.core.reports import Check


def doctor(
    context: typer.Context,
    workspace: WorkspaceOption = None,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Keep damaged parts of the workspace aside and make them anew; then tidy up."),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Look over the installation.

    Versions, models, folders, free memory and disk; what is missing comes with its remedy.
    """
    name = workspace_name(context, workspace)
    if repair:
        _repair(context, name)
    checks = _checks(context, name)
    if json:
        print_json([_check_json(check) for check in checks])
    else:
        _print_checks(checks)
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


def _repair(context: typer.Context, workspace: str) -> None:
    """Mend what keeps the workspace from opening, then read again what was lost."""
    from desktop_rag.core.settings import load_settings
    from desktop_rag.repair import mend
    from desktop_rag.wiring import make_models

    embedder = make_models(load_settings(home() / "settings.toml"), home()).embedder
    done = list(mend(workspace_paths(workspace), embedder.dimensions))
    with opened(context, workspace) as library, interruptible() as job:
        done += library.repair()
        with ProgressDisplay() as display:
            library.sync(job=job, emit=display.on_event)
        library.tidy()
    for sentence in done or ["Nothing was damaged."]:
        tell(sentence)


def _checks(context: typer.Context, workspace: str) -> tuple[Check, ...]:
    exists = workspace_paths(workspace).catalogue.exists()
    try:
        with opened(context, workspace, read_only=exists) as library:
            return library.doctor()
    except UserFacingError as error:  # what keeps the library from opening is a finding like any other
        return (Check("Workspace", False, f"{workspace} cannot be opened", str(error)),)


def _check_json(check: Check) -> dict[str, object]:
    return {"name": check.name, "ok": check.ok, "detail": check.detail, "remedy": check.remedy}


def _print_checks(checks: tuple[Check, ...]) -> None:
    out = console()
    width = max(len(check.name) for check in checks)
    for check in checks:
        mark, style = ("ok", "green") if check.ok else ("!!", "bold red")
        out.print(mark, style=style, end="  ")
        out.print(printable(f"{check.name:<{width}}  {check.detail}"), soft_wrap=True)
        if not check.ok:
            out.print(printable(f"    → {check.remedy}"), style="bold", soft_wrap=True)
