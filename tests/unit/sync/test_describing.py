"""Figures are described one by one: kept by picture and model, gone on with after a break, and never for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import BBox, Element, ElementKind, Page, SourceFile, Span
from desktop_rag.ingest.figures.output import with_hash
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.parse import ParseFailure
from desktop_rag.models.vision import VisionFiles
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord, PartRecord
from desktop_rag.sync import describing
from desktop_rag.sync.describing import DescriptionStage
from desktop_rag.sync.illustration import illustration
from desktop_rag.sync.later import LaterStage
from tests.fixtures.tiny_vision import write_vision_model

FIGURES = Stage.FIGURES


class Pool:
    """Says of each figure where it stands; ``broken`` tops are failed at, ``then`` is called before each answer."""

    def __init__(self, broken: Sequence[float] = (), then: Callable[[], None] = lambda: None) -> None:
        self.asked: list[float] = []
        self._broken = broken
        self._then = then

    def submit_part(
        self, document: str, path: Path, part: Part, password: str | None
    ) -> Future[PartRead | ParseFailure]:
        assert part.place is not None
        self.asked.append(part.place.y0)
        self._then()
        future: Future[PartRead | ParseFailure] = Future()
        if part.place.y0 in self._broken:
            future.set_result(ParseFailure(FileState.FAILED, "The vision model crashed.", ""))
        else:
            future.set_result(PartRead((), 1, description=f"A chart at {part.place.y0:.0f}"))
        return future

    def close(self) -> None:
        pass


class Embedder:
    """Only its fingerprint counts here."""

    fingerprint = "model"
    dimensions = 4


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    opened = Catalogue.open(tmp_path / "catalogue.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def store(tmp_path: Path) -> ElementStore:
    return ElementStore(str(tmp_path / "elements"), 4)


@pytest.fixture
def vision(tmp_path: Path) -> VisionFiles:
    return write_vision_model(tmp_path)


def figure(document: str, top: float, picture: str) -> Element:
    box = BBox(0, top, 100, top + 50)
    text = f"Figure {top:.0f}"
    spans = (Span(0, len(text), box),)
    name = f"{document}-{top}"
    made = Element(name, document, 1, box, ElementKind.FIGURE, text, spans, "T", (), "", picture=picture)
    return with_hash(made)


def found_file(catalogue: Catalogue, store: ElementStore, path: Path, tops: Sequence[float]) -> FileRecord:
    """A file whose figures are found, each with a picture of its own, and wait for their descriptions."""
    path.write_bytes(b"%PDF")
    folder = catalogue.folders.add(path.parent, "d")
    record = catalogue.files.add(SourceFile(path, path.name, folder.id, 4, 0))
    store.replace({record.document: [figure(record.document, top, f"p{top}") for top in tops]}, {}, "model")
    stages = {Stage.TEXT: StageState.DONE, Stage.VECTORS: StageState.DONE, FIGURES: StageState.PENDING}
    page = Page(1, 100, 100)
    catalogue.files.finish_text(record.document, "hash", "T", "pdf/1", [page], len(tops), stages, FileState.INDEXED)
    catalogue.files.finish_part(record.document, FIGURES, PartRecord(1, 1, 0))
    return read(catalogue, record)


def read(catalogue: Catalogue, record: FileRecord) -> FileRecord:
    found = catalogue.files.get(record.document)
    assert found is not None
    return found


Describe = Callable[..., list[Progress]]


@pytest.fixture
def describe(
    catalogue: Catalogue, store: ElementStore, vision: VisionFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Describe:
    """Run the stage over some files with a pool; return what it reported."""

    def run(records: Sequence[FileRecord], pool: Pool, job: Job | None = None) -> list[Progress]:
        monkeypatch.setattr(describing, "ParsePool", lambda *args, **options: pool)
        settings = Settings()
        finding = LaterStage(illustration(settings, tmp_path, described=True), catalogue, store, Embedder())
        stage = DescriptionStage(vision, settings, catalogue, store, finding)
        stage.reopen()
        reports: list[Progress] = []
        waiting = [read(catalogue, record) for record in records]
        waiting = [record for record in waiting if record.stages[FIGURES] is StageState.PENDING]
        stage.run(waiting, job or Job(), reports.append, lambda _: None)
        return reports

    return run


def descriptions(store: ElementStore, record: FileRecord) -> dict[float, str]:
    return {element.bbox.y0: element.described for element in store.of_document(record.document)}


def test_each_figure_gets_its_description_and_waits_for_a_new_vector(
    catalogue: Catalogue, store: ElementStore, describe: Describe, tmp_path: Path
) -> None:
    record = found_file(catalogue, store, tmp_path / "a.pdf", (10, 60))
    before = {element.content_hash for element in store.of_document(record.document)}

    reports = describe([record], Pool())

    assert descriptions(store, record) == {10: "A chart at 10", 60: "A chart at 60"}
    assert [(report.done, report.total, report.unit) for report in reports] == [(1, 2, "figures"), (2, 2, "figures")]
    after = read(catalogue, record)
    assert (after.stages[FIGURES], after.stages[Stage.VECTORS]) == (StageState.DONE, StageState.PENDING)
    assert not before & {element.content_hash for element in store.of_document(record.document)}
    assert len(store.without_vectors("model")) == 2
    assert [hit.element.bbox.y0 for hit in store.search_keyword("chart 60", 5)][:1] == [60]


def test_a_picture_is_described_once_however_often_it_occurs(
    catalogue: Catalogue, store: ElementStore, describe: Describe, tmp_path: Path
) -> None:
    first = found_file(catalogue, store, tmp_path / "a.pdf", (10,))
    second = found_file(catalogue, store, tmp_path / "copy.pdf", (10,))
    pool = Pool()
    describe([first, second], pool)
    assert pool.asked == [10]
    assert descriptions(store, first) == descriptions(store, second) == {10: "A chart at 10"}


def test_another_model_describes_anew(
    catalogue: Catalogue, store: ElementStore, describe: Describe, vision: VisionFiles, tmp_path: Path
) -> None:
    record = found_file(catalogue, store, tmp_path / "a.pdf", (10,))
    describe([record], Pool())
    again = Pool()
    describe([record], again)
    assert again.asked == []

    vision.model.write_bytes(vision.model.read_bytes() + b"\0")
    describe([record], again)
    assert again.asked == [10]


def test_it_gives_way_after_the_figure_at_hand_and_goes_on_later(
    catalogue: Catalogue, store: ElementStore, describe: Describe, tmp_path: Path
) -> None:
    record = found_file(catalogue, store, tmp_path / "a.pdf", (10, 60, 110))
    job = Job()
    describe([record], Pool(then=job.give_way), job)
    assert descriptions(store, record) == {10: "A chart at 10", 60: "", 110: ""}
    assert read(catalogue, record).stages[FIGURES] is StageState.PENDING

    pool = Pool()
    describe([record], pool)
    assert pool.asked == [60, 110]
    assert read(catalogue, record).stages[FIGURES] is StageState.DONE


def test_a_stop_keeps_what_is_done(
    catalogue: Catalogue, store: ElementStore, describe: Describe, tmp_path: Path
) -> None:
    record = found_file(catalogue, store, tmp_path / "a.pdf", (10, 60))
    job = Job()
    with pytest.raises(CancelledError):
        describe([record], Pool(then=job.cancel), job)
    assert descriptions(store, record)[10] == "A chart at 10"


def test_a_picture_at_which_a_sound_model_fails_is_not_tried_again(
    catalogue: Catalogue, store: ElementStore, describe: Describe, tmp_path: Path
) -> None:
    record = found_file(catalogue, store, tmp_path / "a.pdf", (10, 60))
    describe([record], Pool(broken=(60,)))
    assert read(catalogue, record).stages[FIGURES] is StageState.DONE
    again = Pool()
    describe([record], again)
    assert again.asked == []


def test_a_model_that_fails_at_everything_is_given_up_and_the_figures_wait(
    catalogue: Catalogue, store: ElementStore, describe: Describe, tmp_path: Path
) -> None:
    tops = (10, 60, 110, 160, 210)
    record = found_file(catalogue, store, tmp_path / "a.pdf", tops)
    pool = Pool(broken=tops)
    describe([record], pool)
    assert pool.asked == [10, 60, 110]
    assert read(catalogue, record).stages[FIGURES] is StageState.PENDING

    describe([record], Pool())
    assert set(descriptions(store, record).values()) == {f"A chart at {top}" for top in tops}


def test_a_missing_model_leaves_everything_as_it_is(
    catalogue: Catalogue, store: ElementStore, describe: Describe, vision: VisionFiles, tmp_path: Path
) -> None:
    record = found_file(catalogue, store, tmp_path / "a.pdf", (10,))
    vision.projector.unlink()
    pool = Pool()
    describe([record], pool)
    assert pool.asked == []
    assert read(catalogue, record).stages[FIGURES] is StageState.PENDING
