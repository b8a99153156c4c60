"""How fast work goes and when it will be done, said only when it can be known."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from desktop_rag.core.events import SyncProgress
from desktop_rag.core.job import Progress

_WINDOW_S = 60.0
_SHORTEST_S = 3.0


class Pace:
    """Watches one counter; ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._marks: deque[tuple[float, int, float]] = deque([(clock(), 0, 0.0)])

    def at(self, progress: Progress) -> SyncProgress:
        """Return ``progress`` with the rate of the last minute and the seconds left.

        Both are None in the first three seconds, and while nothing was done: a guess would mislead.
        """
        now = self._clock()
        worked, work = (progress.worked, progress.work) if progress.work else (progress.done, progress.total)
        self._marks.append((now, progress.done, worked))
        while len(self._marks) > 2 and now - self._marks[0][0] > _WINDOW_S:
            self._marks.popleft()
        began, before, worked_before = self._marks[0]
        seconds, done = now - began, progress.done - before
        if seconds < _SHORTEST_S or done <= 0:
            return SyncProgress(progress, None, None)
        rate = done / seconds
        left = (work - worked) * seconds / (worked - worked_before) if worked > worked_before else None
        return SyncProgress(progress, rate * 60, left)
