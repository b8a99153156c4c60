"""How far long work is, on standard error: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from desktop_rag.cli.output import console, printable, tell
from desktop_rag.core.events import LibraryEvent, SyncProgress
from desktop_rag.core.job import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_LINE_SECONDS = 5.0


class ProgressDisplay:
    """Shows progress while it is open; quick work shows nothing at all outside a terminal."""

    def __init__(self) -> None:
        self._lines = None if sys.stderr.isatty() else _Lines()
        self._bars = _BarView() if sys.stderr.isatty() else None

    def __enter__(self) -> ProgressDisplay:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def on_event(self, event: LibraryEvent) -> None:
        """Show an event of a sync."""
        if isinstance(event, SyncProgress):
            self._show(event)

    def on_progress(self, progress: Progress) -> None:
        """Show progress of which no rate is known."""
        self._show(SyncProgress(progress, None, None))

    def _show(self, event: SyncProgress) -> None:
        if self._bars is not None:
            self._bars.show(event)
        elif self._lines is not None:
            self._lines.show(event)


def sentence(event: SyncProgress) -> str:
    """Return e.g. "Reading 12 of 40 files, 30 files/min, about 2 min left"."""
    progress = event.progress
    parts = [f"{progress.stage} {progress.done:,}{_of_total(progress)} {progress.unit}"]
    return ", ".join(parts + _pace(event))


def _of_total(progress: Progress) -> str:
    return f" of {progress.total:,}" if progress.total else ""


def _pace(event: SyncProgress) -> list[str]:
    parts = []
    if event.units_per_minute is not None:
        parts.append(f"{event.units_per_minute:,.0f} {event.progress.unit}/min")
    if event.seconds_left is not None:
        left = event.seconds_left
        parts.append(f"about {left / 60:.0f} min left" if left >= 60 else "less than a minute left")
    return parts


class _Lines:
    def __init__(self) -> None:
        self._at = time.monotonic()

    def show(self, event: SyncProgress) -> None:
        now = time.monotonic()
        if now - self._at >= _LINE_SECONDS:
            self._at = now
            tell(sentence(event))


class _BarView:
    def __init__(self) -> None:
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as Bars
        from rich.table import Column

        self._bars: Bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[counts]}", markup=False),
            TextColumn("{task.fields[detail]}", markup=False, table_column=Column(ratio=1, no_wrap=True)),
            console=console(sys.stderr),
            transient=True,
            expand=True,
        )
        self._task: TaskID | None = None
        self._stage = ""

    def show(self, event: SyncProgress) -> None:
        progress = event.progress
        if self._task is None:
            self._bars.start()
        if self._task is None or progress.stage != self._stage:
            if self._task is not None:
                self._bars.remove_task(self._task)
            self._stage = progress.stage
            self._task = self._bars.add_task(progress.stage, counts="", detail="")
        counts = ", ".join([f"{progress.done:,}{_of_total(progress)} {progress.unit}", *_pace(event)])
        self._bars.update(
            self._task,
            completed=progress.done,
            total=progress.total or None,
            counts=counts,
            detail=printable(progress.detail),
        )

    def stop(self) -> None:
        self._bars.stop()
