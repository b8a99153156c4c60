"""``desktop-rag threads``: the conversations of a workspace, and taking one elsewhere."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from desktop_rag.cli.common import JsonOption, WorkspaceOption, opened
from desktop_rag.cli.output import console, print_json, printable, table, tell


def make() -> typer.Typer:
    """Return the group of commands."""
    app = typer.Typer(help="Your conversations: list them, export one.", rich_markup_mode=None)
    app.command("list")(listed)
    app.command("export")(export)
    return app


def listed(
    context: typer.Context,
    search: Annotated[str, typer.Argument(metavar="TEXT", help="Only those that contain it.")] = "",
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Show the conversations, the latest first."""
    with opened(context, workspace, read_only=True) as library:
        threads = library.threads(search)
    if json:
        print_json([{"id": one.id, "title": one.title, "turns": one.turns} for one in threads])
        return
    grid = table("id", "title", "questions", "last", right=frozenset({"questions"}))
    for one in threads:
        last = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.changed_at))
        grid.add_row(one.id, printable(one.title), str(one.turns), last)
    console().print(grid if threads else "There are no conversations.")


def export(
    context: typer.Context,
    thread: Annotated[str, typer.Argument(metavar="ID", help="As `threads list` shows it.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .md or .html.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Write a conversation as Markdown, or as a page with pictures of the cited places (HTML)."""
    if file.suffix.lower() not in (".md", ".html", ".htm"):
        raise typer.BadParameter("The file must end in .md or .html.")
    with opened(context, workspace, read_only=True) as library:
        library.export_thread(thread, str(file))
    tell(f"Written to {file}.")
