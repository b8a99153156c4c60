"""Long work reports how far it is and can be stopped: both through a Job that the caller owns."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from desktop_rag.core.errors import CancelledError


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``total`` units (``unit`` in the plural: "files", "pages", "chunks"), and what is being done.

    ``stage`` is a short phrase that a person reads ("Reading"); ``detail`` names the thing at hand, e.g. a file.
    Where units differ much, ``worked`` of ``work`` tells better than they how long the rest will take.
    """

    done: int
    total: int
    unit: str
    stage: str
    detail: str = ""
    worked: float = 0.0
    work: float = 0.0


class Job:
    """A handle on long work: the worker calls :meth:`check` between batches and :meth:`report` as it goes."""

    def __init__(self, on_progress: Callable[[Progress], None] | None = None) -> None:
        self._on_progress = on_progress
        self._cancelled = threading.Event()
        self._giving_way = threading.Event()
        self._running = threading.Event()
        self._running.set()

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked for the end of this work."""
        return self._cancelled.is_set()

    @property
    def paused(self) -> bool:
        """Whether the work waits at its next check."""
        return not self._running.is_set()

    @property
    def giving_way(self) -> bool:
        """Whether slow work, which can go on later, shall stop early because something quicker waits."""
        return self._giving_way.is_set()

    def give_way(self) -> None:
        """Ask slow work to stop early, with what it has done so far; quick work is done to its end."""
        self._giving_way.set()

    def cancel(self) -> None:
        """Ask the work to end; it does at its next :meth:`check`. Safe from any thread."""
        self._cancelled.set()
        self._running.set()

    def pause(self) -> None:
        """Ask the work to wait at its next :meth:`check`."""
        self._running.clear()

    def resume(self) -> None:
        """Let paused work go on."""
        self._running.set()

    def check(self) -> None:
        """Wait while paused, then return, or raise :class:`CancelledError` if the work shall end."""
        self._running.wait()
        if self._cancelled.is_set():
            raise CancelledError("stopped")

    def report(self, progress: Progress) -> None:
        """Tell the owner how far the work is."""
        if self._on_progress is not None:
            self._on_progress(progress)


class TimedJob(Job):
    """A part of ``whole`` that has to be done within ``seconds`` from now: it ends with the whole, or before."""

    def __init__(self, whole: Job, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._whole = whole
        self._clock = clock
        self._end = clock() + seconds

    @property
    def over(self) -> bool:
        """Whether its time is over."""
        return self._clock() >= self._end

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked for the end of the whole or of this part, or its time is over."""
        return super().cancelled or self._whole.cancelled or self.over

    def check(self) -> None:
        """Wait while the whole is paused, then return, or raise :class:`CancelledError` if this part shall end."""
        self._whole.check()
        if self.cancelled:
            raise CancelledError("its time is over")
