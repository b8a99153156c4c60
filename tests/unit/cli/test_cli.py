"""The command line around a library that obeys the test: what is printed where, and the exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from desktop_rag.cli import main
from desktop_rag.cli.output import as_json, printable
from desktop_rag.cli.progress import sentence
from desktop_rag.core.errors import NewerDataError, WorkspaceBusyError
from desktop_rag.core.events import SyncProgress
from desktop_rag.core.job import Progress
from desktop_rag.core.ledger import FileState, FolderRow, FolderState, Stage
from desktop_rag.core.reports import SyncSummary
from desktop_rag.core.types import Route
from tests.fixtures.fake_library import FakeLibrary, file_row

ROOT = Path(__file__).resolve().parents[3]


class Cli:
    """Runs commands against one library and keeps how it was opened."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.library = FakeLibrary()
        self.opened: list[tuple[str, bool]] = []
        self.refuse: Exception | None = None
        self._capsys = capsys

    def _open(self, workspace: str, read_only: bool) -> Any:
        self.opened.append((workspace, read_only))
        if self.refuse is not None and not read_only:
            raise self.refuse
        self.library.workspace = workspace
        return self.library

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = main(arguments, self._open)
        captured = self._capsys.readouterr()
        return code, captured.out, captured.err


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


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


@pytest.mark.parametrize(
    "arguments",
    [
        ("index",),
        ("index", "x", "--stages", "text,soup"),
        ("search",),
        ("search", "heat", "-k", "0"),
        ("search", "heat", "--route", "psychic"),
        ("compare", "heat", "--routes", "text,psychic"),
        ("compare", "heat", "--routes", ","),
        ("bogus",),
        ("status", "--bogus"),
        ("eval", "questions.jsonl"),
    ],
)
def test_wrong_use_exits_with_2_and_prints_nothing_to_stdout(cli: Cli, arguments: tuple[str, ...]) -> None:
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert "Error: " in err


def test_unknown_route_lists_the_ready_ones(cli: Cli) -> None:
    _, _, err = cli("search", "heat", "--route", "best")
    assert "no route 'best' that is ready. Choose one of: text, keyword, hybrid." in err


def test_search_shows_the_place_and_the_words(cli: Cli) -> None:
    code, out, _ = cli("search", "heat", "--route", "text", "-k", "3", "--filter", "page < 9")
    assert code == 0
    assert "notes/heat.md, p. 2" in out
    assert "Heat pumps need [little] care." in out
    assert cli.library.calls == [("search", {"route": Route.TEXT, "k": 3, "where": "page < 9"})]
    assert cli.opened == [("default", True)]


def test_search_json_is_a_list_of_hits(cli: Cli) -> None:
    (hit,) = json.loads(cli("search", "heat", "--json")[1])
    assert hit["file"] == "notes/heat.md"
    assert hit["bbox"] == [72.0, 100.0, 300.0, 112.0]


def test_compare_sets_routes_side_by_side(cli: Cli) -> None:
    code, out, _ = cli("compare", "heat", "--routes", "text,keyword")
    assert code == 0
    assert "text (2 ms)" in out
    assert out.count("notes/heat.md, p. 2") == 2
    results = json.loads(cli("compare", "heat", "--json")[1])["results"]
    assert [result["route"] for result in results] == ["text", "keyword", "hybrid"]
    assert results[0]["ms"] == 1.5


def test_answer_comes_after_its_evidence_and_without_struck_sentences(cli: Cli) -> None:
    code, out, _ = cli("ask", "How?")
    assert code == 0
    parts = ["Evidence", "“Heat pumps need [little] care.”", "Answer", "need little care.", "struck", "Sources"]
    places = [out.index(part) for part in parts]
    assert places == sorted(places)
    assert out.count("[1] notes/heat.md, p. 2") == 1
    assert "Mars" not in out


def test_how_an_answer_came_about_is_told_when_asked_for(cli: Cli) -> None:
    _, out, _ = cli("ask", "How?", "--trace")
    parts = ["Sources", "Steps of the search", "Struck, and why", "Mars", "whole prompt", "user: Question: How?"]
    places = [out.index(part) for part in parts]
    assert places == sorted(places)
    trace = json.loads(cli("ask", "How?", "--trace", "--json")[1])["trace"]
    assert trace["prompt"][1] == {"role": "user", "text": "Question: How?"}
    assert trace["struck"][0]["reason"]
    assert trace["steps_ms"] == {"embed": 1.5}
    assert "trace" not in json.loads(cli("ask", "How?", "--json")[1])


def test_refusal_is_an_answer(cli: Cli) -> None:
    code, out, _ = cli("ask", "refuse")
    assert code == 0
    assert "The documents do not say." in out
    assert "Sources" not in out


def test_ask_passes_its_options_on(cli: Cli) -> None:
    _, out, err = cli("ask", "How?", "--thread", "t7", "--no-model", "--route", "keyword", "--json")
    answer = json.loads(out)
    assert err == ""
    assert answer["thread"] == "t7"
    assert answer["timings_ms"] == {"retrieve": 1.0, "first_evidence": 2.0, "first_token": 3.0, "total": 4.0}
    assert cli.library.calls == [("ask", {"thread": "t7", "route": Route.KEYWORD, "use_model": False})]


def test_ask_reads_a_workspace_that_a_window_holds(cli: Cli) -> None:
    cli.refuse = WorkspaceBusyError("busy")
    code, out, err = cli("ask", "How?")
    assert code == 0
    assert "Heat pumps" in out
    assert "not kept" in err
    assert cli.opened == [("default", False), ("default", True)]


def test_what_is_found_in_a_folder_that_is_away_is_told(cli: Cli) -> None:
    assert "Offline" not in cli("search", "pump")[2]
    cli.library.folder_rows = (FolderRow(1, "a", FolderState.OFFLINE, 2, 1),)
    for command in ("search", "compare"):
        code, out, err = cli(command, "pump")
        assert (code, "heat.md" in out) == (0, True)
        assert "Offline now: a." in err


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


def test_doctor_fails_with_the_remedy(cli: Cli) -> None:
    code, out, _ = cli("doctor")
    assert code == 1
    assert "Install it." in out
    assert [check["ok"] for check in json.loads(cli("doctor", "--json")[1])] == [True, False]


def test_doctor_tells_what_keeps_a_workspace_shut(cli: Cli) -> None:
    cli.refuse = NewerDataError("Made by version 9. Update this program.")
    code, out, _ = cli("doctor")
    assert code == 1
    assert "Made by version 9" in out


def test_bug_is_told_with_its_log_and_without_its_words(cli: Cli, data_home: Path) -> None:
    code, out, err = cli("search", "bug")
    log = data_home / "workspaces" / "default" / "desktop-rag.log"
    assert (code, out) == (1, "")
    assert err == f"The program hit an unexpected fault (ValueError); details in {log}\n"
    assert "ValueError" in log.read_text(encoding="utf-8")
    assert "little" not in log.read_text(encoding="utf-8")


def test_workspace_can_stand_before_the_command(cli: Cli) -> None:
    cli("-w", "work", "status")
    cli("-w", "work", "status", "-w", "home")
    assert cli.opened == [("work", True), ("home", True)]


def test_impossible_workspace_is_refused(cli: Cli) -> None:
    code, _, err = cli("status", "-w", "../x")
    assert code == 1
    assert "cannot be the name of a workspace" in err


@pytest.mark.parametrize(
    ("arguments", "expected"), [((), None), (("gui",), None), (("-w", "work"), "work"), (("gui", "-w", "work"), "work")]
)
def test_window_opens_with_and_without_the_command(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], expected: str | None
) -> None:
    opened: list[str | None] = []
    monkeypatch.setattr("desktop_rag.ui.app.run", lambda workspace: opened.append(workspace) or 0)
    assert cli(*arguments) == (0, "", "")
    assert opened == [expected]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_window_without_a_display_is_refused_with_what_to_do(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    code, out, err = cli()
    assert (code, out) == (1, "")
    assert "no display" in err


def test_eval_writes_its_report_and_prints_a_table(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    question = {"id": "q1", "question": "How?", "file": "notes/heat.md", "pages": [2], "evidence": "text"}
    question |= {"answerable": True, "answer": "little", "kind": "fact", "history": []}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question), encoding="utf-8")
    cli.library.rows = (file_row(str(tmp_path / "notes" / "heat.md")),)
    report = tmp_path / "out.json"
    code, out, err = cli(
        "eval", str(tmp_path / "questions.jsonl"), "--root", str(tmp_path), "--routes", "text", "--json", str(report)
    )
    assert (code, err) == (0, "")
    assert "hit@5" in out
    assert json.loads(report.read_text(encoding="utf-8"))["routes"]["text"]["all"]["n"] == 1


def test_documents_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[2Jb\udcff\n\tc") == "a�[2Jb�\n\tc"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", None])
def test_json_survives_any_encoding_and_file_name(encoding: str | None) -> None:
    value = {"file": "Žlutý 🐎 \udcff.pdf"}
    text = as_json(value, encoding)
    assert json.loads(text.encode(encoding or "ascii").decode(encoding or "ascii")) == value


def test_progress_is_said_in_words() -> None:
    event = SyncProgress(Progress(1200, 4000, "files", "Reading", "x"), 30.4, 130.0)
    assert sentence(event) == "Reading 1,200 of 4,000 files, 30 files/min, about 2 min left"
    assert sentence(SyncProgress(Progress(7, 0, "files", "Looking"), None, None)) == "Looking 7 files"


_SCRIPT = """
import sys
from desktop_rag.cli import main
from tests.fixtures.fake_library import FakeLibrary

class Told(FakeLibrary):
    def sync(self, **options):
        print("begun", flush=True)
        return super().sync(**options)

    def ask(self, question, **options):
        print("begun", flush=True)
        return super().ask(question, **options)

sys.exit(main(sys.argv[1:], lambda workspace, read_only: Told(workspace)))
"""


@contextmanager
def _running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("command", [("index",), ("ask", "slow")])
def test_ctrl_c_ends_in_good_order_with_130(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    arguments = (*command, str(tmp_path / "slow")) if command == ("index",) else command
    with _running(*arguments) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopped." in err
    assert "Traceback" not in err + out


def test_reader_of_the_output_may_leave() -> None:
    command = f"{sys.executable} -m desktop_rag --help | head -1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=True, cwd=ROOT)
    assert "Usage" in result.stdout
    assert "Traceback" not in result.stderr


def test_help_and_version_come_at_once() -> None:
    heavy = ["torch", "lancedb", "llama_cpp", "pymupdf", "numpy", "rich", "PySide6", "desktop_rag.library"]
    code = (
        "import sys; from desktop_rag.cli import main; main(['index', '--help']);"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.endswith("[]\n")


def test_version(cli: Cli) -> None:
    code, out, _ = cli("--version")
    assert code == 0
    assert out.startswith("desktop-rag ")


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


def test_watch_syncs_until_it_is_stopped(tmp_path: Path) -> None:
    with _running("watch", str(tmp_path)) as process:
        assert process.stderr is not None
        while "Watching 1 folder" not in (line := process.stderr.readline()):
            assert line, "it ended before it watched"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert process.returncode == 0
