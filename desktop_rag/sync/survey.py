"""A look at the disk beside the ledger: what a sync would have to do. Nothing is changed by looking."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Protocol

from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import FolderState
from desktop_rag.core.types import SourceFile
from desktop_rag.store.files import FileRecord, FolderRecord, Stamp
from desktop_rag.sync.hashing import hash_file
from desktop_rag.sync.planner import Plan, make_plan
from desktop_rag.sync.rules import is_inside
from desktop_rag.sync.scanner import Scan, Scanner, Skipped
from desktop_rag.sync.settling import Settling

_MANY = 500
"""From so many files on, reading the whole ledger is quicker than reading it file by file."""


class KnownFiles(Protocol):
    """What a survey needs of the ledger."""

    def stamps(self, folder_id: int) -> dict[str, Stamp]:
        """Return the stamps of a folder's files by path."""

    def all(self) -> tuple[FileRecord, ...]:
        """Return all files."""

    def at(self, path: Path) -> FileRecord | None:
        """Return the file at a path."""


@dataclass(slots=True)
class Survey:
    """What was found: the plan, how many files need nothing, what is not read, and the folders that were looked at."""

    plan: Plan = field(default_factory=Plan)
    unchanged: int = 0
    unsettled: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    folders: list[tuple[FolderRecord, FolderState, str]] = field(default_factory=list)
    """Each folder with the state that it is in, and its identity where files were found."""


@dataclass(slots=True)
class _Comparison:
    changed: list[SourceFile] = field(default_factory=list)
    appeared: list[SourceFile] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)
    unchanged: int = 0


class Surveyor:
    """Compares folders with the ledger. Files of which path, size and time are as before are not even opened."""

    def __init__(self, files: KnownFiles, scanner: Scanner, settling: Settling) -> None:
        self._files = files
        self._scanner = scanner
        self._settling = settling

    def look(
        self,
        folders: Sequence[FolderRecord],
        only: Collection[Path] | None,
        job: Job,
        report: Callable[[Progress], None],
    ) -> Survey:
        """Return what must be done for ``folders``, or for those of them that hold a path in ``only``.

        A folder that cannot be listed, or that is suddenly an empty other one, is offline: nothing of it is removed.
        """
        with _no_collector():
            return self._look(folders, only, job, report)

    def _look(
        self,
        folders: Sequence[FolderRecord],
        only: Collection[Path] | None,
        job: Job,
        report: Callable[[Progress], None],
    ) -> Survey:
        survey = Survey()
        roots = [folder.path for folder in folders]
        concerned = [folder for folder in folders if only is None or _concerns(folder, only)]
        comparison = _Comparison()
        for folder in concerned:
            report(Progress(comparison.unchanged, 0, "files", "Looking", folder.path.name))
            scan = self._scanner.scan(folder, [root for root in roots if root != folder.path], job)
            self._compare(folder, scan, self._files.stamps(folder.id), survey, comparison)
        self._plan(survey, comparison, job, report)
        return survey

    def _compare(
        self, folder: FolderRecord, scan: Scan, known: dict[str, Stamp], survey: Survey, into: _Comparison
    ) -> None:
        if not scan.online or (known and not scan.files and folder.identity != scan.identity):
            survey.folders.append((folder, FolderState.OFFLINE, ""))
            return
        survey.folders.append((folder, FolderState.READY, scan.identity if scan.files else ""))
        survey.skipped += scan.skipped
        differing = [(seen, stamp) for seen in scan.files if (stamp := known.pop(seen.path, None)) != seen]
        into.unchanged += len(scan.files) - len(differing)
        for seen, stamp in sorted(differing, key=itemgetter(0)):
            (into.appeared if stamp is None else into.changed).append(seen.source(folder.id))
        for one in scan.skipped:
            known.pop(str(one.source.path), None)
        closed = [one.source.path for one in scan.skipped if one.failed]
        into.vanished += [path for path in known if not closed or not _is_below_any(Path(path), closed)]

    def _plan(self, survey: Survey, found: _Comparison, job: Job, report: Callable[[Progress], None]) -> None:
        unsettled = self._settling.unsettled(found.changed + found.appeared)
        left = [source for source in found.changed if source.path not in unsettled]
        new = [source for source in found.appeared if source.path not in unsettled]
        records = self._records([str(source.path) for source in left], found.vanished)
        survey.plan = make_plan(records, left + new, hash_file, job, report)
        survey.unchanged, survey.unsettled = found.unchanged, len(unsettled)

    def _records(self, changed: Sequence[str], vanished: Sequence[str]) -> list[FileRecord]:
        paths = {*changed, *vanished}
        if len(paths) > _MANY:
            return [record for record in self._files.all() if str(record.path) in paths]
        found = (self._files.at(Path(path)) for path in sorted(paths))
        return [record for record in found if record is not None]


@contextmanager
def _no_collector() -> Iterator[None]:
    """Do without the garbage collector: what is made here lives on, and it would go through all models each time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _concerns(folder: FolderRecord, hints: Iterable[Path]) -> bool:
    root = folder.path.parent if folder.is_file else folder.path
    return any(is_inside(hint, root) or is_inside(root, hint) for hint in hints)


def _is_below_any(path: Path, folders: Sequence[Path]) -> bool:
    return any(folder in path.parents for folder in folders)
