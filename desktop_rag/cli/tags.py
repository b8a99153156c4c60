"""``desktop-rag tag``: words of your own for files and folders, for ``--filter tag:NAME``."""

from __future__ import annotations

from typing import Annotated

import typer

from desktop_rag.cli.common import JsonOption, WorkspaceOption, opened
from desktop_rag.cli.output import console, print_json, printable, table

TagArgument = Annotated[str, typer.Argument(metavar="TAG", help="A word or a few; upper and lower case are the same.")]
PathsArgument = Annotated[
    list[str], typer.Argument(metavar="PATH…", help="Indexed files, or folders: then all files below, also later ones.")
]


def make() -> typer.Typer:
    """Return the group of commands."""
    app = typer.Typer(help="Tag files and folders; search among them with --filter tag:NAME.", rich_markup_mode=None)
    app.command("add")(add)
    app.command("remove")(remove)
    app.command("list")(listed)
    return app


def add(context: typer.Context, tag: TagArgument, paths: PathsArgument, workspace: WorkspaceOption = None) -> None:
    """Give a tag to files or folders."""
    with opened(context, workspace) as library:
        library.tag_paths(paths, tag)


def remove(context: typer.Context, tag: TagArgument, paths: PathsArgument, workspace: WorkspaceOption = None) -> None:
    """Take a tag from files or folders."""
    with opened(context, workspace) as library:
        library.tag_paths(paths, tag, wanted=False)


def listed(context: typer.Context, workspace: WorkspaceOption = None, json: JsonOption = False) -> None:
    """Show the tags, how many files have each, and the tagged folders."""
    with opened(context, workspace, read_only=True) as library:
        rows = library.tags()
    if json:
        print_json([row.as_json() for row in rows])
        return
    grid = table("tag", "files", "folders", right=frozenset({"files"}))
    for row in rows:
        grid.add_row(printable(row.name), str(row.files), printable("\n".join(row.folders)))
    console().print(grid if rows else "There are no tags yet. Add one: desktop-rag tag add TAG PATH")
