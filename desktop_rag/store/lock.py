"""One process writes to a workspace: a lock that the system frees when its holder dies, with its pid inside."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from desktop_rag.core.errors import WorkspaceBusyError
from desktop_rag.store.faults import explained

_PID_OFFSET = 1  # Windows locks byte 0 against reading too, so the pid stands behind it
_PID_WIDTH = 12


class WriterLock:
    """The right to write to a workspace. The kernel holds the lock, so one of a killed process is free at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(path, timeout=0, thread_local=False)

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._lock.is_locked

    def acquire(self) -> None:
        """Take the lock; does nothing when it is held already.

        Raises WorkspaceBusyError, with the pid of the holder, when another process or another WriterLock has it.
        """
        if self.held:
            return
        with explained(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire()
            except Timeout as error:
                raise WorkspaceBusyError(self._busy()) from error
            self._write_pid()

    def release(self) -> None:
        """Give the lock back; does nothing when it is not held."""
        if self.held:
            self._lock.release()

    def owner(self) -> int | None:
        """Return the pid that the lock file names: the holder, or the last one; None when there is none."""
        try:
            with self._path.open("rb", buffering=0) as file:
                file.seek(_PID_OFFSET)
                return int(file.read(_PID_WIDTH))
        except (OSError, ValueError):
            return None

    def _write_pid(self) -> None:
        with self._path.open("r+b", buffering=0) as file:
            file.seek(_PID_OFFSET)
            file.write(f"{os.getpid():<{_PID_WIDTH - 1}}\n".encode("ascii"))

    def _busy(self) -> str:
        pid = self.owner()
        who = f"process {pid}" if pid is not None else "another process"
        return (
            f"The workspace in {self._path.parent} is in use by {who}. Use its window, or close it (or end that "
            "process) and try again; searching and status work meanwhile."
        )

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
