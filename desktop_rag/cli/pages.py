"""``desktop-rag pages``: which folders' pages are looked at, how far that is, and what the rest will cost."""

from __future__ import annotations

from typing import Annotated

import typer

from desktop_rag.cli.common import JsonOption, WorkspaceOption, opened
from desktop_rag.cli.output import console, print_json, printable
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.ledger import FolderRow


def pages(
    context: typer.Context,
    on: Annotated[str | None, typer.Option("--on", metavar="FOLDER", help="Look at this folder's pages.")] = None,
    off: Annotated[
        str | None, typer.Option("--off", metavar="FOLDER", help="Do not; what was seen of them goes.")
    ] = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Show what looking at pages will cost, and choose folders for it.

    It is the last step of indexing; the route "page" finds what it has seen.
    """
    with opened(context, workspace, read_only=on is None and off is None) as library:
        for name, looks in ((on, True), (off, False)):
            if name is not None:
                library.look_at_pages(_folder(name, library.folders()).id, looks)
        folders, estimate = library.folders(), library.page_estimate()
    if json:
        rows = [{"path": row.path, "looks": row.looks} for row in folders]
        waiting = {"pages": estimate.pages, "seconds": round(estimate.seconds), "bytes": estimate.bytes}
        print_json({"model": estimate.model, "folders": rows, "waiting": waiting})
        return
    out = console()
    for row in folders:
        out.print(printable(f"{'on ' if row.looks else 'off'}  {row.path}"), soft_wrap=True)
    out.print(f"Looked at by: {printable(estimate.model)}")
    out.print(f"Waiting: {estimate.sentence() if estimate.pages else 'nothing'}")


def _folder(name: str, rows: tuple[FolderRow, ...]) -> FolderRow:
    for row in rows:
        if name == row.path or name.rstrip("/\\") == row.path.rstrip("/\\"):
            return row
    known = ", ".join(row.path for row in rows) or "none yet"
    raise UserFacingError(f"'{name}' is not a watched folder of this workspace. Watched are: {known}.")
