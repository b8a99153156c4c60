"""The catalogue on a real SQLite file: folders, files, pages, vectors, and the file itself."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from desktop_rag.core.errors import NewerDataError, UserFacingError
from desktop_rag.core.ledger import FileState, FolderState, Stage, StageState
from desktop_rag.core.types import Page
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.database import Database
from desktop_rag.store.migrations import MIGRATIONS, Migration, migrate
from tests.unit.store.make import source, vector

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "work space #1" / "catalogue.sqlite"


@pytest.fixture
def catalogue(path: Path) -> Catalogue:
    return Catalogue.open(path)


def test_a_folder_is_added_once_and_keeps_its_id(catalogue: Catalogue, tmp_path: Path) -> None:
    first = catalogue.folders.add(tmp_path / "docs", "docs")
    file = tmp_path / "one.pdf"
    file.write_bytes(b"x")
    second = catalogue.folders.add(file, "~/one.pdf")
    again = catalogue.folders.add(tmp_path / "docs", "./docs")
    assert (again.id, again.shown, again.is_file, again.state) == (first.id, "./docs", False, FolderState.READY)
    assert second.is_file
    catalogue.folders.set_state(first.id, FolderState.OFFLINE)
    assert [folder.state for folder in catalogue.folders.all()] == [FolderState.OFFLINE, FolderState.READY]


def test_a_new_file_is_pending_and_the_same_path_stays_the_same_document(catalogue: Catalogue, tmp_path: Path) -> None:
    folder = catalogue.folders.add(tmp_path, "t")
    file = catalogue.files.add(source(tmp_path / "a.pdf", folder.id))
    assert (file.state, file.size, file.hash, file.shown) == (FileState.PENDING, 10, "", "shown/a.pdf")
    again = catalogue.files.add(source(tmp_path / "a.pdf", folder.id, size=11))
    assert (again.document, again.size) == (file.document, 11)
    assert catalogue.files.at(tmp_path / "a.pdf") == catalogue.files.get(file.document) == again
    assert catalogue.files.get("unknown") is None
    assert catalogue.files.all(folder.id) == catalogue.files.all() == (again,)
    assert catalogue.files.all(folder.id + 1) == ()


def test_what_is_known_of_a_file_is_kept_and_moves_with_it(catalogue: Catalogue, tmp_path: Path) -> None:
    folder = catalogue.folders.add(tmp_path, "t")
    file = catalogue.files.add(source(tmp_path / "a.pdf", folder.id))
    pages = (Page(1, 595.3, 841.9, "i"), Page(2, 612.0, 792.0))
    stages = {Stage.TEXT: StageState.DONE, Stage.VECTORS: StageState.PENDING}
    catalogue.files.finish_text(file.document, "h", "Title", "pdf/1", pages, 12, stages, FileState.INDEXED, "")
    catalogue.files.update(
        file.document, stages={**stages, Stage.VECTORS: StageState.DONE}, reason="two pages are scans"
    )
    catalogue.files.move(file.document, source(tmp_path / "b.pdf", folder.id))
    now = catalogue.files.at(tmp_path / "b.pdf")
    assert now is not None
    assert (now.document, now.hash, now.title, now.reader) == (file.document, "h", "Title", "pdf/1")
    assert (now.pages, now.elements, now.state, now.reason) == (2, 12, FileState.INDEXED, "two pages are scans")
    assert now.stages == {Stage.TEXT: StageState.DONE, Stage.VECTORS: StageState.DONE}
    assert now.mtime_ns == 1_700_000_000_000_000_001
    assert catalogue.files.pages(file.document) == pages
    catalogue.files.finish_text(file.document, "h2", "T", "pdf/1", pages[:1], 3, stages, FileState.PARTLY, "why")
    assert catalogue.files.pages(file.document) == pages[:1]


def test_the_newest_files_that_were_read_come_first(catalogue: Catalogue, tmp_path: Path) -> None:
    folder = catalogue.folders.add(tmp_path, "t")
    for name, changed, elements, state in (
        ("old", 1, 3, FileState.INDEXED),
        ("new", 9, 2, FileState.PARTLY),
        ("mid", 5, 1, FileState.INDEXED),
        ("empty", 8, 0, FileState.INDEXED),
        ("failed", 7, 4, FileState.FAILED),
    ):
        file = catalogue.files.add(source(tmp_path / name, folder.id))
        catalogue.files.update(file.document, mtime_ns=changed, elements=elements, state=state)
    assert [file.path.name for file in catalogue.files.newest(2)] == ["new", "mid"]
    assert [file.path.name for file in catalogue.files.newest(9)] == ["new", "mid", "old"]


def test_removing_takes_the_pages_along(catalogue: Catalogue, tmp_path: Path) -> None:
    folder = catalogue.folders.add(tmp_path, "t")
    files = [catalogue.files.add(source(tmp_path / name, folder.id)) for name in ("a", "b", "c")]
    for file in files:
        catalogue.files.finish_text(file.document, "h", "", "x/1", (Page(1, 1, 1),), 1, {}, FileState.INDEXED)
    catalogue.files.remove([files[0].document, "unknown"])
    assert [file.path.name for file in catalogue.files.all()] == ["b", "c"]
    assert catalogue.files.pages(files[0].document) == ()
    catalogue.folders.remove(folder.id)
    assert catalogue.files.all() == ()
    assert catalogue.files.pages(files[1].document) == ()


def test_a_field_that_does_not_exist_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(TypeError, match="no field sate"):
        catalogue.files.update("d", sate=FileState.FAILED)


@pytest.mark.parametrize("name", ["плюс ✓ 🙂.pdf", "a'b\"c%_.pdf", " [x] .pdf", os.fsdecode(b"latin-\xe9.pdf")])
def test_any_file_name_comes_back(catalogue: Catalogue, tmp_path: Path, name: str) -> None:
    folder = catalogue.folders.add(tmp_path / name, name)
    file = catalogue.files.add(source(tmp_path / name, folder.id))
    assert catalogue.files.at(tmp_path / name) == file
    assert (file.path, file.shown) == (tmp_path / name, f"shown/{name}")
    assert catalogue.folders.all()[0].shown == name


def test_vectors_are_kept_by_model_and_content(catalogue: Catalogue) -> None:
    hashes = [f"h{number}" for number in range(1200)]
    catalogue.vectors.put("m1", {digest: vector(number) for number, digest in enumerate(hashes)})
    catalogue.vectors.put("m2", {"h1": vector(5)})
    found = catalogue.vectors.get("m1", [*hashes, "unknown"])
    assert len(found) == 1200
    assert found["h7"].dtype == np.float32
    assert float(found["h7"] @ vector(7)) / float(np.linalg.norm(found["h7"])) > 0.999999
    assert catalogue.vectors.get("m3", hashes) == {}
    assert catalogue.vectors.prune(["h1", "h2"]) == 1198
    assert catalogue.vectors.get("m1", hashes).keys() == {"h1", "h2"}
    assert catalogue.vectors.get("m2", hashes).keys() == {"h1"}
    with pytest.raises(ValueError, match="bad"):
        catalogue.vectors.put("m1", {"bad": np.zeros(4, dtype=np.float32)})


def test_a_transaction_happens_whole_or_not_at_all(catalogue: Catalogue, tmp_path: Path) -> None:
    def half() -> None:
        with catalogue.transaction():
            catalogue.folders.add(tmp_path, "t")
            with catalogue.transaction():
                catalogue.folders.add(tmp_path / "b", "b")
            raise KeyError("stop")

    with pytest.raises(KeyError):
        half()
    assert catalogue.folders.all() == ()


def test_threads_share_a_catalogue(catalogue: Catalogue, tmp_path: Path) -> None:
    folder = catalogue.folders.add(tmp_path, "t")
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(10):
                file = catalogue.files.add(source(tmp_path / f"{number}-{step}", folder.id))
                with catalogue.transaction():
                    catalogue.files.update(file.document, state=FileState.WORKING)
                    catalogue.files.update(file.document, hash="h")
                catalogue.files.all()
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert {(file.state, file.hash) for file in catalogue.files.all()} == {(FileState.WORKING, "h")}
    assert len(catalogue.files.all()) == 60


def test_a_reader_sees_the_writer_at_once_and_cannot_write(catalogue: Catalogue, path: Path, tmp_path: Path) -> None:
    with Catalogue.open(path, read_only=True) as reader:
        catalogue.folders.add(tmp_path, "t")
        assert len(reader.folders.all()) == 1
        with pytest.raises(UserFacingError, match="may write"):
            reader.folders.add(tmp_path / "b", "b")


def test_a_reader_of_nothing_says_so_and_makes_nothing(path: Path) -> None:
    with pytest.raises(UserFacingError, match="no index"):
        Catalogue.open(path, read_only=True)
    assert not path.parent.exists()


def test_a_reader_works_after_the_writer_has_closed(catalogue: Catalogue, path: Path, tmp_path: Path) -> None:
    catalogue.folders.add(tmp_path, "t")
    catalogue.close()
    with Catalogue.open(path, read_only=True) as reader:
        assert len(reader.folders.all()) == 1
        assert reader.check() == ""


def test_newer_data_is_refused_and_left_alone(catalogue: Catalogue, path: Path) -> None:
    catalogue.close()
    newer = (*MIGRATIONS, Migration("9999_from_the_future", ("CREATE TABLE hoverboards (id)",)))
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, path, newer)
    connection.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(NewerDataError, match="newer version"):
            Catalogue.open(path, read_only)
    assert path.read_bytes() == before


def test_an_older_catalogue_is_brought_up_to_date_and_keeps_its_rows(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, path, MIGRATIONS[:1])
    connection.execute("INSERT INTO folders (path, shown, is_file, state) VALUES ('/a', 'a', 0, 'ready')")
    connection.close()
    with pytest.raises(UserFacingError, match="older version"):
        Catalogue.open(path, read_only=True)
    with Catalogue.open(path) as catalogue:
        assert [folder.shown for folder in catalogue.folders.all()] == ["a"]
        assert catalogue.chats.threads() == ()


def test_a_migration_that_fails_leaves_nothing_behind(path: Path) -> None:
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path, isolation_level=None)
    broken = (Migration("0001_broken", ("CREATE TABLE one (id)", "CREATE TABLE nonsense (")),)
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, path, broken)
    assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'one'").fetchall() == []
    connection.close()


def test_migration_names_are_in_order_and_never_twice() -> None:
    names = [step.name for step in MIGRATIONS]
    assert names == sorted(set(names))


@pytest.mark.parametrize("damage", [b"this is no database at all " * 200, None])
def test_a_damaged_catalogue_is_named_with_the_remedy(catalogue: Catalogue, path: Path, damage: bytes | None) -> None:
    catalogue.vectors.put("m", {f"h{number}": vector(number) for number in range(500)})
    catalogue.close()
    if damage is None:
        damage = path.read_bytes()[:4096] + b"\xff" * (path.stat().st_size - 4096)
    path.write_bytes(damage)
    with pytest.raises(UserFacingError, match=r"is damaged\. Repair it") as caught:
        Catalogue.open(path).vectors.get("m", ["h1"])
    assert str(path) in str(caught.value)


def test_a_catalogue_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserFacingError, match="cannot be"):
        Catalogue.open(tmp_path / "file" / "catalogue.sqlite")


def test_a_full_disk_is_told_with_the_folder_and_loses_nothing(path: Path) -> None:
    database = Database(path)
    pages = database.query("PRAGMA page_count")[0][0]
    database.query(f"PRAGMA max_page_count = {pages + 4}")  # the same error that SQLite gives on a full disk
    cache = Catalogue(database)
    cache.vectors.put("m", {"small": vector(1)})
    with pytest.raises(UserFacingError, match="disk is full") as caught:
        cache.vectors.put("m", {f"h{number}": np.ones(2000, dtype=np.float32) for number in range(50)})
    assert str(path.parent) in str(caught.value)
    assert cache.vectors.get("m", ["small", "h1"]).keys() == {"small"}
    assert cache.check() == ""


_WRITER = """
import sys
from pathlib import Path
from desktop_rag.core.ledger import FileState
from desktop_rag.core.types import Page
from desktop_rag.store.catalogue import Catalogue
from tests.unit.store.make import source
catalogue = Catalogue.open(Path(sys.argv[1]))
folder = catalogue.folders.add(Path("/x"), "x")
number = 0
while True:
    file = catalogue.files.add(source(Path(f"/x/{number}"), folder.id))
    pages = [Page(n + 1, 1.0, 1.0) for n in range(5)]
    catalogue.files.finish_text(file.document, "h", "", "r", pages, 1, {}, FileState.INDEXED)
    turn = catalogue.chats.begin_turn(catalogue.chats.new_thread(str(number)).id, "q")
    print(number, flush=True)
    number += 1
"""


@pytest.mark.slow
def test_a_killed_writer_loses_nothing_that_was_committed(path: Path) -> None:
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert writer.stdout is not None
    last = 0
    while last < 20:
        last = int(writer.stdout.readline())
    writer.kill()
    writer.wait()
    last = max([last, *(int(line) for line in writer.stdout.read().split())])
    writer.stdout.close()
    with Catalogue.open(path) as catalogue:
        assert catalogue.check() == ""
        finished = [file for file in catalogue.files.all() if file.state is FileState.INDEXED]
        assert len(finished) >= last + 1
        assert all(len(catalogue.files.pages(file.document)) == 5 for file in finished)
        assert len(catalogue.chats.threads()) >= last + 1


def test_attached_files_are_found_by_what_they_are_attached_to(catalogue: Catalogue, tmp_path: Path) -> None:
    folder = catalogue.folders.add(tmp_path, "t")
    mail, other = (catalogue.files.add(source(tmp_path / name, folder.id)) for name in ("a.eml", "b.eml"))
    for name, parent in (("2.pdf", mail), ("1.pdf", mail), ("3.pdf", other)):
        child = catalogue.files.add(source(tmp_path / name, folder.id))
        assert child.parent == ""
        catalogue.files.update(child.document, parent=parent.document)
    assert [record.path.name for record in catalogue.files.attached(mail.document)] == ["1.pdf", "2.pdf"]
    assert [record.path.name for record in catalogue.files.attached()] == ["1.pdf", "2.pdf", "3.pdf"]
    assert catalogue.files.attached("unknown") == ()
    assert catalogue.files.attached("") == ()
