"""What a comparison of ledger and disk makes of every kind of change."""

from pathlib import Path

import pytest

from desktop_rag.core.job import Job
from desktop_rag.core.ledger import FileState
from desktop_rag.core.types import SourceFile
from desktop_rag.store.files import FileRecord
from desktop_rag.sync.planner import Plan, make_plan


def record(name: str, digest: str, *, mtime: int = 1, state: FileState = FileState.INDEXED) -> FileRecord:
    return FileRecord(
        document=f"doc-{name}", folder_id=1, path=Path("/d") / name, shown=f"d/{name}", size=10, mtime_ns=mtime,
        hash=digest, state=state, reason="", pages=1, elements=1, title="", reader="text/1", stages={},
    )  # fmt: skip


def source(name: str, *, mtime: int = 1) -> SourceFile:
    return SourceFile(Path("/d") / name, f"d/{name}", 1, 10, mtime)


def plan(records: list[FileRecord], disk: dict[SourceFile, str]) -> tuple[Plan, list[str]]:
    by_path = {one.path: digest for one, digest in disk.items()}
    looked_at: list[str] = []

    def hash_file(path: Path) -> str:
        looked_at.append(path.name)
        return by_path[path]

    return make_plan(records, list(disk), hash_file, Job()), looked_at


def test_an_unchanged_file_is_not_even_opened() -> None:
    made, looked_at = plan([record("a", "h")], {source("a"): "h"})

    assert [one.document for one in made.unchanged] == ["doc-a"]
    assert looked_at == []


def test_a_touched_file_is_hashed_but_not_read_again() -> None:
    made, looked_at = plan([record("a", "h")], {source("a", mtime=2): "h"})

    assert [one.record.document for one in made.touched] == ["doc-a"]
    assert not made.replaced
    assert looked_at == ["a"]


def test_new_content_replaces() -> None:
    made, _ = plan([record("a", "old")], {source("a", mtime=2): "new"})

    assert [(one.record.document, one.hash) for one in made.replaced] == [("doc-a", "new")]


def test_a_new_file_is_added_and_a_vanished_one_removed() -> None:
    made, _ = plan([record("a", "h1")], {source("b"): "h2"})

    assert [one.source.path.name for one in made.added] == ["b"]
    assert [one.document for one in made.removed] == ["doc-a"]


def test_the_same_content_under_another_name_is_a_move() -> None:
    made, _ = plan([record("a", "h")], {source("b"): "h"})

    assert [(one.record.document, one.source.path.name) for one in made.moved] == [("doc-a", "b")]
    assert not made.added
    assert not made.removed


def test_of_two_copies_one_moves_and_one_is_added() -> None:
    made, _ = plan([record("a", "h")], {source("b"): "h", source("c"): "h"})

    assert len(made.moved) == 1
    assert len(made.added) == 1


def test_a_copy_beside_the_original_is_added() -> None:
    made, _ = plan([record("a", "h")], {source("a"): "h", source("b"): "h"})

    assert [one.source.path.name for one in made.added] == ["b"]
    assert not made.moved


@pytest.mark.parametrize("state", [FileState.PENDING, FileState.WORKING, FileState.NEEDS_PASSWORD, FileState.FAILED])
def test_a_file_moves_whatever_came_of_it_so_far(state: FileState) -> None:
    made, _ = plan([record("a", "h", state=state)], {source("b"): "h"})

    assert [(one.record.document, one.source.path.name) for one in made.moved] == [("doc-a", "b")]
    assert not made.removed


def test_a_file_that_was_never_looked_at_is_removed_not_moved() -> None:
    made, _ = plan([record("a", "", state=FileState.IGNORED)], {source("b"): "h"})

    assert [one.document for one in made.removed] == ["doc-a"]
    assert [one.source.path.name for one in made.added] == ["b"]


def test_a_file_that_cannot_be_opened_keeps_its_place_in_the_index() -> None:
    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    made = make_plan([record("a", "h")], [source("a", mtime=2)], refuse, Job())

    assert made.unreadable == [(source("a", mtime=2), "The file cannot be opened: Permission denied.")]
    assert not made.removed


@pytest.mark.parametrize("state", [FileState.IGNORED, FileState.FAILED])
def test_a_file_without_a_hash_is_looked_at_again(state: FileState) -> None:
    made, _ = plan([record("a", "", state=state)], {source("a"): "h"})

    assert [one.record.document for one in made.replaced] == ["doc-a"]
