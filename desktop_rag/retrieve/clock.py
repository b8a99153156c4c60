"""How long each step of a search took: the steps report to the clock of the search that they belong to."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar


class Clock:
    """Adds up the milliseconds of each step; safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ms: dict[str, float] = {}
        self._notes: list[str] = []

    @property
    def ms(self) -> Mapping[str, float]:
        """The steps in the order in which they first ended, with their milliseconds."""
        with self._lock:
            return dict(self._ms)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the search had to do without, as sentences for a person."""
        with self._lock:
            return tuple(dict.fromkeys(self._notes))

    def note(self, text: str) -> None:
        """Add a sentence on what the search had to do without."""
        with self._lock:
            self._notes.append(text)

    def add(self, step: str, ms: float) -> None:
        """Add ``ms`` to a step."""
        with self._lock:
            self._ms[step] = self._ms.get(step, 0.0) + ms


_RUNNING: ContextVar[Clock | None] = ContextVar("running clock", default=None)


@contextmanager
def clocked() -> Iterator[Clock]:
    """Give a clock to which every :func:`step` inside reports, in this thread and in copies of its context."""
    clock = Clock()
    token = _RUNNING.set(clock)
    try:
        yield clock
    finally:
        _RUNNING.reset(token)


def note(text: str) -> None:
    """Tell the search that is running, if one is, what it had to do without, as a sentence for a person."""
    clock = _RUNNING.get()
    if clock is not None:
        clock.note(text)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Time what happens inside as the step ``name`` of the search that is running; outside of one do nothing."""
    clock = _RUNNING.get()
    if clock is None:
        yield
        return
    started = time.perf_counter()
    try:
        yield
    finally:
        clock.add(name, (time.perf_counter() - started) * 1000)
