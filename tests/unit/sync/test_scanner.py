"""What a walk over a folder finds, leaves alone, and says of it."""

import os
import sys
from pathlib import Path

import pytest

from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job
from desktop_rag.core.types import FolderState
from desktop_rag.store.files import FolderRecord
from desktop_rag.sync.scanner import Scan, Scanner


def walk(path: Path, *, shown: str = "shown", others: frozenset[Path] = frozenset(), largest: int = 10_000) -> Scan:
    folder = FolderRecord(1, path, shown, path.is_file(), FolderState.READY)
    return Scanner(largest).scan(folder, others, Job())


def put(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(scan: Scan) -> set[str]:
    return {source.path.name for source in scan.files}


def test_files_of_all_subfolders_are_found_and_shown_as_given(tmp_path: Path) -> None:
    put(tmp_path / "a.txt")
    put(tmp_path / "deep" / "er" / "b.txt")

    scan = walk(tmp_path, shown="given")

    assert {source.shown for source in scan.files} == {
        str(Path("given", "a.txt")),
        str(Path("given", "deep", "er", "b.txt")),
    }
    assert all(source.size == 4 and source.mtime_ns > 0 for source in scan.files)


def test_hidden_temporary_and_system_files_are_listed_with_the_reason_but_not_read(tmp_path: Path) -> None:
    for name in (".hidden", "~$open.docx", "half.crdownload", "Thumbs.db", "note.txt"):
        put(tmp_path / name)

    scan = walk(tmp_path)

    assert names(scan) == {"note.txt"}
    reasons = {one.source.path.name: one.reason for one in scan.skipped}
    assert "Hidden" in reasons[".hidden"]
    assert "Temporary" in reasons["~$open.docx"]
    assert "Temporary" in reasons["half.crdownload"]
    assert "operating system" in reasons["Thumbs.db"]


def test_folders_made_by_tools_are_not_entered(tmp_path: Path) -> None:
    put(tmp_path / "node_modules" / "x.md")
    put(tmp_path / ".git" / "x.md")
    put(tmp_path / "reports" / "x.md")

    assert [source.path.parent.name for source in walk(tmp_path).files] == ["reports"]


def test_a_file_above_the_limit_is_told(tmp_path: Path) -> None:
    put(tmp_path / "big.txt", "x" * 50)

    scan = walk(tmp_path, largest=10)

    assert not scan.files
    assert "limit" in scan.skipped[0].reason


def test_a_link_back_up_ends(tmp_path: Path) -> None:
    put(tmp_path / "sub" / "a.txt")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path, target_is_directory=True)

    assert names(walk(tmp_path)) == {"a.txt"}


def test_a_link_to_nowhere_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nothing")

    scan = walk(tmp_path)

    assert not scan.files
    assert scan.online


def test_a_watched_folder_inside_is_left_to_its_own_walk(tmp_path: Path) -> None:
    put(tmp_path / "a.txt")
    put(tmp_path / "own" / "b.txt")

    assert names(walk(tmp_path, others=frozenset({tmp_path / "own"}))) == {"a.txt"}


def test_a_single_file_is_read_whatever_its_name(tmp_path: Path) -> None:
    file = put(tmp_path / ".hidden.txt")

    assert names(walk(file, shown="given.txt")) == {".hidden.txt"}
    assert walk(file, shown="given.txt").files[0].shown == "given.txt"


def test_a_missing_root_is_offline_and_says_nothing_about_its_files(tmp_path: Path) -> None:
    scan = walk(tmp_path / "unplugged")

    assert not scan.online
    assert not scan.files
    assert not scan.skipped


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs permissions that bind this user")
def test_a_closed_subfolder_is_reported(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    put(closed / "a.txt")
    closed.chmod(0)
    try:
        scan = walk(tmp_path)
    finally:
        closed.chmod(0o700)

    assert scan.skipped[0].failed
    assert "cannot be opened" in scan.skipped[0].reason


def test_a_stopped_job_stops_the_walk(tmp_path: Path) -> None:
    job = Job()
    job.cancel()

    with pytest.raises(CancelledError):
        Scanner(1).scan(FolderRecord(1, tmp_path, "x", False, FolderState.READY), frozenset(), job)
