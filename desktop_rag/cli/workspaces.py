"""``desktop-rag workspace …``: workspaces as wholes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from desktop_rag.cli.common import JsonOption
from desktop_rag.cli.output import console, megabytes, print_json, printable, table, tell

if TYPE_CHECKING:
    from desktop_rag.core.reports import WorkspaceRow
    from desktop_rag.workspaces import Workspaces

_NAME = typer.Argument(metavar="NAME", help="The workspace.")
_FOLDER = typer.Option("--folder", metavar="FOLDER", help="A folder, e.g. on another disk, in which it shall lie.")


def workspace_commands() -> typer.Typer:
    """Return the group of commands."""
    group = typer.Typer(help="List, make, rename, move, back up, restore and remove workspaces.", no_args_is_help=True)
    for command in (create, rename, remove, move, backup, restore):
        group.command()(command)
    group.command("list")(list_all)
    return group


def list_all(json: JsonOption = False) -> None:
    """List the workspaces with their places and sizes."""
    rows = _workspaces().all()
    if json:
        print_json([row.as_json() for row in rows])
        return
    columns = ("workspace", "catalogue", "index", "print views", "total", "folder")
    grid = table(*columns, right=frozenset(columns[1:5]))
    for row in rows:
        use = row.use
        sizes = (use.catalogue, use.index, use.print_views, use.total)
        place = row.folder if row.reachable else f"{row.folder} (not there now)"
        place = f"{place}, index in {row.index}" if row.index else place
        grid.add_row(printable(row.name), *(megabytes(size) for size in sizes), printable(place))
    console().print(grid)


def create(
    name: Annotated[str, _NAME],
    folder: Annotated[str, _FOLDER] = "",
    index: Annotated[
        str,
        typer.Option(
            metavar="URI",
            help="Where LanceDB keeps the index instead, e.g. s3://bucket/name. Its keys and endpoint are taken from "
            "the environment (AWS_…). This is the one thing that makes LanceDB open connections.",
        ),
    ] = "",
) -> None:
    """Make an empty workspace."""
    _say("made", _workspaces().create(name, folder, index))


def rename(
    name: Annotated[str, _NAME], new_name: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")]
) -> None:
    """Give a workspace another name."""
    _say("renamed", _workspaces().rename(name, new_name))


def remove(
    name: Annotated[str, _NAME],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before.")] = False,
) -> None:
    """Delete a workspace with its index and conversations. Your documents stay where they are."""
    if not yes:
        typer.confirm(f"Delete the workspace '{name}' with its conversations?", abort=True)
    _workspaces().remove(name)
    tell(f"The workspace '{name}' is removed. No document was touched.")


def move(
    name: Annotated[str, _NAME],
    folder: Annotated[
        str, typer.Argument(metavar="[FOLDER]", help="The folder in which it shall lie; none means its usual place.")
    ] = "",
) -> None:
    """Move a workspace to another folder or disk."""
    _say("moved", _workspaces().move(name, folder))


def backup(
    name: Annotated[str, _NAME],
    archive: Annotated[str, typer.Argument(metavar="FILE", help="The archive to write, or a folder for it.")],
) -> None:
    """Write a workspace into one archive."""
    tell(f"The workspace '{name}' is backed up in {_workspaces().back_up(name, archive)}.")


def restore(
    archive: Annotated[str, typer.Argument(metavar="FILE", help="The archive.")],
    name: Annotated[str, typer.Option(metavar="NAME", help="A name other than the one it had.")] = "",
    folder: Annotated[str, _FOLDER] = "",
) -> None:
    """Make a workspace from an archive."""
    _say("restored", _workspaces().restore(archive, name, folder))


def _workspaces() -> Workspaces:
    from desktop_rag.workspaces import Workspaces

    return Workspaces.at_home()


def _say(what: str, row: WorkspaceRow) -> None:
    tell(f"The workspace '{row.name}' is {what}. It lies in {row.folder}.")
