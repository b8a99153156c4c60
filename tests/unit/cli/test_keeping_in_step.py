"""What the command line says of folders, files and workspaces, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path

from desktop_rag.cli.progress import sentence
from desktop_rag.core.events import SyncProgress
from desktop_rag.core.job import Progress
from desktop_rag.core.ledger import FileState, FolderRow, FolderState, Stage
from desktop_rag.core.reports import SyncSummary
from tests.fixtures.command_line import Cli
from tests.fixtures.fake_library import file_row


def test_index_counts_what_it_did(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli("index", str(tmp_path), "-w", "work")
    assert (code, err) == (0, "")
    assert "1 added in 0.1 s" in out
    assert cli.opened == [("work", False)]
    assert cli.library.closed


def test_index_with_failed_files_is_partly_done_and_lists_them(cli: Cli, tmp_path: Path) -> None:
    broken = file_row("a/[broken].pdf", FileState.FAILED, "It is damaged.")
    sound = file_row("a/song.mp3", FileState.UNSUPPORTED, "song.mp3 is a sound file, which is not supported.")
    cli.library.rows = (broken, sound, file_row("a/good.md"))
    cli.library.summary = SyncSummary(3, 0, 0, 0, 0, (broken,), 1.234)
    code, out, _ = cli("index", str(tmp_path))
    assert code == 3
    assert "a/[broken].pdf: It is damaged." in out
    assert "a/song.mp3: song.mp3 is a sound file, which is not supported." in out
    code, out, err = cli("index", str(tmp_path), "--json")
    report = json.loads(out)
    assert code == 3
    assert err == ""
    assert list(report) == [
        "workspace", "added", "replaced", "moved", "removed", "unchanged", "failed", "unsupported", "seconds",
    ]  # fmt: skip
    assert [row["file"] for row in report["failed"]] == ["a/[broken].pdf"]
    assert [row["state"] for row in report["unsupported"]] == ["unsupported"]


def test_unsupported_files_alone_are_no_failure(cli: Cli, tmp_path: Path) -> None:
    cli.library.rows = (
        file_row("a/song.mp3", FileState.UNSUPPORTED, "song.mp3 is a sound file, which is not supported."),
    )
    assert cli("index", str(tmp_path))[0] == 0


def test_index_passes_the_stages_on(cli: Cli, tmp_path: Path) -> None:
    cli("index", str(tmp_path), "--stages", "text, vectors")
    cli("index", str(tmp_path), "--stages", "all")
    assert cli.library.calls == [
        ("sync", {"stages": frozenset({Stage.TEXT, Stage.VECTORS})}),
        ("sync", {"stages": None}),
    ]


def test_missing_path_is_one_message_on_stderr(cli: Cli) -> None:
    assert cli("index", "/no/such") == (1, "", "/no/such does not exist. Check the spelling.\n")


def test_a_dry_run_shows_the_plan_and_writes_nothing(cli: Cli, tmp_path: Path, data_home: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("A note.", encoding="utf-8")
    (folder / "b.log").write_text("A line.", encoding="utf-8")

    code, out, _ = cli("index", str(folder), "--exclude", "*.log", "--dry-run", "--json")

    assert code == 0
    plan = json.loads(out)
    steps = [(step["action"], Path(step["file"]).name) for step in plan["steps"]]
    assert steps == [("add", "a.txt"), ("leave_out", "b.log")]
    assert "1 file would be added" in cli("index", str(folder), "--dry-run", "--exclude", "*.log")[1]
    assert cli.opened == []
    assert not data_home.exists()


def test_rules_go_to_the_folder_that_is_added(cli: Cli, tmp_path: Path) -> None:
    cli("index", str(tmp_path), "--include", "*.pdf", "--include", "*.md", "--exclude", "drafts/")
    rules = next(arguments["rules"] for name, arguments in cli.library.calls if name == "set_rules")
    assert (rules.include, rules.exclude) == (("*.pdf", "*.md"), ("drafts/",))


def test_status_shows_states_reasons_and_totals(cli: Cli) -> None:
    cli.library.folder_rows = (FolderRow(1, "a", FolderState.OFFLINE, 2, 1),)
    cli.library.rows = (file_row("a/" + "long" * 30 + ".md"), file_row("a/b.pdf", FileState.FAILED, "It is damaged."))
    code, out, _ = cli("status")
    assert code == 0
    assert "a: 1 of 2 files ready  (cannot be reached now)" in out
    assert "a/" + "long" * 30 + ".md" in out
    assert "It is damaged." in out
    assert "2 files (1 indexed, 1 failed), 6 pages, 18 passages" in out
    ledger = json.loads(cli("status", "--json")[1])
    assert [row["state"] for row in ledger["files"]] == ["indexed", "failed"]


def test_status_tells_the_room_by_parts(cli: Cli) -> None:
    assert "catalogue 1.0 MB, index 2.0 MB" in cli("status")[1]
    assert json.loads(cli("status", "--json")[1])["disk"]["total"] == 3_000_000


def test_workspaces_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    assert cli("workspace", "create", "work")[0] == 0
    assert cli("workspace", "create", "work")[0] == 1
    assert cli("workspace", "rename", "work", "garden")[0] == 0
    archive = tmp_path / "garden.zip"
    assert cli("workspace", "backup", "garden", str(archive))[0] == 0
    assert cli("workspace", "remove", "garden", "--yes")[0] == 0
    assert cli("workspace", "restore", str(archive), "--name", "again")[0] == 0
    rows = json.loads(cli("workspace", "list", "--json")[1])
    assert [row["name"] for row in rows] == ["again", "default"]


def test_progress_is_said_in_words() -> None:
    event = SyncProgress(Progress(1200, 4000, "files", "Reading", "x"), 30.4, 130.0)
    assert sentence(event) == "Reading 1,200 of 4,000 files, 30 files/min, about 2 min left"
    assert sentence(SyncProgress(Progress(7, 0, "files", "Looking"), None, None)) == "Looking 7 files"
