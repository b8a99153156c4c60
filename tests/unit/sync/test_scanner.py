"""What a walk over a folder finds, leaves alone, and says of it."""

import os
import sys
from pathlib import Path

import pytest

from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import FolderState
from desktop_rag.core.rules import FolderRules
from desktop_rag.store.files import FolderRecord
from desktop_rag.sync.rules import _SYSTEM_FILES, _TEMPORARY_ENDS, doubtful_names, ignored_file
from desktop_rag.sync.scanner import Scan, Scanner
from tests.fixtures.permissions import binding_permissions


def walk(
    path: Path,
    *,
    shown: str = "shown",
    others: frozenset[Path] = frozenset(),
    largest: int = 10_000,
    rules: FolderRules | None = None,
) -> Scan:
    folder = FolderRecord(1, path, shown, path.is_file(), FolderState.READY, rules=rules or FolderRules())
    return Scanner(largest).scan(folder, others, Job())


def put(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(scan: Scan) -> set[str]:
    return {Path(seen.path).name for seen in scan.files}


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

    assert [Path(seen.path).parent.name for seen in walk(tmp_path).files] == ["reports"]


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


def test_a_linked_folder_is_read_in_its_own_place_if_it_is_watched(tmp_path: Path) -> None:
    put(tmp_path / "z" / "a.txt")
    (tmp_path / "alias").symlink_to(tmp_path / "z", target_is_directory=True)
    (tmp_path / "alias.txt").symlink_to(tmp_path / "z" / "a.txt")

    assert [seen.path for seen in walk(tmp_path).files] == [str(tmp_path / "z" / "a.txt")]


def test_what_only_links_lead_to_is_read_once(tmp_path: Path) -> None:
    root = tmp_path / "root"
    put(tmp_path / "outside" / "a.txt")
    put(tmp_path / "single.txt")
    root.mkdir()
    for name in ("one", "two"):
        (root / name).symlink_to(tmp_path / "outside", target_is_directory=True)
        (root / f"{name}.txt").symlink_to(tmp_path / "single.txt")

    assert [seen.path for seen in walk(root).files] == [str(root / "one" / "a.txt"), str(root / "one.txt")]


def test_a_link_into_another_watched_folder_is_left_to_it(tmp_path: Path) -> None:
    other, root = tmp_path / "other", tmp_path / "root"
    put(other / "deep" / "a.txt")
    put(root / "b.txt")
    (root / "link").symlink_to(other / "deep", target_is_directory=True)
    (root / "link.txt").symlink_to(other / "deep" / "a.txt")

    assert names(walk(root, others=frozenset({other}))) == {"b.txt"}


def test_two_names_of_one_file_are_two_files(tmp_path: Path) -> None:
    os.link(put(tmp_path / "a.txt"), tmp_path / "b.txt")

    assert names(walk(tmp_path)) == {"a.txt", "b.txt"}


def test_an_ignore_file_holds_for_its_folder_and_below(tmp_path: Path) -> None:
    put(tmp_path / ".gitignore", "*.log\n/drafts/\n")
    put(tmp_path / "sub" / ".ragignore", "private*\n!wanted.log\n")
    for name in ("a.txt", "a.log", "drafts/b.txt", "sub/private.txt", "sub/wanted.log", "sub/drafts/c.txt", "private"):
        put(tmp_path / name)

    scan = walk(tmp_path)

    assert names(scan) == {"a.txt", "wanted.log", "c.txt", "private"}
    reasons = {one.source.path.name: one.reason for one in scan.skipped}
    assert reasons.keys() == {"a.log", "private.txt"}
    assert ".ragignore" in reasons["private.txt"]


def test_a_line_that_is_no_pattern_does_not_spoil_the_others(tmp_path: Path) -> None:
    put(tmp_path / ".gitignore", "!\n*.log\n")
    put(tmp_path / "a.log")
    put(tmp_path / "a.txt")

    assert names(walk(tmp_path)) == {"a.txt"}


def test_the_rules_of_a_folder_let_in_and_leave_out(tmp_path: Path) -> None:
    for name in ("a.pdf", "b.txt", "old/c.pdf", "new/d.pdf", "new/draft-e.pdf"):
        put(tmp_path / name)

    scan = walk(tmp_path, rules=FolderRules(include=("*.pdf",), exclude=("old/", "draft-*")))

    assert names(scan) == {"a.pdf", "d.pdf"}
    reasons = {one.source.path.name: one.reason for one in scan.skipped}
    assert "let in" in reasons["b.txt"]
    assert "rules of this folder" in reasons["draft-e.pdf"]


def test_a_build_folder_is_left_alone_only_beside_a_project(tmp_path: Path) -> None:
    put(tmp_path / "code" / "pyproject.toml")
    put(tmp_path / "code" / "build" / "made.txt")
    put(tmp_path / "house" / "build" / "plan.txt")
    put(tmp_path / "cache" / "CACHEDIR.TAG")
    put(tmp_path / "cache" / "made.txt")

    assert names(walk(tmp_path)) == {"pyproject.toml", "plan.txt"}


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes are a matter of Linux")
def test_names_of_any_kind_are_files(tmp_path: Path) -> None:
    odd = ["two\nlines.txt", "smile \N{GRINNING FACE}.txt", "caf\u00e9.txt", "cafe\u0301.txt", "x" * 251 + ".txt"]
    for name in odd:
        put(tmp_path / name)
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("text", encoding="utf-8")

    assert names(walk(tmp_path)) == {*odd, os.fsdecode(b"caf\xe9.txt")}


def test_a_watched_folder_inside_is_left_to_its_own_walk(tmp_path: Path) -> None:
    put(tmp_path / "a.txt")
    put(tmp_path / "own" / "b.txt")

    assert names(walk(tmp_path, others=frozenset({tmp_path / "own"}))) == {"a.txt"}


def test_a_watched_file_and_a_folder_deep_inside_are_left_to_their_own_looks(tmp_path: Path) -> None:
    for name in ("a.txt", "sub/b.txt", "sub/own.txt", "sub/deep/c.txt", "sub/deep/own/d.txt"):
        put(tmp_path / name)
    others = frozenset({tmp_path / "sub" / "own.txt", tmp_path / "sub" / "deep" / "own", tmp_path.parent / "elsewhere"})

    assert names(walk(tmp_path, others=others)) == {"a.txt", "b.txt", "c.txt"}


def test_a_link_to_a_file_that_is_met_beside_it_is_no_other_file(tmp_path: Path) -> None:
    put(tmp_path / "z.txt")
    (tmp_path / "a.txt").symlink_to(tmp_path / "z.txt")

    assert names(walk(tmp_path)) == {"z.txt"}


def test_a_single_file_is_read_whatever_its_name(tmp_path: Path) -> None:
    file = put(tmp_path / ".hidden.txt")

    assert names(walk(file, shown="given.txt")) == {".hidden.txt"}
    assert walk(file, shown="given.txt").files[0].shown == "given.txt"


def test_a_missing_root_is_offline_and_says_nothing_about_its_files(tmp_path: Path) -> None:
    scan = walk(tmp_path / "unplugged")

    assert not scan.online
    assert not scan.files
    assert not scan.skipped


def test_a_single_file_is_gone_only_if_its_folder_is_still_the_same(tmp_path: Path) -> None:
    file = put(tmp_path / "disk" / "a.txt")
    record = FolderRecord(1, file, "a.txt", True, FolderState.READY, identity=walk(file).identity)
    file.unlink()

    gone = Scanner(10).scan(record, (), Job())
    assert (gone.online, gone.files) == (True, [])

    (tmp_path / "disk").rename(tmp_path / "unplugged")
    assert not Scanner(10).scan(record, (), Job()).online
    (tmp_path / "disk").mkdir()
    assert not Scanner(10).scan(record, (), Job()).online


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter there")
def test_a_closed_subfolder_is_reported(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    put(closed / "a.txt")
    closed.chmod(0)
    try:
        with binding_permissions():
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


@pytest.mark.parametrize("name", [*(f"a{end}" for end in _TEMPORARY_ENDS), *_SYSTEM_FILES, ".a", "~$a.docx", "A.TMP"])
def test_no_name_that_is_left_alone_slips_through_the_quick_look(name: str) -> None:
    for spelled in (name, name.upper(), name.title()):
        assert ignored_file(spelled, 1, 10)
        assert doubtful_names(["a.txt", spelled]) == {spelled}


def test_the_names_of_documents_cause_no_doubt() -> None:
    assert not doubtful_names(["a", "a.b", "report.pdf", "Tmp.txt", "notes 2024.final.docx", "x.md", "\u017f.txt"])
