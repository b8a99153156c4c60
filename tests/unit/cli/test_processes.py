"""The command line as a process: signals, pipes, and how soon it is there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


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


def test_watch_syncs_until_it_is_stopped(tmp_path: Path) -> None:
    with _running("watch", str(tmp_path)) as process:
        assert process.stderr is not None
        while "Watching 1 folder" not in (line := process.stderr.readline()):
            assert line, "it ended before it watched"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert process.returncode == 0
