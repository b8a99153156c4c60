"""What lies on the disk now: one walk over a watched folder, or one look at a watched file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from desktop_rag.core.job import Job
from desktop_rag.core.log import get_logger
from desktop_rag.core.types import SourceFile
from desktop_rag.store.files import FolderRecord
from desktop_rag.sync.rules import ignored_file, ignored_folder

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is listed but not read; ``failed`` tells a fault from a rule."""

    source: SourceFile
    reason: str
    failed: bool = False


@dataclass(slots=True)
class Scan:
    """What a walk found. With ``online`` False the root could not be listed, and nothing may be concluded from it."""

    files: list[SourceFile] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    online: bool = True


class Scanner:
    """Walks watched folders; keeps nothing between walks."""

    def __init__(self, largest_bytes: int) -> None:
        self._largest_bytes = largest_bytes

    def scan(self, folder: FolderRecord, other_roots: frozenset[Path], job: Job) -> Scan:
        """Return the files of ``folder``; ``other_roots`` below it are left to their own walks.

        A folder that cannot be listed below the root is reported in ``skipped`` with the system's reason.
        """
        scan = Scan()
        try:
            if folder.is_file:
                self._look(folder, folder.path, folder.path.stat(), scan)
            else:
                self._walk(folder, other_roots, job, scan)
        except OSError as error:
            _log.warning("folder %d cannot be listed: %s", folder.id, error.strerror)
            return Scan(online=False)
        return scan

    def _walk(self, folder: FolderRecord, other_roots: frozenset[Path], job: Job, scan: Scan) -> None:
        seen = {_identity(folder.path.stat())}
        waiting = [folder.path]
        while waiting:
            job.check()
            current = waiting.pop()
            try:
                entries = sorted(_entries(current), key=lambda entry: entry.name)
            except OSError as error:
                if current == folder.path:
                    raise
                source = _source(folder, current, size=0, mtime_ns=0)
                scan.skipped.append(Skipped(source, f"This folder cannot be opened: {error.strerror}.", failed=True))
                continue
            for entry in entries:
                path = current / entry.name
                if path in other_roots:
                    continue
                self._take(folder, entry, path, seen, waiting, scan)

    def _take(
        self,
        folder: FolderRecord,
        entry: os.DirEntry[str],
        path: Path,
        seen: set[tuple[int, int]],
        waiting: list[Path],
        scan: Scan,
    ) -> None:
        try:
            status = entry.stat()
            if entry.is_dir():
                # A link may lead back up or sideways into a folder that was walked already.
                if not ignored_folder(entry.name) and _identity(status) not in seen:
                    seen.add(_identity(status))
                    waiting.append(path)
            elif entry.is_file():
                self._look(folder, path, status, scan)
        except OSError as error:
            source = _source(folder, path, size=0, mtime_ns=0)
            scan.skipped.append(Skipped(source, f"{path.name} cannot be looked at: {error.strerror}.", failed=True))

    def _look(self, folder: FolderRecord, path: Path, status: os.stat_result, scan: Scan) -> None:
        source = _source(folder, path, status.st_size, status.st_mtime_ns)
        reason = ignored_file(path.name, status.st_size, self._largest_bytes)
        if reason and not folder.is_file:
            scan.skipped.append(Skipped(source, reason))
        else:
            scan.files.append(source)


def _entries(path: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        yield from entries


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _source(folder: FolderRecord, path: Path, size: int, mtime_ns: int) -> SourceFile:
    shown = folder.shown if path == folder.path else str(Path(folder.shown) / path.relative_to(folder.path))
    return SourceFile(path, shown, folder.id, size, mtime_ns)
