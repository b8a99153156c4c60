"""What nobody has used for long leaves the memory by itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class IdleClose:
    """Calls ``close`` once nobody has been :meth:`using` something for ``seconds``; 0 means never. For any thread.

    Whoever wants to use it while it is being closed waits for that, and may then open it again. ``timer`` and
    ``clock`` can be doubles.
    """

    def __init__(
        self,
        seconds: float,
        close: Callable[[], None],
        timer: Callable[[float, Callable[[], None]], threading.Timer] = threading.Timer,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._close = close
        self._timer = timer
        self._clock = clock
        self._lock = threading.Lock()
        self._users = 0
        self._last_used = 0.0
        self._waiting: threading.Timer | None = None

    @contextmanager
    def using(self) -> Iterator[None]:
        """Keep it open inside; several may overlap."""
        with self._lock:
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                self._last_used = self._clock()
                if self._seconds and self._waiting is None:
                    self._wait(self._seconds)

    def stop(self) -> None:
        """Wait no longer: it was closed by somebody else."""
        with self._lock:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

    def _wait(self, seconds: float) -> None:
        self._waiting = self._timer(seconds, self._look)
        self._waiting.daemon = True
        self._waiting.start()

    def _look(self) -> None:
        with self._lock:
            self._waiting = None
            left = self._seconds if self._users else self._seconds - (self._clock() - self._last_used)
            if left > 0:
                self._wait(left)
            else:
                self._close()
