"""Page vectors and the ledger: where they disagree is seen, and mended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.paths import WorkspacePaths
from desktop_rag.core.types import Page, PagePicture, SourceFile
from desktop_rag.doctor import check_agreement
from desktop_rag.repair import mend
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.store.page_schema import StoredPage
from desktop_rag.store.pages import PAGES_FOLDER, PageStore
from desktop_rag.store.pictures import KeptPictures, PictureKey
from desktop_rag.sync.housekeeping import Housekeeping

DIMENSIONS = 4


class Desk:
    """A workspace of files with pages and no elements."""

    def __init__(self, root: Path) -> None:
        self.paths = WorkspacePaths("w", root)
        root.mkdir()
        self.catalogue = Catalogue.open(self.paths.catalogue)
        elements = ElementStore(self.paths.elements_uri, DIMENSIONS)
        self.pages = PageStore(self.paths.elements_uri)
        self.pictures = KeptPictures(self.paths.pictures, 1_000_000)
        self.keeper = Housekeeping(self.catalogue, elements, self.pages, self.pictures, self.paths.print_views)

    def add(self, name: str, pages: int, looked_at: StageState = StageState.DONE) -> FileRecord:
        """A PDF of ``pages`` pages, all of which were seen."""
        folder = self.catalogue.folders.add(self.paths.root / "d", "d")
        record = self.catalogue.files.add(SourceFile(folder.path / name, name, folder.id, 4, 0))
        stages = {Stage.TEXT: StageState.DONE, Stage.PAGES: looked_at}
        sizes = [Page(number, 100, 100) for number in range(1, pages + 1)]
        self.catalogue.files.finish_text(record.document, "h", "T", "pdf/2", sizes, 0, stages, FileState.INDEXED)
        self.see(record.document, range(1, pages + 1))
        return self.now(record)

    def see(self, document: str, numbers: range, model: str = "m") -> None:
        """Store vectors of pages."""
        seen, cells = np.ones((2, DIMENSIONS), np.float16), np.array([[0, 0], [0, 1]], np.int16)
        self.pages.put([StoredPage(document, number, model, "digest", seen, cells) for number in numbers])

    def now(self, record: FileRecord) -> FileRecord:
        found = self.catalogue.files.get(record.document)
        assert found is not None
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "w")
    yield made
    made.catalogue.close()


def test_pages_that_were_seen_agree_with_the_ledger(desk: Desk) -> None:
    desk.add("a.pdf", 3)
    desk.add("b.pdf", 2, StageState.FAILED)
    assert desk.keeper.check().sound
    assert desk.keeper.mend() == ()


def test_page_vectors_of_a_file_that_the_ledger_does_not_know_are_found_and_taken_out(desk: Desk) -> None:
    kept = desk.add("a.pdf", 2)
    desk.see("gone", range(1, 4))

    assert desk.keeper.check().stray_pages == 1
    assert "1 with stray page vectors" in check_agreement(desk.keeper.check()).detail

    (said,) = desk.keeper.mend()
    assert "1 documents" in said
    assert desk.keeper.check().sound
    assert desk.pages.documents() == {kept.document}


def test_vectors_of_pages_that_a_file_does_not_have_are_taken_out(desk: Desk) -> None:
    record = desk.add("a.pdf", 2)
    desk.see(record.document, range(3, 6))

    assert desk.keeper.check().stray_pages == 1
    desk.keeper.mend()
    assert desk.keeper.check().sound
    assert sorted(state.page for state in desk.pages.states("m")) == [1, 2]


def test_lost_page_vectors_are_found_and_the_file_is_looked_at_again(desk: Desk) -> None:
    record, other = desk.add("a.pdf", 3), desk.add("b.pdf", 1)
    desk.pages.keep_pages(record.document, 1)

    assert desk.keeper.check().missing_pages == 1
    assert "1 with lost page vectors" in check_agreement(desk.keeper.check()).detail

    (said,) = desk.keeper.mend()
    assert "looked at again" in said
    assert desk.now(record).stages[Stage.PAGES] is StageState.PENDING
    assert desk.now(other).stages[Stage.PAGES] is StageState.DONE


def test_a_file_that_waits_to_be_looked_at_is_no_disagreement(desk: Desk) -> None:
    waiting = desk.add("a.pdf", 3, StageState.PENDING)
    desk.pages.remove([waiting.document])
    shorter = desk.add("b.pdf", 1, StageState.PENDING)
    desk.see(shorter.document, range(2, 4))
    assert desk.keeper.check().sound


def test_a_page_counts_as_seen_when_one_model_has_seen_all(desk: Desk) -> None:
    record = desk.add("a.pdf", 3)
    desk.see(record.document, range(1, 2), model="another")
    assert desk.keeper.check().sound


def test_a_damaged_page_index_is_kept_aside_and_the_pages_wait(desk: Desk) -> None:
    record = desk.add("a.pdf", 2)
    desk.pages.close()
    for path in Path(desk.paths.elements_uri, PAGES_FOLDER, "data").iterdir():
        path.write_bytes(b"\xff" * 64)

    (said,) = mend(desk.paths, DIMENSIONS)

    assert "page index was damaged" in said
    (aside,) = desk.paths.root.glob("damaged-*")
    assert (aside / PAGES_FOLDER / "data").is_dir()
    desk.keeper.mend()
    assert desk.now(record).stages[Stage.PAGES] is StageState.PENDING


def test_pictures_of_a_file_that_the_ledger_does_not_know_are_found_and_taken_out(desk: Desk) -> None:
    record = desk.add("a.pdf", 1)
    for document in (record.document, "gone"):
        key = PictureKey(document, Path("a.pdf"), 1, 2, 1, 2.0)
        desk.pictures.put(key, PagePicture(b"png", 1, 1, Page(1, 100, 100), 1))

    assert desk.keeper.check().stray_pictures == 1
    desk.keeper.mend()
    assert desk.keeper.check().sound
    assert desk.pictures.documents() == {record.document}
