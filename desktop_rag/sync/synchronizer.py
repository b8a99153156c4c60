"""One sync: look at the disk, plan, and carry the plan out stage by stage, so that index and disk agree again."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from desktop_rag.core.events import LedgerChanged, LibraryEvent, SyncDone
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import FileState, FolderState, Stage, StageState
from desktop_rag.core.log import get_logger
from desktop_rag.core.power import PowerMode
from desktop_rag.core.reports import SyncSummary
from desktop_rag.core.types import SourceFile
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.store.pages import PageStore
from desktop_rag.store.pictures import KeptPictures
from desktop_rag.sync.attachments import DEEPEST
from desktop_rag.sync.pace import Pace
from desktop_rag.sync.pages import PageStage
from desktop_rag.sync.planner import Change, Plan
from desktop_rag.sync.reading import TextStage, outdated_labels
from desktop_rag.sync.retitling import Retitler
from desktop_rag.sync.rows import UNREAD, as_row
from desktop_rag.sync.scanner import Skipped
from desktop_rag.sync.survey import Survey, Surveyor
from desktop_rag.sync.vectors import VectorStage

_log = get_logger(__name__)

_BETWEEN_EVENTS_S = 0.1
_PORTION = 500
_T = TypeVar("_T")
FAULTS = (FileState.FAILED, FileState.NEEDS_PASSWORD)
_FOUND = (FileState.INDEXED, FileState.PARTLY)
_READABLE = (FileState.PENDING, FileState.WORKING, *_FOUND)


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
        surveyor: Surveyor,
        stages: Stages,
        pages: PageStore,
        pictures: KeptPictures,
        power: PowerMode,
        retitler: Retitler,
    ) -> None:
        self._catalogue = catalogue
        self._elements = elements
        self._pages = pages
        self._pictures = pictures
        self._surveyor = surveyor
        self._stages = stages
        self._power = power
        self._retitler = retitler
        self._sound = False
        self._changed = True
        self._claimed: frozenset[int] | None = None

    def run(
        self,
        stages: Collection[Stage],
        job: Job,
        emit: Callable[[LibraryEvent], None],
        only: Collection[Path] | None = None,
    ) -> SyncSummary:
        """Sync all folders to completion, or only those that hold a path in ``only``.

        Raises CancelledError when the job ends; everything that was committed by then stays, and the next sync goes
        on from there. Raises UserFacingError when the disk is full.
        """
        started = time.perf_counter()
        if not self._sound:
            self._recover()
        self._sound = False
        self._take_lost_copies()
        survey = self._surveyor.look(self._catalogue.folders.all(), only, job, _Reporter(job, emit))
        self._changed = bool(self._apply(survey)) or self._claimed is None
        if self._changed:
            emit(LedgerChanged())
        if not self._power.holds_all:
            self._run_stages(stages, job, emit)
        self._pages.optimize()
        self._elements.renew_words()
        self._elements.optimize()  # also frees the versions that the sync before left, once nobody reads them
        self._sound = True
        summary = self._summary(survey, time.perf_counter() - started)
        emit(LedgerChanged())
        found = self._catalogue.files.count_in(_FOUND)
        emit(SyncDone(found, len(summary.failed), summary.waiting_for_power))
        _log.info("sync: %d added, %d replaced, %d removed", summary.added, summary.replaced, summary.removed)
        return summary

    def close(self) -> None:
        """End the processes that read documents."""
        self._stages.text.close()

    def warm_up(self) -> None:
        """Start a process that reads documents, so that the first saved file does not wait for it."""
        self._stages.text.warm_up()

    def _run_stages(self, stages: Collection[Stage], job: Job, emit: Callable[[LibraryEvent], None]) -> None:
        if Stage.TEXT in stages:
            self._run_text(job, emit)
        if Stage.VECTORS in stages and (waiting := self._pending(Stage.VECTORS)):
            self._stages.vectors.run(waiting, job, _Reporter(job, emit))
        self._run_later(stages, job, emit)

    def _run_text(self, job: Job, emit: Callable[[LibraryEvent], None]) -> None:
        """Read the files that wait, then what was found attached to them, and so on."""
        for _ in range(DEEPEST + 2):
            waiting = self._pending(Stage.TEXT)
            if not waiting:
                break
            self._changed = True
            self._stages.text.run(waiting, job, _Reporter(job, emit))
            self._drop_lost()
            emit(LedgerChanged())

    def _run_later(self, stages: Collection[Stage], job: Job, emit: Callable[[LibraryEvent], None]) -> None:
        """Do what is slow, now that everything can be found that is quick to find.

        What is not done when the job is asked to give way, or the computer goes on battery, stays pending.
        """

        def finished(document: str) -> None:
            """What a file has got can be found by its meaning at once, and not only when all files are done."""
            record = self._catalogue.files.get(document)
            if record is not None and Stage.VECTORS in stages and _is_pending(record, Stage.VECTORS):
                self._stages.vectors.run([record], job, lambda _: None)
            emit(LedgerChanged())

        def report_while_powered(report: Callable[[Progress], None]) -> Callable[[Progress], None]:
            def told(progress: Progress) -> None:
                report(progress)
                if self._power.holds_slow:
                    job.give_way()

            return told

        for later in self._stages.later:
            if later.stage in stages:
                later.reopen()
            waiting = self._pending(later.stage) if later.stage in stages and not self._power.holds_slow else []
            if waiting:
                emit(LedgerChanged())
                later.run(waiting, job, report_while_powered(_Reporter(job, emit)), finished)
        if self._stages.pages is not None and Stage.PAGES in stages and not self._power.holds_slow:
            self._run_pages(
                self._stages.pages,
                stages,
                emit,
                lambda waiting, pages: pages.run(waiting, job, report_while_powered(_Reporter(job, emit)), finished),
            )

    def _run_pages(
        self,
        pages: PageStage,
        stages: Collection[Stage],
        emit: Callable[[LibraryEvent], None],
        run: Callable[[list[FileRecord], PageStage], None],
    ) -> None:
        """Look at the pages of files that have all else behind them."""
        looked_at = frozenset(folder.id for folder in self._catalogue.folders.all() if folder.looks)
        if self._changed or looked_at != self._claimed:  # else nothing can have become due
            pages.claim()
            self._claimed = looked_at
        before = {later.stage for later in self._stages.later} & set(stages)
        waiting = [one for one in self._pending(Stage.PAGES) if not any(_is_pending(one, s) for s in before)]
        if waiting:
            emit(LedgerChanged())
        run(waiting, pages)

    def forget(self, records: Sequence[FileRecord]) -> None:
        """Take documents, and what is attached to them, out of every table and folder."""
        self._stages.text.forget(records)
        self._drop_lost()

    def _drop_lost(self) -> None:
        """Take out what was seen and shown of documents that are not in the ledger any more."""
        known = self._catalogue.files.element_counts().keys()
        self._pages.remove(self._pages.documents() - known)
        self._pictures.keep_only(known)

    def _recover(self) -> None:
        """Mend what a crash, or a lost index, left between the stores.

        Rows without a ledger entry go, half-done files start again, and files whose elements are not there are read
        once more. Done before the first sync and after one that did not come to its end.
        """
        ledger = self._catalogue.files.element_counts()
        there = self._elements.documents()
        orphans = [document for document in there if document not in ledger]
        if orphans:
            _log.warning("%d documents without a ledger entry are removed", len(orphans))
            self._elements.remove(orphans)
        self._drop_lost()
        for record in self._catalogue.files.in_states([FileState.WORKING]):
            if record.stages.get(Stage.TEXT) is not StageState.DONE:
                self._catalogue.files.update(record.document, state=FileState.PENDING)
        lost = [document for document, count in ledger.items() if count > there.get(document, 0)]
        if lost:
            _log.warning("the elements of %d documents are not there: they are read again", len(lost))
        self._stages.vectors.reopen()
        for document in lost:
            found = self._catalogue.files.get(document)
            if found is not None and found.stages.get(Stage.TEXT) is StageState.DONE:
                self._to_be_read(document, found.hash)

    def _take_lost_copies(self) -> None:
        """Have the messages read again whose attachments are not where they were put."""
        for message in self._stages.text.lost():
            self._to_be_read(message.document, message.hash)

    def _record_skipped(self, skipped: Sequence[Skipped]) -> int:
        """Give each skipped file its row in the ledger; return how many rows changed."""
        known = self._skipped_rows() if skipped else {}
        changed = 0
        for one in skipped:
            state = FileState.FAILED if one.failed else FileState.IGNORED
            if known.get(one.source.path) == (state, one.reason):
                continue
            changed += 1
            record = self._catalogue.files.at(one.source.path)
            if record is not None and one.failed:  # it cannot be looked at now, which does not mean that it is gone
                self._catalogue.files.update(record.document, state=state, reason=one.reason, hash="")
                continue
            if record is not None:
                self.forget([record])
            added = self._catalogue.files.add(one.source)
            off = dict.fromkeys(Stage, StageState.OFF)
            self._catalogue.files.update(added.document, state=state, reason=one.reason, stages=off)
        return changed

    def _skipped_rows(self) -> Mapping[Path, tuple[FileState, str]]:
        records = self._catalogue.files.in_states([FileState.FAILED, FileState.IGNORED])
        return {record.path: (record.state, record.reason) for record in records}

    def _apply(self, survey: Survey) -> int:
        """Write into the ledger what has to be done; return how many of its rows changed."""
        for folder, state, identity in survey.folders:
            if state is not folder.state:
                self._catalogue.folders.set_state(folder.id, state)
            if identity and identity != folder.identity:
                self._catalogue.folders.set_identity(folder.id, identity)
        return self._record_skipped(survey.skipped) + self._carry_out(survey.plan)

    def _carry_out(self, plan: Plan) -> int:
        files = self._catalogue.files
        if plan.removed:
            self.forget(plan.removed)
        self._in_portions(plan.moved + plan.touched, self._move)
        self._in_portions(plan.added, lambda one: self._to_be_read(files.add(one.source).document, one.hash))
        self._in_portions(plan.replaced, self._replace)
        outdated = [record for label in outdated_labels(files.readers()) for record in files.read_by(label)]
        self._in_portions(outdated, lambda record: self._to_be_read(record.document, record.hash))
        for source, reason in plan.unreadable:
            self._cannot_be_opened(source, reason)
        return plan.size + len(outdated)

    def _in_portions(self, items: Sequence[_T], do: Callable[[_T], None]) -> None:
        """Commit many small changes together, but let those who read the ledger in between."""
        for start in range(0, len(items), _PORTION):
            with self._catalogue.transaction():
                for item in items[start : start + _PORTION]:
                    do(item)

    def _move(self, change: Change) -> None:
        there = self._catalogue.files.at(change.source.path)
        if there is not None and there.document != change.record.document:
            self.forget([there])
        self._catalogue.tags.before_move(change.record.path, change.source.path)
        self._catalogue.files.move(change.record.document, change.source)
        another_kind = change.record.path.suffix.lower() != change.source.path.suffix.lower()
        if another_kind or change.record.state not in _READABLE:  # another reader, or a reason with the old name
            self._to_be_read(change.record.document, change.hash)
        elif change.record.elements:
            self._retitler.after_move(change.record, change.source.path)
        moved = self._catalogue.files.get(change.record.document)
        if moved is not None:
            self._stages.text.attached_elsewhere(moved)

    def _replace(self, change: Change) -> None:
        self._catalogue.files.move(change.record.document, change.source)
        self._to_be_read(change.record.document, change.hash)

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
        waiting = [record for record in self._catalogue.files.unfinished() if _is_pending(record, stage)]
        if not waiting or stage is Stage.VECTORS:
            return waiting
        online = {folder.id for folder in self._catalogue.folders.all() if folder.state is FolderState.READY}
        return [record for record in waiting if record.folder_id in online]

    def _summary(self, survey: Survey, seconds: float) -> SyncSummary:
        plan = survey.plan
        return SyncSummary(
            added=len(plan.added),
            replaced=len(plan.replaced),
            moved=len(plan.moved),
            removed=len(plan.removed),
            unchanged=survey.unchanged + len(plan.touched),
            failed=tuple(as_row(record) for record in self._catalogue.files.in_states(FAULTS)),
            seconds=seconds,
            unsettled=survey.unsettled,
            waiting_for_power=len(self._catalogue.files.unfinished()) if self._power.holds_slow else 0,
        )


def _is_pending(record: FileRecord, stage: Stage) -> bool:
    if record.stages.get(stage) is not StageState.PENDING:
        return False
    if stage is Stage.TEXT:
        return record.state in (FileState.PENDING, FileState.WORKING)
    return record.state in _READABLE and record.stages.get(Stage.TEXT) is StageState.DONE


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
