"""Half-written files: what changed just now is looked at again before it is read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from desktop_rag.core.types import SourceFile

_QUIET_S = 0.5
_QUIET_COARSE_S = 2.0
"""Where times are whole seconds, as on memory sticks, a second change within two seconds could not be told."""

_PATIENCE_S = 600.0
"""A file that never rests, such as a log, is read as it is after so long."""


class Settling:
    """Finds the files that are still being written: those of which size or time change while one looks.

    ``now`` gives seconds since the epoch. A clock that was set back makes files of the future, which count as old.
    """

    def __init__(self, now: Callable[[], float] = time.time, sleep: Callable[[float], None] = time.sleep) -> None:
        self._now = now
        self._sleep = sleep
        self._since: dict[Path, float] = {}

    def unsettled(self, files: Sequence[SourceFile]) -> frozenset[Path]:
        """Return the paths of those of ``files`` that must be left to a later look; waits for at most two seconds."""
        now = self._now()
        young = [(source, wait) for source in files if (wait := _wait(source, now)) > 0]
        if not young:
            self._since.clear()
            return frozenset()
        self._sleep(max(wait for _, wait in young))
        moving = {source.path for source, _ in young if not _is_as_before(source)}
        self._since = {path: self._since.get(path, now) for path in moving}
        return frozenset(path for path, since in self._since.items() if now - since < _PATIENCE_S)


def _wait(source: SourceFile, now: float) -> float:
    """Return for how many seconds more a file must rest; 0 or less when it has rested."""
    age = now - source.mtime_ns / 1e9
    if age < -_QUIET_S:
        return 0.0
    quiet = _QUIET_S if source.mtime_ns % 1_000_000_000 else _QUIET_COARSE_S
    return min(quiet, quiet - age)


def _is_as_before(source: SourceFile) -> bool:
    try:
        status = os.stat(source.path)
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (source.size, source.mtime_ns)
