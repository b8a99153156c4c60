"""Background work stands still while somebody waits for an answer: both sides share one Courtesy.

Where somebody waits for that work itself, as at the command line, it takes its full share of the cores.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from desktop_rag.core.job import Job

_NICE = 15
_LOOK_SECONDS = 0.05


class Courtesy:
    """Knows whether somebody waits. A low priority is not enough: the threads of a model wait for the slowest.

    ``steps_back`` says that background work also has a low claim on the cores. Beside other busy programs it may then
    take many times as long.
    """

    def __init__(self, steps_back: bool = False) -> None:
        self.steps_back = steps_back
        self._lock = threading.Lock()
        self._waiting = 0

    @property
    def asked(self) -> bool:
        """Whether background work shall stand still now."""
        with self._lock:
            return self._waiting > 0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Ask background work to stand still inside; several may overlap, from any threads."""
        with self._lock:
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1

    def wait(self, job: Job, most_seconds: float = 60.0) -> None:
        """Return when nobody waits any more; at the latest after ``most_seconds``, so that work ends some day.

        Raises CancelledError when ``job`` ends.
        """
        until = time.monotonic() + most_seconds
        job.check()
        while self.asked and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            job.check()

    def stand_still(self) -> None:
        """As :meth:`wait`, for work that is too small to be ended on its way."""
        self.wait(Job())

    def take_place(self) -> None:
        """Give the calling thread, and those that it starts, their claim on the cores, where a thread has its own."""
        if self.steps_back and sys.platform == "linux":
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
