"""The ``desktop-rag`` command: its subcommands, and what becomes of errors. Exit codes: 0 done, 1 failed, 2 wrong use,
3 partly done, 130 stopped by ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from desktop_rag.cli import (
    answers,
    calibration,
    evaluation,
    health,
    indexing,
    models,
    outlines,
    pages,
    questions,
    searching,
    tags,
    threads,
    watching,
    window,
    workspaces,
)
from desktop_rag.cli.common import STOPPED, OpenLibrary, WorkspaceOption, default_log, explained, open_library
from desktop_rag.cli.output import tell
from desktop_rag.core.errors import CancelledError

_HELP = "A desktop knowledge base that works offline: add folders, ask, and see the page each sentence comes from."


def main(arguments: Sequence[str] | None = None, opener: OpenLibrary = open_library) -> int:
    """Run the command line and return the exit code. ``arguments`` default to those of the process."""
    if getattr(sys, "frozen", False):
        import multiprocessing

        multiprocessing.freeze_support()
    command = typer.main.get_command(_build())
    try:
        command.main(args=None if arguments is None else list(arguments), prog_name="desktop-rag", obj=opener)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except (KeyboardInterrupt, CancelledError):
        tell("Stopped.")
        return STOPPED
    except Exception as error:  # the last place where an error can still become a sentence
        tell(str(explained(error, default_log())))
        return 1
    return 0


def _build() -> typer.Typer:
    app = typer.Typer(
        help=_HELP,
        add_completion=False,
        rich_markup_mode=None,  # plain help: it comes in half the time, and screen readers can follow it
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_top)
    app.command("gui")(window.gui)
    app.command("index")(indexing.index)
    app.command("status")(indexing.status)
    app.command("search")(searching.search)
    app.command("compare")(searching.compare)
    app.command("outline")(outlines.outline)
    app.command("pages")(pages.pages)
    app.add_typer(models.build(), name="models")
    app.command("ask")(answers.ask)
    app.command("eval")(evaluation.evaluate)
    app.add_typer(calibration.make(), name="calibrate")
    app.add_typer(questions.make(), name="questions")
    app.add_typer(tags.make(), name="tag")
    app.add_typer(threads.make(), name="threads")
    app.command("watch")(watching.watch)
    app.command("doctor")(health.doctor)
    app.add_typer(workspaces.workspace_commands(), name="workspace")
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        typer.echo(f"desktop-rag {metadata.version('desktop-rag')}")
        raise typer.Exit


def _top(
    context: typer.Context,
    workspace: WorkspaceOption = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    # No docstring: it would replace the help of _build.
    if context.invoked_subcommand is None:
        window.gui(context, None)
