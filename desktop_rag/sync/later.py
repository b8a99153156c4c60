"""Later stages: slow work on single pages of files that are searchable already, a few pages at a time.

Each piece is committed by itself - elements first, then the ledger - so that closing the lid costs at most one. The
pieces of a file are the same in every run, and so is what comes out of it, however often it was interrupted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path

from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.log import get_logger
from desktop_rag.core.passwords import Passwords
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.workers import ParseFailure, ParsePool
from desktop_rag.models.embedder import Embedder
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord, PartRecord
from desktop_rag.sync.reading import in_order, reason_of, settled_state
from desktop_rag.sync.rows import WAITS_FOR_PASSWORD

_log = get_logger(__name__)

_MOST_FAILURES = 3
"""After so many parts of a file have failed, the others would fail too."""


@dataclass(frozen=True, slots=True)
class LaterWork:
    """What tells one later stage from another.

    ``doing`` is what people read while it runs. ``open_pool`` makes workers whose entry takes a Part and returns a
    PartRead or ParseFailure. ``note`` says, for the ledger, what is to be known of the stage's work on a file.
    ``model`` is a model file for the workers; empty for the one that comes along.
    ``source`` is the file that the workers open; ``with_known`` gives them the elements around their pages. With
    ``goes_on`` another one does the rest of the stage, and says when a file is done.
    """

    stage: Stage
    doing: str
    pages_at_once: int
    threads: int
    open_pool: Callable[[], ParsePool]
    note: Callable[[FileRecord, Sequence[PartRecord]], str]
    model: str = ""
    source: Callable[[FileRecord], Path] = field(default=attrgetter("path"))
    with_known: bool = False
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    record: FileRecord
    part: Part

    @property
    def pages(self) -> int:
        return self.part.last - self.part.first + 1


class LaterStage:
    """Does one later stage for the files that wait for it."""

    def __init__(
        self,
        work: LaterWork,
        catalogue: Catalogue,
        elements: ElementStore,
        embedder: Embedder,
        passwords: Passwords | None = None,
    ) -> None:
        self._work = work
        self._catalogue = catalogue
        self._elements = elements
        self._embedder = embedder
        self._passwords = passwords or Passwords()

    @property
    def stage(self) -> Stage:
        """The stage that this is."""
        return self._work.stage

    def reopen(self) -> None:
        """Nothing that this stage did needs to be done again as long as the file is the same."""

    def is_complete(self, record: FileRecord) -> bool:
        """Return whether all parts of a file are behind this stage."""
        return not self._left(record)

    def source_of(self, record: FileRecord) -> Path:
        """Return the file that is looked at for a document: itself, or its print view."""
        return self._work.source(record)

    def run(
        self,
        records: Sequence[FileRecord],
        job: Job,
        report: Callable[[Progress], None],
        finished: Callable[[str], None],
    ) -> None:
        """Do the stage for ``records``, the newest and smallest files first; ``finished`` hears of each that is done.

        A part that fails is noted and the others are done all the same. When the job gives way, this ends after the
        part at hand. A file that is locked, and whose password is not known any more, goes on waiting. Raises
        CancelledError when the job ends; the parts that are done by then stay done.
        """
        reachable = [record for record in in_order(records) if self._can_be_opened(record)]
        if not reachable:
            return
        total = sum(record.pages for record in reachable)
        open_parts = {record.document: self._left(record) for record in reachable}
        done = total - sum(piece.pages for pieces in open_parts.values() for piece in pieces)
        left = Counter({document: len(pieces) for document, pieces in open_parts.items()})
        for record in reachable:
            if not left[record.document]:
                self._finish(record, finished)
        shut: set[str] = set()
        pool = self._work.open_pool()
        try:
            for piece, outcome in self._outcomes(pool, [p for pieces in open_parts.values() for p in pieces], job):
                document = piece.record.document
                if document in shut or _is_shut(outcome):
                    if document not in shut:
                        shut.add(document)
                        self._wait_for_password(document)
                    continue
                if outcome is not None:
                    self._commit(piece, outcome)
                done += piece.pages
                left[document] -= 1
                if not left[document]:
                    self._finish(piece.record, finished)
                report(Progress(done, total, "pages", self._work.doing, piece.record.path.name))
        finally:
            pool.close()

    def _left(self, record: FileRecord) -> list[_Piece]:
        """Return the pieces of a file that are still to be done."""
        known = {part.first for part in self._catalogue.files.parts(record.document, self.stage)}
        step = self._work.pages_at_once or max(record.pages, 1)
        starts = [first for first in range(1, record.pages + 1, step) if first not in known]
        threads, model = self._work.threads, self._work.model
        return [
            _Piece(record, Part(record.title, first, min(first + step - 1, record.pages), threads, model))
            for first in starts
        ]

    def _outcomes(
        self, pool: ParsePool, pieces: Sequence[_Piece], job: Job
    ) -> Iterator[tuple[_Piece, PartRead | ParseFailure | None]]:
        """Yield each piece with what came of it; None for a piece of a file that is given up."""
        waiting: Iterator[_Piece] = iter(pieces)
        running: dict[Future[PartRead | ParseFailure], _Piece] = {}
        failures: Counter[str] = Counter()
        while True:
            job.check()
            if (
                job.giving_way
            ):  # a new file waits to be found; the part at hand ends, so that no stream of them starves us
                waiting = iter(())
                running = {future: piece for future, piece in running.items() if not future.cancel()}
            while len(running) <= pool.processes:  # one more than can run, so that no worker idles
                piece = next(waiting, None)
                if piece is None:
                    break
                if failures[piece.record.document] >= _MOST_FAILURES:
                    yield piece, None
                    continue
                running[self._submit(pool, piece)] = piece
            if not running:
                return
            finished, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in finished:
                piece, outcome = running.pop(future), future.result()
                failures[piece.record.document] += _MOST_FAILURES if _is_shut(outcome) else _is_failure(outcome)
                yield piece, outcome

    def _can_be_opened(self, record: FileRecord) -> bool:
        waits = record.notes.get(self.stage) == WAITS_FOR_PASSWORD and not self._passwords.of(record.document)
        return not waits and self._work.source(record).exists()

    def _wait_for_password(self, document: str) -> None:
        """Say so; the stage stays pending, and goes on when somebody enters the password."""
        record = self._catalogue.files.get(document)
        if record is not None:
            notes = {**record.notes, self.stage: WAITS_FOR_PASSWORD}
            reason = reason_of(notes)
            self._catalogue.files.update(document, notes=notes, reason=reason, state=settled_state(reason))

    def _submit(self, pool: ParsePool, piece: _Piece) -> Future[PartRead | ParseFailure]:
        document, part = piece.record.document, piece.part
        if self._work.with_known:
            known = self._elements.of_pages(document, part.first - 1, part.last + 1)
            part = replace(part, known=tuple(known))
        return pool.submit_part(document, self._work.source(piece.record), part, self._passwords.of(document))

    def _commit(self, piece: _Piece, outcome: PartRead | ParseFailure) -> None:
        record = self._catalogue.files.get(piece.record.document)
        if record is None:  # its folder was taken out of the workspace meanwhile
            return
        first = piece.part.first
        if isinstance(outcome, ParseFailure):
            _log.info("document %s, page %d: %s failed", record.document, first, self.stage)
            self._catalogue.files.finish_part(
                record.document, self.stage, PartRecord(first, 0, 0, outcome.reason or "it failed")
            )
            return
        part = PartRecord(first, outcome.pages, outcome.doubtful)
        if not outcome.elements:
            self._catalogue.files.finish_part(record.document, self.stage, part)
            return
        hashes = {element.content_hash for element in outcome.elements}
        vectors = self._catalogue.vectors.get(self._embedder.fingerprint, hashes)
        count = self._elements.add(record.document, outcome.elements, vectors, self._embedder.fingerprint)
        stages = {**record.stages, Stage.VECTORS: StageState.PENDING}
        if stages.get(Stage.PAGES, StageState.OFF) is not StageState.OFF:
            stages[Stage.PAGES] = StageState.PENDING  # what it says where is not the same any more
        with self._catalogue.transaction():
            self._catalogue.tables.add(record.document, outcome.tables)
            self._catalogue.files.finish_part(record.document, self.stage, part, elements=count, stages=stages)

    def _finish(self, started: FileRecord, finished: Callable[[str], None]) -> None:
        record = self._catalogue.files.get(started.document)
        if record is None:
            return
        parts = self._catalogue.files.parts(record.document, self.stage)
        failed = any(part.failure for part in parts)
        state = StageState.FAILED if failed else StageState.PENDING if self._work.goes_on else StageState.DONE
        notes = {**record.notes, self.stage: self._work.note(record, parts)}
        reason = reason_of(notes)
        self._catalogue.files.update(
            record.document,
            stages={**record.stages, self.stage: state},
            state=settled_state(reason),
            reason=reason,
            notes=notes,
        )
        finished(record.document)


def _is_failure(outcome: PartRead | ParseFailure | None) -> bool:
    return isinstance(outcome, ParseFailure)


def _is_shut(outcome: PartRead | ParseFailure | None) -> bool:
    return isinstance(outcome, ParseFailure) and outcome.state is FileState.NEEDS_PASSWORD
