"""Later stages in pieces: committed one by one, gone on with after a break, and failing piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.types import BBox, Element, ElementKind, Page, SourceFile, Span
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.parse import ParseFailure
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord, PartRecord
from desktop_rag.sync.later import LaterStage, LaterWork
from desktop_rag.sync.recognition import recognition_note

OCR = Stage.OCR
WAITS = "Its pages are scans."


class Pool:
    """Answers each part at once; ``broken`` first pages fail, and ``then`` is called before each answer."""

    processes = 1

    def __init__(self, broken: Sequence[int] = (), then: Callable[[int], None] = lambda _: None) -> None:
        self.asked: list[int] = []
        self.closed = 0
        self._broken = broken
        self._then = then

    def submit_part(
        self, document: str, path: Path, part: Part, passwords: tuple[str, ...] = ()
    ) -> Future[PartRead | ParseFailure]:
        self.asked.append(part.first)
        self._then(part.first)
        future: Future[PartRead | ParseFailure] = Future()
        if part.first in self._broken:
            future.set_result(ParseFailure(FileState.FAILED, f"{path.name} crashed the reader.", ""))
        else:
            pages = range(part.first, part.last + 1)
            found = tuple(element(document, page, f"Recognised on page {page}") for page in pages)
            future.set_result(PartRead(found, len(found), doubtful=1))
        return future

    def close(self) -> None:
        self.closed += 1


class Embedder:
    """Never asked for a vector here; only its fingerprint counts."""

    fingerprint = "model"
    dimensions = 4


def element(document: str, page: int, text: str, kind: ElementKind = ElementKind.SCAN) -> Element:
    box = BBox(0, 0, 10, 10)
    name = f"{document}-{page}-{text}"
    return Element(name, document, page, box, kind, text, (Span(0, len(text), box),), "T", (), f"h-{name}")


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    opened = Catalogue.open(tmp_path / "catalogue.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def store(tmp_path: Path) -> ElementStore:
    return ElementStore(str(tmp_path / "elements"), 4)


def read_file(catalogue: Catalogue, store: ElementStore, path: Path, pages: int = 10) -> FileRecord:
    """A file whose text stage is done, with an element on page 1 that came with it and has its vector."""
    path.write_bytes(b"%PDF")
    folder = catalogue.folders.add(path.parent, "d")
    record = catalogue.files.add(SourceFile(path, path.name, folder.id, 4, 0))
    text = element(record.document, 1, "Typed", ElementKind.TEXT)
    vectors: Mapping[str, NDArray[np.float32]] = {text.content_hash: np.ones(4, dtype=np.float32)}
    store.replace({record.document: [text]}, vectors, "model")
    stages = {Stage.TEXT: StageState.DONE, Stage.VECTORS: StageState.DONE, OCR: StageState.PENDING}
    sizes = [Page(number, 100, 100) for number in range(1, pages + 1)]
    catalogue.files.finish_text(
        record.document, "h", "T", "pdf/2", sizes, 1, stages, FileState.PARTLY, WAITS, {OCR: WAITS}
    )
    return now(catalogue, record)


def now(catalogue: Catalogue, record: FileRecord) -> FileRecord:
    found = catalogue.files.get(record.document)
    assert found is not None
    return found


def stage(catalogue: Catalogue, store: ElementStore, pool: Pool) -> LaterStage:
    work = LaterWork(OCR, "Recognising text", 4, 2, lambda: pool, recognition_note)
    return LaterStage(work, catalogue, store, Embedder())


def run(later: LaterStage, records: Sequence[FileRecord], job: Job | None = None) -> tuple[list[Progress], list[str]]:
    seen: list[Progress] = []
    finished: list[str] = []
    later.run(records, job or Job(), seen.append, finished.append)
    return seen, finished


def texts(store: ElementStore, record: FileRecord) -> list[str]:
    return [one.text for one in store.of_document(record.document)]


def test_what_is_found_joins_what_was_there_page_by_page(
    catalogue: Catalogue, store: ElementStore, tmp_path: Path
) -> None:
    record, pool = read_file(catalogue, store, tmp_path / "a.pdf"), Pool()

    seen, finished = run(stage(catalogue, store, pool), [record])

    assert pool.asked == [1, 5, 9]
    assert texts(store, record) == ["Typed", *(f"Recognised on page {page}" for page in range(1, 11))]
    after = now(catalogue, record)
    assert (after.elements, after.stages[OCR], after.stages[Stage.VECTORS]) == (11, StageState.DONE, StageState.PENDING)
    assert len(store.without_vectors("model")) == 10  # what was there kept its vector
    assert [(one.done, one.total, one.unit, one.stage) for one in seen][-1] == (10, 10, "pages", "Recognising text")
    assert finished == [record.document]
    assert pool.closed == 1


def test_the_ledger_says_that_words_may_be_wrong(catalogue: Catalogue, store: ElementStore, tmp_path: Path) -> None:
    record = read_file(catalogue, store, tmp_path / "a.pdf")
    run(stage(catalogue, store, Pool()), [record])
    after = now(catalogue, record)
    assert (after.state, after.notes[OCR]) == (FileState.PARTLY, after.reason)
    assert after.reason == "The text of 3 of 10 pages was recognised from pictures; some words may be wrong."


def test_work_goes_on_where_it_was_broken_off(catalogue: Catalogue, store: ElementStore, tmp_path: Path) -> None:
    record, job = read_file(catalogue, store, tmp_path / "a.pdf", pages=20), Job()
    broken_off = Pool(then=lambda first: job.cancel() if first == 13 else None)
    with pytest.raises(CancelledError):
        run(stage(catalogue, store, broken_off), [record], job)
    assert broken_off.closed == 1
    half = now(catalogue, record)
    assert half.stages[OCR] is StageState.PENDING
    assert half.reason == WAITS
    done = [part.first for part in catalogue.files.parts(record.document, OCR)]
    assert 1 in done
    assert 17 not in done

    pool = Pool()
    run(stage(catalogue, store, pool), [half])

    assert not set(pool.asked) & set(done)
    assert len(texts(store, record)) == 21
    assert now(catalogue, record).elements == 21


def test_work_that_gives_way_keeps_what_it_did_and_waits(
    catalogue: Catalogue, store: ElementStore, tmp_path: Path
) -> None:
    record, job = read_file(catalogue, store, tmp_path / "a.pdf", pages=20), Job()
    pool = Pool(then=lambda first: job.give_way() if first == 5 else None)

    _, finished = run(stage(catalogue, store, pool), [record], job)

    assert finished == []
    assert 17 not in pool.asked
    assert [part.first for part in catalogue.files.parts(record.document, OCR)] == pool.asked
    assert now(catalogue, record).stages[OCR] is StageState.PENDING
    assert pool.closed == 1


def test_a_piece_that_was_committed_but_not_noted_is_not_there_twice(
    catalogue: Catalogue, store: ElementStore, tmp_path: Path
) -> None:
    record = read_file(catalogue, store, tmp_path / "a.pdf", pages=2)
    store.add(record.document, [element(record.document, 1, "Recognised on page 1")], {}, "model")

    run(stage(catalogue, store, Pool()), [record])

    assert texts(store, record) == ["Typed", "Recognised on page 1", "Recognised on page 2"]


def test_a_piece_that_fails_is_named_and_the_others_are_done(
    catalogue: Catalogue, store: ElementStore, tmp_path: Path
) -> None:
    record, pool = read_file(catalogue, store, tmp_path / "a.pdf"), Pool(broken=[5])

    run(stage(catalogue, store, pool), [record])

    after = now(catalogue, record)
    assert (after.stages[OCR], after.state) == (StageState.FAILED, FileState.PARTLY)
    assert "The text of pages 5 to 8 could not be recognised: a.pdf crashed the reader." in after.reason
    assert "Recognised on page 9" in texts(store, record)
    assert "Recognised on page 6" not in texts(store, record)


def test_a_file_of_which_every_piece_fails_is_given_up(
    catalogue: Catalogue, store: ElementStore, tmp_path: Path
) -> None:
    record = read_file(catalogue, store, tmp_path / "a.pdf", pages=400)
    other = read_file(catalogue, store, tmp_path / "b.pdf", pages=1)
    pool = Pool(broken=range(1, 400))

    run(stage(catalogue, store, pool), [record])

    assert len(pool.asked) <= 4
    assert now(catalogue, record).stages[OCR] is StageState.FAILED
    assert now(catalogue, other).stages[OCR] is StageState.PENDING


def test_a_file_that_cannot_be_reached_now_waits_on(catalogue: Catalogue, store: ElementStore, tmp_path: Path) -> None:
    record, pool = read_file(catalogue, store, tmp_path / "a.pdf"), Pool()
    record.path.unlink()

    assert run(stage(catalogue, store, pool), [record]) == ([], [])

    assert pool.asked == []
    assert now(catalogue, record).stages[OCR] is StageState.PENDING


def test_a_document_that_is_taken_out_meanwhile_leaves_nothing(
    catalogue: Catalogue, store: ElementStore, tmp_path: Path
) -> None:
    record = read_file(catalogue, store, tmp_path / "a.pdf", pages=3)

    def take_out(_: int) -> None:
        store.remove([record.document])
        catalogue.files.remove([record.document])

    run(stage(catalogue, store, Pool(then=take_out)), [record])

    assert store.count() == 0


def test_reading_a_file_anew_forgets_its_parts(catalogue: Catalogue, store: ElementStore, tmp_path: Path) -> None:
    record = read_file(catalogue, store, tmp_path / "a.pdf")
    catalogue.files.finish_part(record.document, OCR, PartRecord(1, 4, 0), elements=5)
    assert now(catalogue, record).elements == 5

    read_file(catalogue, store, tmp_path / "a.pdf")

    assert catalogue.files.parts(record.document, OCR) == ()
