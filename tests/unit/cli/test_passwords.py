"""Passwords on the command line: as options, in a file, and asked for where there is a terminal."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_rag.cli import main
from desktop_rag.core.ledger import FileRow, FileState, Stage
from tests.fixtures.fake_library import FakeLibrary, file_row

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def library() -> FakeLibrary:
    made = FakeLibrary(rows=(locked("budget.pdf"), locked("minutes.docx")))
    made.keys = {"id-budget.pdf": "maple", "id-minutes.docx": "willow"}
    return made


@pytest.fixture
def run(library: FakeLibrary, capsys: pytest.CaptureFixture[str]) -> Run:
    def opened(workspace: str, read_only: bool) -> Any:
        return library

    def command(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments, opened)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def locked(name: str) -> FileRow:
    return replace(file_row(name, FileState.NEEDS_PASSWORD, "It is locked."), locked=True)


def called(library: FakeLibrary, method: str) -> list[dict[str, Any]]:
    return [arguments for name, arguments in library.calls if name == method]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Sit a person at a terminal who types the given answers; the prompts are noted."""

    def sit(*answers: str) -> list[str]:
        prompts: list[str] = []
        typed = iter(answers)

        def asked(prompt: str = "", stream: object = None) -> str:
            prompts.append(prompt)
            return next(typed)

        for one in (sys.stdin, sys.stderr):
            monkeypatch.setattr(one, "isatty", lambda: True)
        monkeypatch.setattr(getpass, "getpass", asked)
        return prompts

    return sit


def test_passwords_come_as_options_and_from_a_file(run: Run, library: FakeLibrary, tmp_path: Path) -> None:
    (tmp_path / "keys.txt").write_text("willow\n\nüber 7\n", encoding="utf-8")
    code, _, _ = run("index", str(tmp_path), "--password", "maple", "--password-file", str(tmp_path / "keys.txt"))
    assert code == 0
    assert called(library, "take_passwords") == [{"passwords": ["maple", "willow", "über 7"]}]
    assert called(library, "unlock") == []


def test_a_password_file_that_cannot_be_read_is_named(run: Run, library: FakeLibrary, tmp_path: Path) -> None:
    code, _, err = run("index", str(tmp_path), "--password-file", str(tmp_path / "none.txt"))
    assert code == 1
    assert "none.txt cannot be read" in err
    assert library.syncs == 0


def test_a_terminal_is_asked_for_each_file_and_enter_skips(
    run: Run, library: FakeLibrary, terminal: Callable[..., list[str]], tmp_path: Path
) -> None:
    prompts = terminal("guess", "maple", "")
    _, out, err = run("index", str(tmp_path))
    assert prompts == ["Password of budget.pdf: ", "Password of budget.pdf: ", "Password of minutes.docx: "]
    assert "2 files are locked with a password. Press Enter to skip one." in err
    assert "does not open" in err
    assert [call["password"] for call in called(library, "unlock")] == ["guess", "maple"]
    assert [call["stages"] for call in called(library, "sync")] == [[Stage.TEXT], None]
    assert "maple" not in out + err


def test_three_wrong_passwords_are_enough(
    run: Run, library: FakeLibrary, terminal: Callable[..., list[str]], tmp_path: Path
) -> None:
    prompts = terminal("a", "b", "c", "")
    run("index", str(tmp_path))
    assert prompts == ["Password of budget.pdf: "] * 3 + ["Password of minutes.docx: "]


def test_without_a_terminal_nobody_is_asked(run: Run, library: FakeLibrary, tmp_path: Path) -> None:
    run("index", str(tmp_path))
    assert library.syncs == 1
    assert called(library, "unlock") == []
