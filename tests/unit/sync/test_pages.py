"""The page stage: page by page, gone on with after a break, and again only for what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.passwords import Passwords
from desktop_rag.core.types import BBox, Element, ElementKind, Page, SourceFile, Span
from desktop_rag.ingest.page_drawing import ENTRY
from desktop_rag.ingest.workers import ParsePool
from desktop_rag.models.page_pace import PagePace
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.store.pages import PageStore
from desktop_rag.sync.page_sources import DrawnPageSource, WordPages
from desktop_rag.sync.pages import PageStage, PageWork
from desktop_rag.sync.rows import WAITS_FOR_PASSWORD, is_locked
from tests.fixtures.locked_files import lock_pdf
from tests.fixtures.page_looks import PlainPageEmbedder

NO_VECTORS: Mapping[str, NDArray[np.float32]] = {}


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    opened = Catalogue.open(tmp_path / "catalogue.sqlite")
    yield opened
    opened.close()


class Desk:
    """A workspace with what the stage needs."""

    def __init__(self, catalogue: Catalogue, folder: Path) -> None:
        self.catalogue = catalogue
        self.elements = ElementStore(str(folder / "lancedb"), 4)
        self.pages = PageStore(str(folder / "lancedb"))
        self.pace = PagePace(folder / "pace.json")
        self.folder = folder

    def add(self, name: str, texts: list[str]) -> FileRecord:
        """A file of one page a text, whose text stage is done."""
        path = self.folder / name
        path.write_bytes(b"%PDF")
        folder = self.catalogue.folders.add(path.parent, "d")
        record = self.catalogue.files.add(SourceFile(path, name, folder.id, 4, 0))
        self.say(record, texts)
        return self.now(record)

    def say(self, record: FileRecord, texts: list[str]) -> None:
        """Make ``texts`` the pages of a file; an empty one is a page without words."""
        elements = [element(record.document, page, text) for page, text in enumerate(texts, start=1) if text]
        self.elements.replace({record.document: elements}, NO_VECTORS, "m")
        stages = {Stage.TEXT: StageState.DONE, Stage.PAGES: StageState.PENDING}
        sizes = [Page(number, 100, 100) for number in range(1, len(texts) + 1)]
        self.catalogue.files.finish_text(
            record.document, "h", "T", "pdf/2", sizes, len(elements), stages, FileState.INDEXED
        )

    def now(self, record: FileRecord) -> FileRecord:
        found = self.catalogue.files.get(record.document)
        assert found is not None
        return found

    def stage(self, embedder: PlainPageEmbedder, pooling: int = 1) -> PageStage:
        work = PageWork(embedder, pooling, lambda: WordPages(self.catalogue.files, self.elements))
        return PageStage(work, self.catalogue, self.pages, Courtesy(), self.pace)

    def run(
        self, stage: PageStage, job: Job | None = None, report: Callable[[Progress], None] = lambda _: None
    ) -> list[str]:
        stage.claim()
        waiting = [r for r in self.catalogue.files.all() if r.stages.get(Stage.PAGES) is StageState.PENDING]
        done: list[str] = []
        stage.run(waiting, job or Job(), report, done.append)
        return done


@pytest.fixture
def desk(catalogue: Catalogue, tmp_path: Path) -> Desk:
    return Desk(catalogue, tmp_path)


def element(document: str, page: int, text: str) -> Element:
    box = BBox(10, 10, 30, 20)
    name = f"{document}-{page}"
    return Element(
        name, document, page, box, ElementKind.TEXT, text, (Span(0, len(text), box),), "", (), f"{name}{text}"
    )


def test_every_page_is_seen_and_the_file_is_done(desk: Desk) -> None:
    record, embedder = desk.add("a.pdf", ["heat", "pump", ""]), PlainPageEmbedder()
    told: list[Progress] = []

    assert desk.run(desk.stage(embedder), report=told.append) == [record.document]

    assert embedder.seen == [1, 2, 3]
    assert desk.now(record).stages[Stage.PAGES] is StageState.DONE
    assert desk.pages.models() == {"plain-1": 2}  # the empty page is known, and nothing to be found
    assert told[0].detail == "3 pages, less than a minute on this machine, 1 MB"
    assert (told[-1].done, told[-1].total, told[-1].unit) == (3, 3, "pages")


def test_only_pages_that_changed_are_encoded_again(desk: Desk) -> None:
    record = desk.add("a.pdf", ["heat", "pump", "cellar"])
    desk.run(desk.stage(PlainPageEmbedder()))
    desk.say(record, ["heat", "pumps"])

    again = PlainPageEmbedder()
    desk.run(desk.stage(again))

    assert again.seen == [2]
    assert {state.page for state in desk.pages.states("plain-1")} == {1, 2}


def test_the_words_of_a_long_file_are_those_of_their_pages(desk: Desk) -> None:
    texts = [f"word{number}" if number % 5 else "" for number in range(30)]
    record = desk.add("a.pdf", texts)

    contents = list(WordPages(desk.catalogue.files, desk.elements).pages(record))

    said = ["".join(passage.text for passage in content.passages) for content in contents]
    assert [content.number for content in contents] == list(range(1, 31))
    assert said == texts


def test_a_stopped_run_goes_on_where_it_was(desk: Desk) -> None:
    record, job = desk.add("a.pdf", ["one", "two", "three"]), Job()
    first = PlainPageEmbedder(then=lambda page: job.give_way() if page == 2 else None)
    assert desk.run(desk.stage(first), job) == []
    assert desk.now(record).stages[Stage.PAGES] is StageState.PENDING

    second = PlainPageEmbedder()
    assert desk.run(desk.stage(second)) == [record.document]
    assert (first.seen, second.seen) == ([1, 2], [3])


def test_a_cancelled_job_ends_between_two_pages(desk: Desk) -> None:
    desk.add("a.pdf", ["one", "two", "three"])
    job = Job()
    embedder = PlainPageEmbedder(then=lambda page: job.cancel())
    with pytest.raises(CancelledError):
        desk.run(desk.stage(embedder), job)
    assert embedder.seen == [1]


def test_vectors_that_are_not_finite_fail_their_page_by_name_and_no_other(desk: Desk) -> None:
    record = desk.add("a.pdf", ["one", "two", "three"])
    desk.run(desk.stage(PlainPageEmbedder(broken=(2,))))

    after = desk.now(record)
    assert after.stages[Stage.PAGES] is StageState.FAILED
    assert after.state is FileState.PARTLY
    assert "Page 2 could not be looked at" in after.reason
    assert desk.pages.models() == {"plain-1": 2}
    again = PlainPageEmbedder()
    assert desk.run(desk.stage(again)) == []  # not tried for ever
    assert again.seen == []


def test_with_another_model_the_former_serves_until_all_is_seen_again(desk: Desk) -> None:
    desk.add("a.pdf", ["one", "two"])
    desk.run(desk.stage(PlainPageEmbedder("old")))
    job = Job()
    new = PlainPageEmbedder("new", then=lambda page: job.give_way())
    desk.run(desk.stage(new), job)
    assert desk.pages.models() == {"old": 2, "new": 1}

    desk.run(desk.stage(PlainPageEmbedder("new")))
    assert desk.pages.models() == {"new": 2}


def test_a_model_that_cannot_be_loaded_leaves_the_pages_waiting(desk: Desk) -> None:
    record = desk.add("a.pdf", ["one"])
    told: list[Progress] = []
    assert desk.run(desk.stage(PlainPageEmbedder(missing=True)), report=told.append) == []
    assert desk.now(record).stages[Stage.PAGES] is StageState.PENDING
    assert told[-1].detail == "the page model is gone"


def test_a_folder_whose_pages_nobody_wants_is_left_out_and_what_was_seen_goes(desk: Desk) -> None:
    record = desk.add("a.pdf", ["one"])
    desk.run(desk.stage(PlainPageEmbedder()))
    desk.catalogue.folders.set_looks(record.folder_id, False)

    assert desk.run(desk.stage(PlainPageEmbedder())) == []
    assert desk.now(record).stages[Stage.PAGES] is StageState.OFF
    assert desk.pages.documents() == set()

    desk.catalogue.folders.set_looks(record.folder_id, True)
    assert desk.run(desk.stage(PlainPageEmbedder())) == [record.document]


def test_pooling_makes_other_vectors_and_the_estimate_learns(desk: Desk) -> None:
    record = desk.add("a.pdf", ["one", "two"])
    stage = desk.stage(PlainPageEmbedder(), pooling=3)
    assert (stage.estimate().pages, stage.estimate().seconds) == (0 + 2, 4.0)
    desk.run(stage)
    assert list(desk.pages.models()) == ["plain-1-pooled3"]
    desk.say(record, ["three", "four"])
    assert stage.estimate().seconds < 4.0


class LookingEmbedder(PlainPageEmbedder):
    """Looks at pictures, in which it finds nothing."""

    looks = True


@pytest.fixture
def locked(desk: Desk) -> FileRecord:
    """A locked PDF whose text is in the index, and whose password was forgotten."""
    record = desk.add("locked.pdf", ["heat"])
    record.path.unlink()
    lock_pdf(record.path, "heat", "Zwieback-7731-Halyard")
    return record


def test_a_locked_file_waits_for_its_password_and_the_others_are_looked_at(desk: Desk, locked: FileRecord) -> None:
    other, passwords = desk.add("open.pdf", ["pump"]), Passwords()
    lock_pdf(other.path, "pump", "Zwieback-7731-Halyard", owner_only=True)

    def open_source() -> DrawnPageSource:
        views, files = desk.folder / "views", desk.catalogue.files
        return DrawnPageSource(files, views, lambda: ParsePool(1, 60.0, 2048, 160, ENTRY), passwords)

    embedder = LookingEmbedder()
    work = PageWork(embedder, 1, open_source)
    stage = PageStage(work, desk.catalogue, desk.pages, Courtesy(), desk.pace, passwords)
    assert desk.run(stage) == [other.document]

    now = desk.now(locked)
    assert (now.stages[Stage.PAGES], now.state, now.reason) == (
        StageState.PENDING, FileState.PARTLY, WAITS_FOR_PASSWORD,
    )  # fmt: skip
    assert is_locked(now)
    assert stage.estimate().pages == 0  # nothing can be done for it now
    assert desk.run(stage) == []
    assert embedder.seen == [1]

    passwords.give(locked.document, "Zwieback-7731-Halyard")
    assert stage.estimate().pages == 1
    assert desk.run(stage) == [locked.document]
    now = desk.now(locked)
    assert (now.stages[Stage.PAGES], now.state, now.reason) == (StageState.DONE, FileState.INDEXED, "")


def test_a_file_that_waits_for_its_password_says_nothing_of_it_once_nobody_wants_its_pages(
    desk: Desk, locked: FileRecord
) -> None:
    desk.catalogue.files.update(
        locked.document, notes={Stage.PAGES: WAITS_FOR_PASSWORD}, reason=WAITS_FOR_PASSWORD, state=FileState.PARTLY
    )
    desk.catalogue.folders.set_looks(locked.folder_id, False)
    desk.run(desk.stage(PlainPageEmbedder()))
    now = desk.now(locked)
    assert (now.stages[Stage.PAGES], now.state, now.reason) == (StageState.OFF, FileState.INDEXED, "")
