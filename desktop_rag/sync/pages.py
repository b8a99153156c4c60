"""The page stage: what each page says where, or looks like, as vectors. The last one, as it can be the slowest."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import CancelledError, ModelError, NeedsPasswordError
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.log import get_logger
from desktop_rag.core.passwords import Passwords
from desktop_rag.core.reports import PageEstimate
from desktop_rag.models.page_embedder import PageContent, PageEmbedder, Vectors, checked_vectors
from desktop_rag.models.page_pace import PagePace
from desktop_rag.models.page_pooling import pooled
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.files import FileRecord
from desktop_rag.store.page_schema import Halves, PageState, StoredPage
from desktop_rag.store.pages import PageStore
from desktop_rag.sync.page_sources import PageSource, Unseen
from desktop_rag.sync.reading import in_order, reason_of, settled_state
from desktop_rag.sync.rows import WAITS_FOR_PASSWORD

_log = get_logger(__name__)
_DOING = "Looking at pages"
_BATCH_PAGES = 64
_BATCH_SECONDS = 3.0
"""What a closed lid costs at most, apart from the page at hand."""

_UNREAD = (FileState.FAILED, FileState.UNSUPPORTED, FileState.NEEDS_PASSWORD, FileState.IGNORED)
_READ = (FileState.WORKING, FileState.PARTLY, FileState.INDEXED)


@dataclass(frozen=True, slots=True)
class PageWork:
    """Who looks at the pages: ``pooling`` keeps one vector of so many; ``open_source`` gives the pages out."""

    embedder: PageEmbedder
    pooling: int
    open_source: Callable[[], PageSource]

    @property
    def model(self) -> str:
        """What the vectors go by in the index."""
        return page_model(self.embedder, self.pooling)


def page_model(embedder: PageEmbedder, pooling: int) -> str:
    """Return the name under which vectors of ``embedder`` are stored: pooled ones are others."""
    return embedder.fingerprint if pooling <= 1 else f"{embedder.fingerprint}-pooled{pooling}"


@dataclass(slots=True)
class _Batch:
    pages: list[StoredPage] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    encoded: int = 0
    seconds: float = 0.0

    @property
    def full(self) -> bool:
        return len(self.pages) >= _BATCH_PAGES or time.monotonic() - self.started > _BATCH_SECONDS


class PageStage:
    """Looks at the pages of files, one by one; whatever was seen before and did not change is left as it is."""

    stage = Stage.PAGES

    def __init__(
        self,
        work: PageWork,
        catalogue: Catalogue,
        pages: PageStore,
        courtesy: Courtesy,
        pace: PagePace,
        passwords: Passwords | None = None,
    ) -> None:
        self._passwords = passwords or Passwords()
        self._work = work
        self._catalogue = catalogue
        self._pages = pages
        self._courtesy = courtesy
        self._pace = pace

    def claim(self) -> None:
        """Bring the ledger in step with what this model has seen and what people want, before anything is done.

        Files of a folder whose pages shall not be looked at are ``off``, and what was seen of them goes; files that
        this model has not seen whole wait for it.
        """
        seen: dict[str, int] = {}
        for state in self._pages.states(self._work.model):
            seen[state.document] = seen.get(state.document, 0) + 1
        wanted = {folder.id for folder in self._catalogue.folders.all() if folder.looks}
        unwanted = []
        for record in self._catalogue.files.all():
            now = record.stages.get(Stage.PAGES, StageState.OFF)
            if record.folder_id not in wanted or record.state in _UNREAD:
                unwanted.append(record.document)
                self._leave_out(record)
            elif now is not StageState.PENDING and _is_read(record) and seen.get(record.document, 0) < record.pages:
                self._set(record, StageState.PENDING)
        self._pages.remove(unwanted)

    def estimate(self, folder_id: int | None = None) -> PageEstimate:
        """Return what waits, and what it will cost on this machine.

        With a folder: all of its pages that are not looked at yet, also where nobody wants that now.
        """
        records = [record for record in self._catalogue.files.all() if not self._waits_for_password(record)]
        if folder_id is None:
            waiting = [record for record in records if record.stages.get(Stage.PAGES) is StageState.PENDING]
        else:
            done = (StageState.DONE, StageState.FAILED)
            mine = [record for record in records if record.folder_id == folder_id and _is_read(record)]
            waiting = [record for record in mine if record.stages.get(Stage.PAGES) not in done]
        return self.cost_of(self._work.embedder, self._work.pooling, sum(record.pages for record in waiting))

    def cost_of(self, embedder: PageEmbedder, pooling: int, pages: int | None = None) -> PageEstimate:
        """Return what ``embedder`` would cost here for so many pages; by default all of the folders that want it."""
        if pages is None:
            wanted = {folder.id for folder in self._catalogue.folders.all() if folder.looks}
            read = (record for record in self._catalogue.files.all() if _is_read(record))
            pages = sum(record.pages for record in read if record.folder_id in wanted)
        cost = self._pace.of(page_model(embedder, pooling), embedder.cost)
        return PageEstimate(embedder.name, pages, pages * cost.seconds, pages * cost.bytes)

    def run(
        self,
        records: Sequence[FileRecord],
        job: Job,
        report: Callable[[Progress], None],
        finished: Callable[[str], None],
    ) -> None:
        """Look at the pages of ``records``, the newest and smallest files first; ``finished`` hears of each one done.

        When the job gives way, this ends after the page at hand. Raises CancelledError when the job ends; pages that
        were seen by then stay seen. With a model that cannot be loaded all of them wait for the next sync, and a locked
        file waits until its password is known again.
        """
        reachable = [record for record in in_order(records) if self._can_be_opened(record)]
        if not reachable:
            return
        total, done = sum(record.pages for record in reachable), 0
        report(Progress(0, total, "pages", _DOING, self.estimate().sentence()))
        source = self._work.open_source()
        try:
            with ThreadPoolExecutor(1, "pages", initializer=self._courtesy.take_place) as thread:
                for record in reachable:
                    visit = _Visit(record, source, thread, job, _counted(report, done, total, record))
                    try:
                        if not self._visit(visit):
                            return
                        finished(record.document)
                    except NeedsPasswordError:
                        self._wait_for_password(record.document)
                    done += record.pages
        except ModelError as error:
            _log.error("pages wait: the page model cannot be used")
            report(Progress(done, total, "pages", "Pages wait", str(error)))
        finally:
            source.close()
            if self._work.embedder.looks:
                self._work.embedder.close()
        self._forget_others()

    def _can_be_opened(self, record: FileRecord) -> bool:
        """Return whether there is something to look at; who looks at words needs no file."""
        return not self._work.embedder.looks or (not self._waits_for_password(record) and record.path.exists())

    def _waits_for_password(self, record: FileRecord) -> bool:
        noted = self._work.embedder.looks and record.notes.get(Stage.PAGES) == WAITS_FOR_PASSWORD
        return noted and not self._passwords.of(record.document)

    def _leave_out(self, record: FileRecord) -> None:
        """Nobody wants its pages, so nothing is to be said of them either."""
        said = Stage.PAGES in record.notes and record.state in _READ
        others: dict[Stage, str] = {stage: note for stage, note in record.notes.items() if stage is not Stage.PAGES}
        self._set(record, StageState.OFF, others if said else None)

    def _wait_for_password(self, document: str) -> None:
        """Say so; the stage stays pending, and goes on when somebody enters the password."""
        record = self._catalogue.files.get(document)
        if record is not None:
            self._set(record, StageState.PENDING, {**record.notes, Stage.PAGES: WAITS_FOR_PASSWORD})

    def _visit(self, visit: _Visit) -> bool:
        """Look at a file's pages that are new or changed; return whether all are done.

        Raises NeedsPasswordError for a file that is locked now.
        """
        record = visit.record
        known = {state.page: state for state in self._pages.states(self._work.model, record.document)}
        batch = _Batch()
        for number, content in enumerate(visit.source.pages(record), start=1):
            self._courtesy.wait(visit.job)
            if not _is_same(known.get(number), content):
                batch.pages.append(self._seen(visit, content, batch))
            if batch.full:
                self._courtesy.stand_still()
                batch = self._commit(batch)
            visit.counted(number)
            if visit.job.giving_way and number < record.pages:
                self._commit(batch)
                return False
        self._commit(batch)
        self._finish(record)
        return True

    def _seen(self, visit: _Visit, content: PageContent | Unseen, batch: _Batch) -> StoredPage:
        document, model = visit.record.document, self._work.model
        if isinstance(content, Unseen):
            return _nothing(document, content.number, model, "", content.failure)
        started = time.perf_counter()
        try:
            made = visit.thread.submit(self._work.embedder.encode_page, content).result()
            made = pooled(checked_vectors(made, content.number, visit.record.path.name), self._work.pooling)
        except (ModelError, CancelledError):
            raise
        except Exception as error:  # a page that trips up the model is data, not the end of the batch
            _log.info("document %s, page %d: the page model failed", document, content.number)
            failure = f"Page {content.number} could not be looked at ({type(error).__name__})."
            return _nothing(document, content.number, model, content.digest, failure)
        batch.encoded += 1
        batch.seconds += time.perf_counter() - started
        if not len(made.vectors):
            return _nothing(document, content.number, model, content.digest, "")
        return StoredPage(document, content.number, model, content.digest, _halves(made.vectors), made.cells)

    def _commit(self, batch: _Batch) -> _Batch:
        """Store the pages of a batch whose file is still known, and return an empty one."""
        kept = [page for page in batch.pages if self._catalogue.files.get(page.document) is not None]
        self._pages.put(kept)
        self._pace.add(self._work.model, batch.encoded, batch.seconds, sum(page.vectors.nbytes for page in kept))
        return _Batch()

    def _finish(self, started: FileRecord) -> None:
        record = self._catalogue.files.get(started.document)
        if record is None:
            self._pages.remove([started.document])
            return
        self._pages.keep_pages(record.document, record.pages)
        states = self._pages.states(self._work.model, record.document)
        notes = {**record.notes, Stage.PAGES: page_note(states)}
        self._set(record, StageState.FAILED if notes[Stage.PAGES] else StageState.DONE, notes)

    def _set(self, record: FileRecord, state: StageState, notes: Mapping[Stage, str] | None = None) -> None:
        if record.stages.get(Stage.PAGES) is state and notes is None:
            return
        stages = {**record.stages, Stage.PAGES: state}
        if notes is None:
            self._catalogue.files.update(record.document, stages=stages)
            return
        reason = reason_of(notes)
        settled = record.state if record.state is FileState.WORKING else settled_state(reason)
        self._catalogue.files.update(record.document, stages=stages, notes=notes, reason=reason, state=settled)

    def _forget_others(self) -> None:
        """What other models saw serves until this one has seen everything."""
        records = self._catalogue.files.all()
        if not any(record.stages.get(Stage.PAGES) is StageState.PENDING for record in records):
            self._pages.keep_model(self._work.model)


@dataclass(frozen=True, slots=True)
class _Visit:
    """A file whose pages are looked at, in ``thread``; ``counted`` hears the number of each page that is done."""

    record: FileRecord
    source: PageSource
    thread: ThreadPoolExecutor
    job: Job
    counted: Callable[[int], None]


def page_note(states: Sequence[PageState]) -> str:
    """Say which pages could not be looked at; empty if all is well."""
    failures = sorted((state.page, state.failure) for state in states if state.failure)
    if not failures:
        return ""
    more = f" (and {len(failures) - 1:,} more)" if len(failures) > 1 else ""
    return f"{failures[0][1].rstrip('.')}{more}; its words are found all the same."


def _counted(report: Callable[[Progress], None], done: int, total: int, record: FileRecord) -> Callable[[int], None]:
    def counted(number: int) -> None:
        report(Progress(done + number, total, "pages", _DOING, record.path.name))

    return counted


def _is_read(record: FileRecord) -> bool:
    return record.state in _READ and record.stages.get(Stage.TEXT) is StageState.DONE


def _is_same(known: PageState | None, content: PageContent | Unseen) -> bool:
    if known is None:
        return False
    return known.failure == content.failure if isinstance(content, Unseen) else known.digest == content.digest


def _nothing(document: str, page: int, model: str, digest: str, failure: str) -> StoredPage:
    none, no_cells = np.zeros((0, 0), np.float16), np.zeros((0, 0), np.int16)
    return StoredPage(document, page, model, digest, none, no_cells, failure)


def _halves(vectors: Vectors) -> Halves:
    halves: Halves = vectors.astype(np.float16)
    return halves
