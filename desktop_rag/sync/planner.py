"""What must be done so that the index says what the disk says: a comparison of a scan with the ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from desktop_rag.core.job import Job, Progress
from desktop_rag.core.types import SourceFile
from desktop_rag.store.files import FileRecord


@dataclass(frozen=True, slots=True)
class Change:
    """A file of the ledger, and what lies on the disk for it now. ``hash`` is that of the disk's content."""

    record: FileRecord
    source: SourceFile
    hash: str


@dataclass(frozen=True, slots=True)
class Addition:
    """A file that the ledger does not know, with the hash of its content."""

    source: SourceFile
    hash: str


@dataclass(slots=True)
class Plan:
    """The steps of a sync. ``touched`` files have a new time but the old content; ``moved`` ones a new path."""

    added: list[Addition] = field(default_factory=list)
    replaced: list[Change] = field(default_factory=list)
    touched: list[Change] = field(default_factory=list)
    moved: list[Change] = field(default_factory=list)
    removed: list[FileRecord] = field(default_factory=list)
    unchanged: list[FileRecord] = field(default_factory=list)
    unreadable: list[tuple[SourceFile, str]] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of files with which something has to be done."""
        steps = (self.added, self.replaced, self.touched, self.moved, self.removed, self.unreadable)
        return sum(len(step) for step in steps)


def make_plan(
    records: Sequence[FileRecord],
    files: Sequence[SourceFile],
    hash_file: Callable[[Path], str],
    job: Job,
    report: Callable[[Progress], None] = lambda _: None,
) -> Plan:
    """Compare the ledger with the disk.

    Path, size and time decide what is looked at; the content hash decides what is done. A file that vanished and one
    that appeared with the same content are one move. A file that cannot be opened goes to ``unreadable`` with the
    system's reason, and what the index knows of it stays.
    """
    plan = Plan()
    known = {record.path: record for record in records}
    appeared: list[Addition] = []
    for done, source in enumerate(files):
        job.check()
        report(Progress(done, len(files), "files", "Looking", source.path.name))
        record = known.pop(source.path, None)
        if record is not None and _same_stat(record, source):
            plan.unchanged.append(record)
            continue
        try:
            digest = hash_file(source.path)
        except OSError as error:
            plan.unreadable.append((source, f"The file cannot be opened: {error.strerror}."))
            continue
        if record is None:
            appeared.append(Addition(source, digest))
        elif digest == record.hash:
            plan.touched.append(Change(record, source, digest))
        else:
            plan.replaced.append(Change(record, source, digest))
    _match_moves(plan, appeared, list(known.values()))
    return plan


def _same_stat(record: FileRecord, source: SourceFile) -> bool:
    # A file that was skipped by a rule or could not be opened has no hash yet: look at it again.
    same = record.size == source.size and record.mtime_ns == source.mtime_ns
    return same and bool(record.hash) and record.shown == source.shown


def _match_moves(plan: Plan, appeared: Sequence[Addition], vanished: Sequence[FileRecord]) -> None:
    by_hash: dict[str, list[FileRecord]] = {}
    for record in vanished:
        if record.hash:
            by_hash.setdefault(record.hash, []).append(record)
        else:
            plan.removed.append(record)
    for addition in appeared:
        candidates = by_hash.get(addition.hash)
        if candidates:
            plan.moved.append(Change(candidates.pop(), addition.source, addition.hash))
        else:
            plan.added.append(addition)
    plan.removed.extend(record for records in by_hash.values() for record in records)
