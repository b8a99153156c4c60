"""What lies on the disk now: one walk over a watched folder, or one look at a watched file.

The walk makes as little as it can of each file, plain strings and numbers: most files are unchanged, and there may be
a hundred thousand.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from desktop_rag.core.job import Job
from desktop_rag.core.log import get_logger
from desktop_rag.core.rules import FolderRules
from desktop_rag.core.types import SourceFile
from desktop_rag.store.files import FolderRecord
from desktop_rag.sync.ignoring import IGNORE_FILES, Ignores, RuleMatcher, prefix_length
from desktop_rag.sync.rules import doubtful_names, ignored_file, ignored_folder, is_tools_own

_log = get_logger(__name__)
_NAME = attrgetter("name")
_new_seen = tuple.__new__  # half the time of calling the class, and it is called for every file


class Seen(NamedTuple):
    """A file as the walk met it: absolute path, path as the user gave it, bytes, time of change.

    It equals the stamp that the ledger has of it, unless something changed.
    """

    path: str
    shown: str
    size: int
    mtime_ns: int

    def source(self, folder_id: int) -> SourceFile:
        """Return the file, which lies in the watched folder ``folder_id``, as the rest of the program knows it."""
        return SourceFile(Path(self.path), self.shown, folder_id, self.size, self.mtime_ns)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is listed but not read; ``failed`` tells a fault from a rule."""

    source: SourceFile
    reason: str
    failed: bool = False


@dataclass(slots=True)
class Scan:
    """What a walk found. With ``online`` False the root could not be listed, and nothing may be concluded from it.

    ``identity`` is what the system calls the root ("device:number"); another one means another disk or folder.
    """

    files: list[Seen] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    online: bool = True
    identity: str = ""


class Scanner:
    """Walks watched folders; keeps nothing between walks."""

    def __init__(self, largest_bytes: int) -> None:
        self._largest_bytes = largest_bytes

    def scan(self, folder: FolderRecord, other_roots: Iterable[Path], job: Job) -> Scan:
        """Return the files of ``folder``; ``other_roots`` below it, or reached by a link, are left to their own walks.

        A folder that cannot be listed below the root is reported in ``skipped`` with the system's reason.
        """
        try:
            if folder.is_file:
                return self._single(folder)
            walk = _Walk(folder, self._largest_bytes, other_roots, job)
            return walk.run()
        except OSError as error:
            _log.warning("folder %d cannot be listed: %s", folder.id, error.strerror)
            return Scan(online=False)

    def _single(self, folder: FolderRecord) -> Scan:
        """Look at a watched file. Only where its folder is the same as ever does its absence mean that it is gone."""
        scan = Scan(identity=identity_text(os.stat(folder.path.parent)))
        try:
            status = os.stat(folder.path)
        except FileNotFoundError:
            scan.online = folder.identity == scan.identity
            return scan
        scan.files.append(Seen(str(folder.path), folder.shown, status.st_size, status.st_mtime_ns))
        return scan


class _Walk:
    """One walk: real folders and files first, then the links to what was not met yet, so that paths stay the same."""

    def __init__(self, folder: FolderRecord, largest_bytes: int, others: Iterable[Path], job: Job) -> None:
        self._folder = folder
        self._root = str(folder.path)
        self._prefix = prefix_length(self._root)
        self._shown_root = os.path.join(folder.shown, "")
        self._largest_bytes = largest_bytes
        self._job = job
        self._rules = RuleMatcher(self._root, folder.rules)
        self._has_rules = folder.rules != FolderRules()
        self._others = frozenset(str(path) for path in others)
        self._beside_others = frozenset(os.path.dirname(path) for path in self._others)
        self._seen = set(_identities(self._others))
        self._met: set[str] | None = None
        self._linked_files: set[tuple[int, int]] = set()
        self._waiting: list[tuple[str, Ignores]] = [(self._root, Ignores())]
        self._links: list[tuple[str, Ignores]] = []
        self._scan = Scan()

    def run(self) -> Scan:
        status = os.stat(self._root)
        self._scan.identity = identity_text(status)
        self._seen.add(_identity(status))
        while self._waiting or self._links:
            self._job.check()
            if self._waiting:
                self._enter(*self._waiting.pop())
            else:
                self._follow(*self._links.pop(0))
        return self._scan

    def _enter(self, current: str, ignores: Ignores) -> None:
        try:
            with os.scandir(current) as listed:
                entries = list(listed)
        except OSError as error:
            if current == self._root:
                raise
            self._failed(current, f"This folder cannot be opened: {error.strerror}.")
            return
        names = frozenset([entry.name for entry in entries])
        if is_tools_own(names) and current != self._root:
            return
        ignores = ignores.below(current, names)
        if not (self._has_rules or ignores.files or current in self._beside_others):
            entries = self._take_plain(os.path.join(self._shown(current), ""), entries, doubtful_names(names))
        for entry in sorted(entries, key=_NAME):
            self._take(entry, names, ignores)

    def _take_plain(
        self, shown: str, entries: Iterable[os.DirEntry[str]], doubtful: frozenset[str]
    ) -> list[os.DirEntry[str]]:
        """Take what nearly all entries are, files without any rule about them, as quickly as can be; return the rest.

        ``shown`` is the folder as shown, ready for a name behind it.
        """
        files: list[Seen] = []
        rest = []
        for entry in entries:
            name = entry.name
            try:
                if name not in doubtful and entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    if (size := status.st_size) <= self._largest_bytes:
                        files.append(_new_seen(Seen, (entry.path, shown + name, size, status.st_mtime_ns)))
                        continue
            except OSError:
                pass  # who looks at the rest will say so
            rest.append(entry)
        self._scan.files += files
        return rest

    def _take(self, entry: os.DirEntry[str], names: frozenset[str], ignores: Ignores) -> None:
        if self._others and entry.path in self._others:
            return
        try:
            if entry.is_symlink():
                self._links.append((entry.path, ignores))
            elif entry.is_dir():
                self._folder_met(entry.path, entry.name, names, ignores)
            elif entry.is_file():
                self._look(entry.path, entry.name, entry.stat(), ignores)
        except OSError as error:
            self._failed(entry.path, f"{entry.name} cannot be looked at: {error.strerror}.")

    def _folder_met(self, path: str, name: str, names: frozenset[str], ignores: Ignores) -> None:
        if ignored_folder(name, names) or self._rules.leaves_folder(path):
            return
        if ignores.files and ignores.reason(path, is_folder=True):
            return
        status = os.stat(path)  # what a directory entry says has no numbers on Windows
        if _identity(status) not in self._seen:  # a junction or a bind mount may lead back up
            self._seen.add(_identity(status))
            self._waiting.append((path, ignores))

    def _follow(self, path: str, ignores: Ignores) -> None:
        """Take what a link leads to, unless it is met in its own place, or by another link."""
        name = os.path.basename(path)
        try:
            status = os.stat(path)
            target = os.path.realpath(path)
            if any(target == other or target.startswith(other + os.sep) for other in self._others):
                return
            if os.path.isdir(path):
                self._folder_met(path, name, frozenset(), ignores)
            elif os.path.isfile(path) and target not in self._paths() and _identity(status) not in self._linked_files:
                self._linked_files.add(_identity(status))
                self._look(path, name, status, ignores)
        except FileNotFoundError:
            return  # a link to nowhere is no file
        except OSError as error:
            self._failed(path, f"{name} cannot be looked at: {error.strerror}.")

    def _paths(self) -> set[str]:
        """Return the paths of all files met in their own places; only links, which come after them, ask for it."""
        if self._met is None:
            self._met = {seen.path for seen in self._scan.files}
        return self._met

    def _look(self, path: str, name: str, status: os.stat_result, ignores: Ignores) -> None:
        reason = ignored_file(name, status.st_size, self._largest_bytes)
        if not reason and self._has_rules:
            reason = self._rules.reason(path)
        if not reason and ignores.files:
            reason = ignores.reason(path)
        seen = Seen(path, self._shown(path), status.st_size, status.st_mtime_ns)
        if not reason:
            self._scan.files.append(seen)
        elif name not in IGNORE_FILES:
            self._scan.skipped.append(Skipped(seen.source(self._folder.id), reason))

    def _failed(self, path: str, reason: str) -> None:
        source = SourceFile(Path(path), self._shown(path), self._folder.id, 0, 0)
        self._scan.skipped.append(Skipped(source, reason, failed=True))

    def _shown(self, path: str) -> str:
        return self._shown_root + path[self._prefix :]


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def identity_text(status: os.stat_result) -> str:
    """Return what the system calls a file or folder, as the catalogue keeps it."""
    return f"{status.st_dev}:{status.st_ino}"


def _identities(paths: Iterable[str]) -> Iterator[tuple[int, int]]:
    for path in paths:
        try:
            yield _identity(os.stat(path))
        except OSError:
            continue
