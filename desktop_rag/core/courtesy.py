"""Background work stands still while somebody waits for an answer: both sides share one Courtesy."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Courtesy:
    """Knows whether somebody waits. A low priority is not enough: the threads of a model wait for the slowest."""

    def __init__(self) -> None:
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
