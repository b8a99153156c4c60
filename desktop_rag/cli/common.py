"""What the commands share: options, opening a library, and being stopped with ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from desktop_rag.cli.output import tell
from desktop_rag.core.errors import DesktopRagError
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import Stage
from desktop_rag.core.log import log_to
from desktop_rag.core.paths import DEFAULT_WORKSPACE, home, workspace_paths
from desktop_rag.core.types import Route
from desktop_rag.engine.faults import explain

if TYPE_CHECKING:
    from desktop_rag.library import Library

OpenLibrary = Callable[[str, bool], "Library"]
"""Opens a workspace, only for reading when the second argument is true."""

PARTLY = 3
"""The exit code when some files failed."""

STOPPED = 130
"""The exit code after ctrl-C, as shells have it."""

WorkspaceOption = Annotated[
    str | None,
    typer.Option("--workspace", "-w", metavar="NAME", help="The workspace to use instead of the default one."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON to standard output, and nothing else there.")]
RouteOption = Annotated[
    str | None,
    typer.Option(
        "--route", metavar="ROUTE", help="How to search, e.g. text, keyword or hybrid; by default as in the settings."
    ),
]

FilterOption = Annotated[
    str | None,
    typer.Option(
        "--filter",
        metavar="EXPR",
        help="Terms like 'type:pdf kind:table page:3-10 folder:reports file:budget date:2024 language:de -type:csv', "
        "or a condition like \"kind = 'table' AND page < 10\".",
    ),
]


def default_log() -> Path:
    """Return the log file of what belongs to no workspace."""
    return home() / "desktop-rag.log"


def given_workspace(context: typer.Context, given: str | None) -> str | None:
    """Return the workspace given to the command, or before it, or None."""
    before: str | None = context.find_root().params.get("workspace")
    return given or before


def workspace_name(context: typer.Context, given: str | None) -> str:
    """Return the workspace given to the command, or before it, or the default one."""
    return given_workspace(context, given) or DEFAULT_WORKSPACE


@contextmanager
def opened(context: typer.Context, workspace: str | None, *, read_only: bool = False) -> Iterator[Library]:
    """Open a library for the time of a command; whatever unforeseen happens is explained with its log file."""
    name = workspace_name(context, workspace)
    log = workspace_paths(name).log
    open_library: OpenLibrary = context.obj
    try:
        with open_library(name, read_only) as library:
            yield library
    except (DesktopRagError, BrokenPipeError, typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except Exception as error:
        raise explained(error, log) from error


def open_library(workspace: str, read_only: bool) -> Library:
    """Open the real library; imported here, so that help and errors of use come at once."""
    from desktop_rag.core.settings import load_settings
    from desktop_rag.engine.environment import prepare_environment

    prepare_environment(load_settings(home() / "settings.toml").model_threads)
    from desktop_rag.library import Library

    return Library.open(workspace, read_only=read_only)


def explained(error: Exception, log: Path) -> DesktopRagError:
    """Return what to tell about ``error``; the details of a bug go to ``log``, even if it was not open yet."""
    with suppress(OSError):
        log_to(log)
    return explain(error, log)


@contextmanager
def interruptible(on_progress: Callable[[Progress], None] | None = None) -> Iterator[Job]:
    """Give a job that ctrl-C cancels, so that work ends in good order; a second ctrl-C ends it at once."""
    job = Job(on_progress)
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        tell("Stopping … (press ctrl-C again to stop at once)")
        job.cancel()

    signal.signal(signal.SIGINT, stop)
    try:
        yield job
    finally:
        signal.signal(signal.SIGINT, before)


def route_named(name: str | None, ready: Collection[Route]) -> Route | None:
    """Return the route called ``name``; wrong use, with the routes that are ready, if there is none."""
    if name is None:
        return None
    if name not in {str(route) for route in ready}:
        names = ", ".join(str(route) for route in ready)
        raise typer.BadParameter(f"There is no route '{name}' that is ready. Choose one of: {names}.")
    return Route(name)


def routes_named(names: str | None, ready: Collection[Route]) -> tuple[Route, ...]:
    """Return the routes of a comma-separated list, each once; all that are ready when it is not given."""
    if names is None:
        return tuple(ready)
    wanted = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    routes = tuple(route for name in wanted if (route := route_named(name, ready)) is not None)
    if not routes:
        raise typer.BadParameter("No route was named.")
    return routes


def stages_named(names: str | None) -> frozenset[Stage] | None:
    """Return the stages of a comma-separated list; None for "all" and when it is not given."""
    if names is None or names.strip() == "all":
        return None
    wanted = {name.strip() for name in names.split(",") if name.strip()}
    known = {str(stage) for stage in Stage}
    if not wanted or wanted - known:
        wrong = ", ".join(sorted(wanted - known)) or "nothing"
        raise typer.BadParameter(f"'{wrong}' is no stage. Choose from: {', '.join(str(one) for one in Stage)}, or all.")
    return frozenset(Stage(name) for name in wanted)
