"""What a look at the disk makes of files beside what the ledger has of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop_rag.core.job import Job
from desktop_rag.core.ledger import FolderState
from desktop_rag.core.types import SourceFile
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.sync.hashing import hash_file
from desktop_rag.sync.scanner import Scanner
from desktop_rag.sync.settling import Settling
from desktop_rag.sync.survey import Survey, Surveyor


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def catalogue(tmp_path: Path, root: Path) -> Iterator[Catalogue]:
    """A ledger that watches ``root`` and knows nothing of it yet."""
    opened = Catalogue.open(tmp_path / "catalogue.sqlite")
    opened.folders.add(root, "given")
    yield opened
    opened.close()


def put(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def look(catalogue: Catalogue) -> Survey:
    surveyor = Surveyor(catalogue.files, Scanner(1_000), Settling(sleep=lambda _: None))
    return surveyor.look(catalogue.folders.all(), None, Job(), lambda _: None)


def learn(catalogue: Catalogue, root: Path) -> None:
    """Let the ledger know the files of ``root`` as they are."""
    folder = next(one for one in catalogue.folders.all() if one.path == root)
    catalogue.folders.set_identity(folder.id, f"{root.stat().st_dev}:{root.stat().st_ino}")
    for path in sorted(root.rglob("*")):
        if path.is_file():
            status, shown = path.stat(), str(Path(folder.shown, path.relative_to(root)))
            source = SourceFile(path, shown, folder.id, status.st_size, status.st_mtime_ns)
            catalogue.files.update(catalogue.files.add(source).document, hash=hash_file(path))


def grow(path: Path) -> None:
    status = path.stat()
    put(path, "longer text")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def age(path: Path) -> None:
    os.utime(path, ns=(0, path.stat().st_mtime_ns - 1))


def test_files_that_are_as_they_were_need_nothing(catalogue: Catalogue, root: Path) -> None:
    for name in ("a.txt", "deep/er/b.txt", "deep/two\nlines.txt" if sys.platform != "win32" else "c.txt"):
        put(root / name)
    learn(catalogue, root)

    survey = look(catalogue)

    assert (survey.unchanged, survey.plan.size, survey.skipped) == (3, 0, [])


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes are a matter of Linux")
def test_a_name_that_is_no_text_is_as_good_as_any(catalogue: Catalogue, root: Path) -> None:
    put(root / "a.txt")
    put(root / os.fsdecode(b"caf\xe9") / "b.txt")
    learn(catalogue, root)
    assert (look(catalogue).unchanged, look(catalogue).plan.size) == (2, 0)

    grow(root / os.fsdecode(b"caf\xe9") / "b.txt")
    assert [one.source.shown for one in look(catalogue).plan.replaced] == [os.fsdecode(b"given/caf\xe9/b.txt")]


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes are a matter of Linux")
def test_a_folder_that_is_shown_with_a_name_that_is_no_text_is_as_good_as_any(catalogue: Catalogue, root: Path) -> None:
    put(root / "a.txt")
    catalogue.folders.add(root, os.fsdecode(b"caf\xe9"))
    learn(catalogue, root)

    assert (look(catalogue).unchanged, look(catalogue).plan.size) == (1, 0)


@pytest.mark.parametrize(("change", "step"), [(grow, "replaced"), (age, "touched")])
def test_another_size_or_time_is_looked_into(
    catalogue: Catalogue, root: Path, change: Callable[[Path], None], step: str
) -> None:
    put(root / "a.txt")
    put(root / "b.txt")
    learn(catalogue, root)
    change(root / "a.txt")

    survey = look(catalogue)

    assert [one.source.path for one in getattr(survey.plan, step)] == [root / "a.txt"]
    assert (survey.unchanged, survey.plan.size) == (1, 1)


def test_a_folder_that_is_given_by_another_name_shows_its_files_by_it(catalogue: Catalogue, root: Path) -> None:
    put(root / "a.txt")
    learn(catalogue, root)
    catalogue.folders.add(root, "called otherwise")

    assert [one.source.shown for one in look(catalogue).plan.touched] == [str(Path("called otherwise", "a.txt"))]


def test_a_file_that_was_never_looked_into_is_not_taken_for_known(catalogue: Catalogue, root: Path) -> None:
    empty = put(root / "empty.txt", "")
    learn(catalogue, root)
    known = catalogue.files.at(empty)
    assert known is not None
    catalogue.files.update(known.document, hash="")

    survey = look(catalogue)

    assert [one.record.document for one in survey.plan.replaced] == [known.document]
    assert (survey.unchanged, survey.plan.size) == (0, 1)


def test_files_come_in_the_order_of_their_paths_whatever_the_disk_says(catalogue: Catalogue, root: Path) -> None:
    names = ["m.txt", "a.txt", "z.txt", "sub/b.txt", "k.txt"]
    for name in names:
        put(root / name, f"text of {name}")

    added = look(catalogue).plan.added

    assert [one.source.path for one in added] == sorted(root / name for name in names)


def test_what_vanished_is_removed_and_what_lies_in_a_folder_that_is_gone_stays(
    catalogue: Catalogue, root: Path, tmp_path: Path
) -> None:
    put(root / "a.txt", "one")
    put(root / "b.txt", "two")
    other = put(tmp_path / "other" / "c.txt").parent
    catalogue.folders.add(other, "other")
    learn(catalogue, root)
    learn(catalogue, other)
    (root / "b.txt").unlink()
    other.rename(tmp_path / "unplugged")

    survey = look(catalogue)

    assert [record.path for record in survey.plan.removed] == [root / "b.txt"]
    assert [state for _, state, _ in survey.folders] == [FolderState.READY, FolderState.OFFLINE]
    assert (survey.unchanged, survey.plan.size) == (1, 1)
