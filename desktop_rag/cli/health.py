"""``desktop-rag doctor``: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import typer

from desktop_rag.cli.common import JsonOption, WorkspaceOption, opened, workspace_name
from desktop_rag.cli.output import console, print_json, printable
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.paths import workspace_paths
from desktop_rag.core.reports import Check


def doctor(context: typer.Context, workspace: WorkspaceOption = None, json: JsonOption = False) -> None:
    """Look over the installation.

    Versions, models, folders, free memory and disk; what is missing comes with its remedy.
    """
    checks = _checks(context, workspace_name(context, workspace))
    if json:
        print_json([_check_json(check) for check in checks])
    else:
        _print_checks(checks)
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


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
