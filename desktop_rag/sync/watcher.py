"""Events of the file system as hints where to look; what changed is found by looking, never from the event."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import psutil
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from desktop_rag.core.log import get_logger
from desktop_rag.sync.rules import is_inside
from desktop_rag.sync.scanner import identity_text

_log = get_logger(__name__)

_QUIET_S = 0.4
_LONGEST_S = 10.0
_POLL_S = 20.0
_ROOTS_S = 5.0
_WITHOUT_EVENTS = frozenset(
    {"9p", "afpfs", "cifs", "davfs", "drvfs", "fuse.rclone", "fuse.sshfs", "nfs", "nfs4", "smb", "smb3", "smbfs",
     "vboxsf", "virtiofs", "webdav"}
)  # fmt: skip
"""File systems that do not tell of what other machines do there."""

Due = Callable[[frozenset[Path]], None]
"""Hears of the watched folders in which something changed."""


class Watcher:
    """Calls ``due`` once watched folders have been quiet for a moment after a change, or after ten seconds of changes.

    Folders on file systems that send no events, and those for which the system takes no more watches, are looked at
    every ``poll_s`` seconds instead. A folder that comes, goes or is replaced, such as a drive, is noticed too. A full
    sync at start and now and then stays necessary: a flood of events loses some.
    """

    def __init__(
        self,
        due: Due,
        quiet_s: float = _QUIET_S,
        longest_s: float = _LONGEST_S,
        poll_s: float = _POLL_S,
        roots_s: float = _ROOTS_S,
        kind_of: Callable[[Path], str] | None = None,
    ) -> None:
        self._observers: Mapping[bool, BaseObserver] = {False: Observer(), True: PollingObserver(timeout=poll_s)}
        self._kind_of = kind_of or file_system_of
        self._lock = threading.Lock()
        self._roots: dict[Path, str] = {}
        self._deep: set[Path] = set()
        self._debounce = _Debounce(due, quiet_s, longest_s)
        self._stopped = threading.Event()
        self._guard = threading.Thread(target=self._watch_roots, args=(roots_s,), name="watch-roots", daemon=True)

    @property
    def polled(self) -> frozenset[Path]:
        """The folders that are looked at now and then because no events can be had of them."""
        return frozenset(Path(emitter.watch.path) for emitter in self._observers[True].emitters)

    def start(self) -> None:
        """Begin to listen; folders are named by :meth:`watch`."""
        for observer in self._observers.values():
            observer.start()
        self._guard.start()

    def watch(self, roots: Iterable[Path]) -> None:
        """Watch exactly these folders (a single file is watched by its folder). One that cannot be is logged."""
        listed = list(roots)
        deep = {root for root in listed if not root.is_file()}
        wanted = {folder: _identity(folder) for folder in deep | {_folder_of(root) for root in listed}}
        with self._lock:
            if (wanted, deep) != (self._roots, self._deep) and not self._stopped.is_set():
                self._deep = deep
                self._schedule(wanted)

    def stop(self) -> None:
        """Stop listening; no call of ``due`` begins after this returns."""
        self._stopped.set()
        self._debounce.stop()
        for observer in self._observers.values():
            if observer.is_alive():
                observer.stop()
                observer.join()
        if self._guard.is_alive():
            self._guard.join()

    def _schedule(self, wanted: dict[Path, str]) -> None:
        for observer in self._observers.values():
            observer.unschedule_all()
        self._roots = wanted
        for root, identity in wanted.items():
            if not identity or any(is_inside(root, other) for other in self._deep - {root} if wanted[other]):
                continue  # not there now, or heard of through the folder above
            polled = self._kind_of(root).lower() in _WITHOUT_EVENTS
            if not self._listen(root, polled) and not polled:
                self._listen(root, True)

    def _listen(self, root: Path, polled: bool) -> bool:
        try:
            hints = _Hints(lambda: self._debounce.poke(root))
            self._observers[polled].schedule(hints, str(root), recursive=root in self._deep)
        except OSError as error:
            _log.warning("a folder cannot be watched for changes: %s", error.strerror)
            return False
        return True

    def _watch_roots(self, every_s: float) -> None:
        while not self._stopped.wait(every_s):
            with self._lock:
                present = {root: _identity(root) for root in self._roots}
                changed = [root for root, identity in present.items() if identity != self._roots[root]]
                if changed:
                    self._schedule(present)
            for root in changed:
                self._debounce.poke(root)


def file_system_of(path: Path) -> str:
    """Return the kind of file system that ``path`` lies on ("ext4", "nfs4"), or an empty text if nobody knows."""
    try:
        mounts = [(Path(part.mountpoint), part.fstype) for part in psutil.disk_partitions(all=True)]
    except OSError:
        return ""
    around = [(mount, kind) for mount, kind in mounts if is_inside(path, mount)]
    return max(around, key=lambda one: len(one[0].parts), default=(path, ""))[1]


def _folder_of(root: Path) -> Path:
    return root.parent if root.is_file() else root


def _identity(folder: Path) -> str:
    try:
        return identity_text(os.stat(folder)) if folder.is_dir() else ""
    except OSError:
        return ""


class _Hints(FileSystemEventHandler):
    _READING = frozenset({"opened", "closed_no_write"})

    def __init__(self, poke: Callable[[], None]) -> None:
        self._poke = poke

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Pass on that something was written; our own reading of the documents is no reason to read them again."""
        if event.event_type not in self._READING:
            self._poke()


class _Debounce:
    def __init__(self, due: Due, quiet_s: float, longest_s: float) -> None:
        self._due = due
        self._quiet_s = quiet_s
        self._longest_s = longest_s
        self._lock = threading.Lock()
        self._where: set[Path] = set()
        self._poked = threading.Event()
        self._stopped = threading.Event()
        self._last = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch-debounce", daemon=True)
        self._thread.start()

    def poke(self, where: Path) -> None:
        with self._lock:
            self._where.add(where)
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
            with self._lock:
                where, self._where = frozenset(self._where), set()
            if where and not self._stopped.is_set():
                self._due(where)

    def _wait_until_quiet(self) -> None:
        waited = 0.0
        while waited < self._longest_s:
            self._last.clear()
            if self._stopped.wait(self._quiet_s):
                return
            waited += self._quiet_s
            if not self._last.is_set():
                return
