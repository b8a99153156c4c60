"""Events of the file system as hints that a sync is due; what changed is found by looking, never from the event."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from desktop_rag.core.log import get_logger

_log = get_logger(__name__)

_QUIET_S = 1.0
_LONGEST_S = 10.0


class Watcher:
    """Calls ``due`` once folders have been quiet for a second after a change, or after ten seconds of changes.

    A full sync at start and now and then stays necessary: network folders send no events, and bulk copies lose some.
    """

    def __init__(self, due: Callable[[], None], quiet_s: float = _QUIET_S, longest_s: float = _LONGEST_S) -> None:
        self._observer = Observer()
        self._watched: set[Path] = set()
        self._debounce = _Debounce(due, quiet_s, longest_s)

    def start(self) -> None:
        """Begin to listen; folders are named by :meth:`watch`."""
        self._observer.start()

    def watch(self, roots: Iterable[Path]) -> None:
        """Watch exactly these folders (a single file is watched by its folder). One that cannot be is logged."""
        wanted = {root if root.is_dir() else root.parent for root in roots}
        if wanted == self._watched:
            return
        self._observer.unschedule_all()
        self._watched = set()
        for root in wanted:
            try:
                self._observer.schedule(_Hints(self._debounce.poke), str(root), recursive=root.is_dir())
                self._watched.add(root)
            except OSError as error:
                _log.warning("a folder cannot be watched for changes: %s", error.strerror)

    def stop(self) -> None:
        """Stop listening; no call of ``due`` begins after this returns."""
        self._debounce.stop()
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()


class _Hints(FileSystemEventHandler):
    _READING = frozenset({"opened", "closed_no_write"})

    def __init__(self, poke: Callable[[], None]) -> None:
        self._poke = poke

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Pass on that something was written; our own reading of the documents is no reason to read them again."""
        if event.event_type not in self._READING:
            self._poke()


class _Debounce:
    def __init__(self, due: Callable[[], None], quiet_s: float, longest_s: float) -> None:
        self._due = due
        self._quiet_s = quiet_s
        self._longest_s = longest_s
        self._poked = threading.Event()
        self._stopped = threading.Event()
        self._last = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch-debounce", daemon=True)
        self._thread.start()

    def poke(self) -> None:
        self._last.set()
        self._poked.set()

    def stop(self) -> None:
        self._stopped.set()
        self._poked.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._poked.wait()
            if self._stopped.is_set():
                return
            self._wait_until_quiet()
            self._poked.clear()
            if not self._stopped.is_set():
                self._due()

    def _wait_until_quiet(self) -> None:
        waited = 0.0
        while waited < self._longest_s:
            self._last.clear()
            if self._stopped.wait(self._quiet_s):
                return
            waited += self._quiet_s
            if not self._last.is_set():
                return
