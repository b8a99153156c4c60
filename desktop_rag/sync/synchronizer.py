"""One sync: look at the disk, plan, and carry the plan out stage by stage, so that index and disk agree again."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from desktop_rag.core.events import LedgerChanged, LibraryEvent, SyncDone
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.log import get_logger
from desktop_rag.core.reports import SyncSummary
from desktop_rag.core.types import FileState, FolderState, SourceFile, Stage, StageState
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.store.pages import PageStore
from desktop_rag.sync.attachments import DEEPEST
from desktop_rag.sync.hashing import hash_file
from desktop_rag.sync.pace import Pace
from desktop_rag.sync.pages import PageStage
from desktop_rag.sync.planner import Plan, make_plan
from desktop_rag.sync.reading import TextStage, is_outdated
from desktop_rag.sync.rows import UNREAD, as_row
from desktop_rag.sync.scanner import Scanner, Skipped
from desktop_rag.sync.vectors import VectorStage

_log = get_logger(__name__)

_BETWEEN_EVENTS_S = 0.1
FAULTS = (FileState.FAILED, FileState.NEEDS_PASSWORD)


class Later(Protocol):
    """A stage, or a part of one, that comes when everything can be found that is quick to find."""

    @property
    def stage(self) -> Stage:
        """The stage that this belongs to."""

    def reopen(self) -> None:
        """Mark the files as waiting that were done in a way which is out of date."""

    def run(
        self,
        records: Sequence[FileRecord],
        job: Job,
        report: Callable[[Progress], None],
        finished: Callable[[str], None],
    ) -> None:
        """Do the stage for ``records``; ``finished`` hears of each document that is done."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The workers of a sync, one per stage that this version does; the ``later`` ones in the order of their value."""

    text: TextStage
    vectors: VectorStage
    later: tuple[Later, ...] = ()
    pages: PageStage | None = None


class Synchronizer:
    """Keeps one workspace's index in step with its folders. One sync at a time: the caller sees to that."""

    def __init__(
        self,
        catalogue: Catalogue,
        elements: ElementStore,
        scanner: Scanner,
        stages: Stages,
        pages: PageStore,
    ) -> None:
        self._catalogue = catalogue
        self._elements = elements
        self._pages = pages
        self._scanner = scanner
        self._stages = stages

    def run(self, stages: Collection[Stage], job: Job, emit: Callable[[LibraryEvent], None]) -> SyncSummary:
        """Sync all folders to completion.

        Raises CancelledError when the job ends; everything that was committed by then stays, and the next sync goes
        on from there. Raises UserFacingError when the disk is full.
        """
        started = time.perf_counter()
        self._recover()
        plan = self._plan(job, _Reporter(job, emit))
        self._apply(plan)
        emit(LedgerChanged())
        if Stage.TEXT in stages:
            self._run_text(job, emit)
            self._drop_lost_pages()
        if Stage.VECTORS in stages:
            self._stages.vectors.run(self._pending(Stage.VECTORS), job, _Reporter(job, emit))
        self._run_later(stages, job, emit)
        self._pages.optimize()
        self._elements.optimize()  # also frees the versions that the sync before left, once nobody reads them
        summary = self._summary(plan, time.perf_counter() - started)
        emit(LedgerChanged())
        indexed = sum(record.state in (FileState.INDEXED, FileState.PARTLY) for record in self._catalogue.files.all())
        emit(SyncDone(indexed, len(summary.failed)))
        _log.info("sync: %d added, %d replaced, %d removed", summary.added, summary.replaced, summary.removed)
        return summary

    def _run_text(self, job: Job, emit: Callable[[LibraryEvent], None]) -> None:
        """Read the files that wait, then what was found attached to them, and so on."""
        for _ in range(DEEPEST + 2):
            waiting = self._pending(Stage.TEXT)
            if not waiting:
                break
            self._stages.text.run(waiting, job, _Reporter(job, emit))
            emit(LedgerChanged())

    def _run_later(self, stages: Collection[Stage], job: Job, emit: Callable[[LibraryEvent], None]) -> None:
        """Do what is slow, now that everything can be found that is quick to find.

        What is not done when the job is asked to give way stays pending for the next sync.
        """

        def finished(document: str) -> None:
            """What a file has got can be found by its meaning at once, and not only when all files are done."""
            record = self._catalogue.files.get(document)
            if record is not None and Stage.VECTORS in stages and _is_pending(record, Stage.VECTORS):
                self._stages.vectors.run([record], job, lambda _: None)
            emit(LedgerChanged())

        for later in self._stages.later:
            if later.stage in stages:
                later.reopen()
            waiting = self._pending(later.stage) if later.stage in stages else []
            if waiting:
                emit(LedgerChanged())
                later.run(waiting, job, _Reporter(job, emit), finished)
        pages = self._stages.pages
        if pages is not None and Stage.PAGES in stages:
            pages.claim()
            before = {later.stage for later in self._stages.later} & set(stages)
            waiting = [one for one in self._pending(Stage.PAGES) if not any(_is_pending(one, s) for s in before)]
            emit(LedgerChanged())
            pages.run(waiting, job, _Reporter(job, emit), finished)

    def forget(self, records: Sequence[FileRecord]) -> None:
        """Take documents, and what is attached to them, out of every table and folder."""
        self._stages.text.forget(records)
        self._drop_lost_pages()

    def _drop_lost_pages(self) -> None:
        """Take out what was seen of documents that are not in the ledger any more."""
        self._pages.remove(self._pages.documents() - {record.document for record in self._catalogue.files.all()})

    def _recover(self) -> None:
        """Undo what a crash left between the stores: rows without a ledger entry go, half-done files start again."""
        records = {record.document: record for record in self._catalogue.files.all()}
        orphans = [document for document in self._elements.documents() if document not in records]
        if orphans:
            _log.warning("%d documents without a ledger entry are removed", len(orphans))
            self._elements.remove(orphans)
        self._drop_lost_pages()
        for record in records.values():
            if record.state is FileState.WORKING and record.stages.get(Stage.TEXT) is not StageState.DONE:
                self._catalogue.files.update(record.document, state=FileState.PENDING)
        for record in self._stages.text.lost():
            self._to_be_read(record.document, record.hash)

    def _plan(self, job: Job, report: Callable[[Progress], None]) -> Plan:
        files: list[SourceFile] = []
        skipped: list[Skipped] = []
        offline: set[int] = set()
        folders = self._catalogue.folders.all()
        roots = frozenset(folder.path for folder in folders)
        for folder in folders:
            report(Progress(len(files), 0, "files", "Looking", folder.path.name))
            scan = self._scanner.scan(folder, roots - {folder.path}, job)
            state = FolderState.READY if scan.online else FolderState.OFFLINE
            if state is not folder.state:
                self._catalogue.folders.set_state(folder.id, state)
            if not scan.online:
                offline.add(folder.id)
            files += scan.files
            skipped += scan.skipped
        listed = [record for record in self._catalogue.files.all() if not record.parent]
        rows = [record for record in listed if record.folder_id not in offline]
        left_alone = self._record_skipped(skipped)
        compared = [record for record in rows if record.path not in left_alone and not self._under(record, skipped)]
        return make_plan(compared, files, hash_file, job)

    @staticmethod
    def _under(record: FileRecord, skipped: Sequence[Skipped]) -> bool:
        """A file below a folder that cannot be opened now is not gone: nothing of it is removed."""
        return any(one.failed and one.source.path in record.path.parents for one in skipped)

    def _record_skipped(self, skipped: Sequence[Skipped]) -> set[Path]:
        """Give each skipped file its row in the ledger; return their paths."""
        for one in skipped:
            record = self._catalogue.files.at(one.source.path)
            state = FileState.FAILED if one.failed else FileState.IGNORED
            if record is not None and record.state is state and record.reason == one.reason:
                continue
            if record is not None:
                self.forget([record])
            added = self._catalogue.files.add(one.source)
            off = dict.fromkeys(Stage, StageState.OFF)
            self._catalogue.files.update(added.document, state=state, reason=one.reason, stages=off)
        return {one.source.path for one in skipped}

    def _apply(self, plan: Plan) -> None:
        for change in [*plan.moved, *plan.touched]:
            self._catalogue.files.move(change.record.document, change.source)
            moved = self._catalogue.files.get(change.record.document)
            if moved is not None:
                self._stages.text.attached_elsewhere(moved)
        if plan.removed:
            self.forget(plan.removed)
        for addition in plan.added:
            record = self._catalogue.files.add(addition.source)
            self._to_be_read(record.document, addition.hash)
        for change in plan.replaced:
            self._catalogue.files.move(change.record.document, change.source)
            self._to_be_read(change.record.document, change.hash)
        for record in [*plan.unchanged, *self._catalogue.files.attached()]:
            if is_outdated(record):
                self._to_be_read(record.document, record.hash)
        for source, reason in plan.unreadable:
            self._cannot_be_opened(source, reason)

    def _to_be_read(self, document: str, digest: str) -> None:
        self._catalogue.files.update(document, hash=digest, state=FileState.PENDING, reason="", stages=UNREAD)

    def _cannot_be_opened(self, source: SourceFile, reason: str) -> None:
        """A file that cannot be opened now keeps what the index knows of it; its row says what is wrong.

        Without a hash it is looked at again by every sync, until it opens.
        """
        record = self._catalogue.files.at(source.path) or self._catalogue.files.add(source)
        reason = f"{reason} Check its permissions, then sync again."
        self._catalogue.files.update(record.document, state=FileState.FAILED, reason=reason, hash="")

    def _pending(self, stage: Stage) -> list[FileRecord]:
        """Return the files that wait for a stage; all but vectors are made from the file, which must be there."""
        online = {folder.id for folder in self._catalogue.folders.all() if folder.state is FolderState.READY}
        return [
            record
            for record in self._catalogue.files.all()
            if _is_pending(record, stage) and (record.folder_id in online or stage is Stage.VECTORS)
        ]

    def _summary(self, plan: Plan, seconds: float) -> SyncSummary:
        failed = tuple(as_row(record) for record in self._catalogue.files.all() if record.state in FAULTS)
        return SyncSummary(
            added=len(plan.added),
            replaced=len(plan.replaced),
            moved=len(plan.moved),
            removed=len(plan.removed),
            unchanged=len(plan.unchanged) + len(plan.touched),
            failed=failed,
            seconds=seconds,
        )


def _is_pending(record: FileRecord, stage: Stage) -> bool:
    if record.stages.get(stage) is not StageState.PENDING:
        return False
    if stage is Stage.TEXT:
        return record.state in (FileState.PENDING, FileState.WORKING)
    readable = (FileState.PENDING, FileState.WORKING, FileState.PARTLY, FileState.INDEXED)
    return record.state in readable and record.stages.get(Stage.TEXT) is StageState.DONE


class _Reporter:
    """Passes progress on, at most ten times a second and always at the end, with rate and time left."""

    def __init__(self, job: Job, emit: Callable[[LibraryEvent], None]) -> None:
        self._job = job
        self._emit = emit
        self._pace = Pace()
        self._last = 0.0

    def __call__(self, progress: Progress) -> None:
        self._job.report(progress)
        now = time.monotonic()
        event = self._pace.at(progress)
        if now - self._last >= _BETWEEN_EVENTS_S or progress.done == progress.total:
            self._last = now
            self._emit(event)
