"""The command line around a library that obeys the test: what is printed where, and the exit codes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from desktop_rag.cli.output import as_json, printable
from desktop_rag.core.errors import NewerDataError, WorkspaceBusyError
from desktop_rag.core.ledger import FolderRow, FolderState
from desktop_rag.core.types import Route
from tests.fixtures.command_line import Cli
from tests.fixtures.fake_library import file_row


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


def test_version(cli: Cli) -> None:
    code, out, _ = cli("--version")
    assert code == 0
    assert out.startswith("desktop-rag ")
