"""The text stage: documents go to the parse workers, and what comes back is committed in small batches."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path

from desktop_rag.core.errors import ReadError, UnsupportedError
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.log import get_logger
from desktop_rag.core.passwords import Passwords
from desktop_rag.ingest.parse import label_of
from desktop_rag.ingest.readers import READERS, find_reader
from desktop_rag.ingest.workers import Parsed, ParseFailure, ParsePool
from desktop_rag.models.embedder import Embedder, Vectors
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.sync.attachments import Attachments

_log = get_logger(__name__)

_BATCH_ELEMENTS = 2_000
_BATCH_DOCUMENTS = 32
_BATCH_ATTACHED_BYTES = 64_000_000
_BATCH_SECONDS = 1.5
_BYTES_PER_FILE = 50_000
"""What opening a file costs, as bytes of a longer one."""

STAGES_OF_THIS_VERSION = frozenset(Stage)


def readers_signature() -> str:
    """Return what decides whether a file that nobody could read is worth another try: names and versions."""
    return "none/" + ",".join(sorted(f"{reader.name}{reader.version}" for reader in READERS))


def outdated_labels(labels: Iterable[str]) -> frozenset[str]:
    """Return those of ``labels`` whose reader or chunker changed since: what they read must be read again."""
    current = {label_of(reader) for reader in READERS} | {readers_signature(), ""}
    return frozenset(labels) - current


@dataclass(slots=True)
class _Batch:
    parsed: dict[str, Parsed] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)

    @property
    def full(self) -> bool:
        elements = sum(len(one.elements) for one in self.parsed.values())
        attached = sum(len(one.data) for parsed in self.parsed.values() for one in parsed.attachments)
        return (
            elements >= _BATCH_ELEMENTS
            or attached >= _BATCH_ATTACHED_BYTES
            or len(self.parsed) >= _BATCH_DOCUMENTS
            or time.monotonic() - self.started > _BATCH_SECONDS
        )


class TextStage:
    """Reads pending files and puts their elements where keyword search finds them."""

    def __init__(
        self,
        catalogue: Catalogue,
        elements: ElementStore,
        embedder: Embedder,
        print_views: Path,
        open_pool: Callable[[], ParsePool],
        attachments: Path,
        passwords: Passwords | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._elements = elements
        self._embedder = embedder
        self._print_views = print_views
        self._open_pool = open_pool
        self._attachments = Attachments(catalogue, attachments)
        self._passwords = passwords or Passwords()
        self._pool: ParsePool | None = None

    def warm_up(self) -> None:
        """Start a worker, so that the next file does not wait for it."""
        self._opened().warm_up()

    def close(self) -> None:
        """End the workers."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def _opened(self) -> ParsePool:
        if self._pool is None:
            self._pool = self._open_pool()
        return self._pool

    def run(self, records: Sequence[FileRecord], job: Job, report: Callable[[Progress], None]) -> None:
        """Read ``records`` (order: newest and smallest first); every file ends with a state and, if need be, a reason.

        Raises CancelledError when the job ends; what was committed by then stays.
        """
        readable = [record for record in in_order(records) if self._is_readable(record)]
        if not readable:
            return
        batch = _Batch()
        work = sum(_work(record) for record in readable)
        worked = 0
        try:
            for done, (record, outcome) in enumerate(self._outcomes(self._opened(), readable, job), start=1):
                self._settle(record, outcome, batch)
                if batch.full:
                    self._commit(batch.parsed)
                    batch = _Batch()
                worked += _work(record)
                report(Progress(done, len(readable), "files", "Reading", record.path.name, worked, work))
            self._commit(batch.parsed)
        except BaseException:
            self.close()  # what is being read is not wanted any more
            raise

    def forget(self, records: Sequence[FileRecord]) -> None:
        """Take documents, and what is attached to them, out of every table and folder.

        Their elements go first, so that no answer can cite them any more.
        """
        gone = self._attachments.with_attached(records)
        documents = [record.document for record in gone]
        self._elements.remove(documents)
        for document in documents:
            (self._print_views / f"{document}.pdf").unlink(missing_ok=True)
        self._attachments.drop(gone)
        self._catalogue.files.remove(documents)

    def attached_elsewhere(self, moved: FileRecord) -> None:
        """Show what is attached to a file that was moved under its new place."""
        self._attachments.rename(moved)

    def lost(self) -> list[FileRecord]:
        """Return the messages that must be read again because what is attached to them is not kept any more."""
        return self._attachments.lost()

    def _is_readable(self, record: FileRecord) -> bool:
        """Look at the type; a file that no reader takes gets its state here and costs no worker."""
        try:
            find_reader(record.path)
        except UnsupportedError as error:
            self._fail(record, FileState.UNSUPPORTED, str(error), readers_signature())
        except ReadError as error:
            self._fail(record, FileState.FAILED, str(error), readers_signature())
        except OSError as error:
            reason = f"{record.path.name} cannot be opened: {error.strerror}. Check its permissions."
            self._fail(record, FileState.FAILED, reason, readers_signature())
        else:
            return True
        return False

    def _outcomes(
        self, pool: ParsePool, records: Sequence[FileRecord], job: Job
    ) -> Iterator[tuple[FileRecord, Parsed | ParseFailure]]:
        waiting = iter(records)
        running: dict[Future[Parsed | ParseFailure], FileRecord] = {}
        while True:
            job.check()
            for record in waiting:
                self._catalogue.files.update(record.document, state=FileState.WORKING, reason="")
                running[pool.submit(record.document, record.path, self._passwords.of(record.document))] = record
                if len(running) >= pool.processes + 1:  # one more than can run, so that no worker idles
                    break
            if not running:
                return
            finished, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in finished:
                yield running.pop(future), future.result()

    def _settle(self, record: FileRecord, outcome: Parsed | ParseFailure, batch: _Batch) -> None:
        if isinstance(outcome, ParseFailure):
            self._fail(record, outcome.state, outcome.reason, outcome.reader)
        else:
            batch.parsed[record.document] = outcome

    def _fail(self, record: FileRecord, state: FileState, reason: str, reader: str) -> None:
        """Record a file that is not read; whatever an earlier version of it left in the index goes away."""
        _log.info("document %s: %s", record.document, state)
        if record.elements:
            self._elements.remove([record.document])
        (self._print_views / f"{record.document}.pdf").unlink(missing_ok=True)
        self._attachments.replace(record, (), self.forget)
        off = dict.fromkeys(Stage, StageState.OFF)
        text = StageState.OFF if state is FileState.UNSUPPORTED else StageState.FAILED
        self._catalogue.tables.replace(record.document, ())
        self._catalogue.files.finish_text(
            record.document,
            digest=record.hash,
            title="",
            reader=reader,
            pages=(),
            elements_count=0,
            stages={**off, Stage.TEXT: text},
            state=state,
            reason=reason,
        )

    def _commit(self, parsed: Mapping[str, Parsed]) -> None:
        """Commit a batch: print views, then elements, then the ledger, so that a crash in between only costs work."""
        if not parsed:
            return
        for document, one in parsed.items():
            self._keep_print_view(document, one.print_view)
        hashes = {element.content_hash for one in parsed.values() for element in one.elements}
        vectors: Mapping[str, Vectors] = self._catalogue.vectors.get(self._embedder.fingerprint, hashes)
        elements = {document: one.elements for document, one in parsed.items()}
        self._elements.replace(elements, vectors, self._embedder.fingerprint)
        with self._catalogue.transaction():  # one wait for the disk, not several for each file
            for document, one in parsed.items():
                self._finish(document, one)

    def _finish(self, document: str, parsed: Parsed) -> None:
        record = self._catalogue.files.get(document)
        if record is None:  # its folder was taken out of the workspace while it was being read
            self._elements.remove([document])
            return
        stages = dict.fromkeys(Stage, StageState.OFF)
        stages[Stage.TEXT] = StageState.DONE
        stages[Stage.VECTORS] = StageState.PENDING if parsed.elements else StageState.DONE
        stages[Stage.PAGES] = StageState.PENDING if parsed.pages else StageState.OFF
        stages |= dict.fromkeys(parsed.waiting & STAGES_OF_THIS_VERSION, StageState.PENDING)
        left_out = self._attachments.replace(record, parsed.attachments, self.forget)
        notes = _notes(parsed, left_out)
        state = FileState.WORKING if parsed.elements else settled_state(reason_of(notes))
        with self._catalogue.transaction():
            self._catalogue.tables.replace(document, parsed.tables)
            self._catalogue.files.finish_text(
                document,
                digest=record.hash,
                title=parsed.title,
                reader=parsed.reader,
                pages=parsed.pages,
                elements_count=len(parsed.elements),
                stages=stages,
                state=state,
                reason=reason_of(notes),
                notes=notes,
            )

    def _keep_print_view(self, document: str, pdf: bytes) -> None:
        path = self._print_views / f"{document}.pdf"
        if not pdf:
            path.unlink(missing_ok=True)
            return
        self._print_views.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self._print_views, suffix=".new")
        with os.fdopen(handle, "wb") as file:
            file.write(pdf)
        Path(temporary).replace(path)


def settled_state(problem: str) -> FileState:
    """Return the state of a file whose stages are done: ``partly`` when the reader could not read all of it."""
    return FileState.PARTLY if problem else FileState.INDEXED


def reason_of(notes: Mapping[Stage, str]) -> str:
    """Return what people are told of a file: what each stage has to say, in the order of the stages."""
    return " ".join(dict.fromkeys(notes[stage] for stage in Stage if notes.get(stage)))


def _notes(parsed: Parsed, left_out: str) -> dict[Stage, str]:
    """What cannot be read stays the text stage's word; what is missing is the word of the stage that will bring it."""
    notes = {Stage.TEXT: " ".join(filter(None, (parsed.problem, left_out)))}
    if parsed.missing:
        notes[Stage.OCR] = parsed.missing
    return {stage: note for stage, note in notes.items() if note}


def in_order(records: Sequence[FileRecord]) -> list[FileRecord]:
    """Return what a person wants first before the rest; the folders take turns.

    In a folder the newest day comes first, and within a day the smallest: what was just put there is ready soonest.
    """
    day_ns = 86_400 * 10**9
    best_first = sorted(records, key=lambda record: (-(record.mtime_ns // day_ns), record.size, record.path))
    turns: Counter[tuple[int, int]] = Counter()
    places: dict[str, tuple[int, int]] = {}
    for record in best_first:
        queue = (record.priority, record.folder_id)
        turns[queue] += 1
        places[record.document] = (-record.priority, turns[queue])
    return sorted(best_first, key=lambda record: places[record.document])


def _work(record: FileRecord) -> int:
    """Return about how much work reading a file is, in bytes: the small ones come first, so counting would mislead."""
    return record.size + _BYTES_PER_FILE
