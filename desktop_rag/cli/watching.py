"""``desktop-rag watch``: keeps the index in step with the disk until it is stopped, without a window."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from desktop_rag.cli.common import WorkspaceOption, explained, opened, workspace_name
from desktop_rag.cli.output import amount, tell
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.paths import workspace_paths

if TYPE_CHECKING:
    from pathlib import Path

    from desktop_rag.core.reports import SyncSummary
    from desktop_rag.engine.background_sync import SyncRunner
    from desktop_rag.engine.protocol import EngineEvent


def watch(
    context: typer.Context,
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH…]", help="Folders or files to add before.")
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Watch the folders and index what changes, until ctrl-C.

    For machines without a screen. Slow stages leave the cores to other programs. It ends in good order on SIGTERM, too.
    """
    from desktop_rag.engine.background_sync import SyncRunner

    log = workspace_paths(workspace_name(context, workspace)).log
    with opened(context, workspace) as library, _stopping() as stop:
        library.step_back()
        if paths:
            library.add_paths(paths)
        folders = library.folders()
        if not folders:
            raise UserFacingError("Nothing is watched yet. Name a folder: desktop-rag watch FOLDER")
        runner = SyncRunner(
            library.sync, _tell_event, lambda error: explained(error, log), tidy=library.tidy, ended=_tell_summary
        )
        runner.start()
        try:
            library.watch(lambda where: _look(runner, where))
            runner.request()
            tell(f"Watching {amount(len(folders), 'folder', 'folders')}. Stop with ctrl-C.")
            stop.wait()
        finally:
            runner.close()


def _look(runner: SyncRunner, where: frozenset[Path]) -> None:
    runner.request(only=where)


def _tell_summary(summary: SyncSummary) -> None:
    counts = {
        "added": summary.added,
        "changed": summary.replaced,
        "moved": summary.moved,
        "removed": summary.removed,
        "failed": len(summary.failed),
    }
    if any(number for word, number in counts.items() if word != "failed"):
        tell(", ".join(f"{number:,} {word}" for word, number in counts.items() if number) + ".")


def _tell_event(event: EngineEvent) -> None:
    from desktop_rag.engine.protocol import SyncFailed

    if isinstance(event, SyncFailed):
        tell(event.message)


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    """Give an event that ctrl-C and SIGTERM set."""
    stop = threading.Event()

    def asked(number: int, frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
