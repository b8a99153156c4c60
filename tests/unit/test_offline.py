"""The main job, from documents to a cited answer, with the network refused in every process that takes part."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures.network_guard import guard

_NOTES = """# Boiler room

The boiler was serviced on 14 March 2023 by Ana Petrov. The next service is due in March 2025.

The spare key hangs behind the meter cupboard.
"""


def _without_network() -> list[str]:
    """The command that takes a process's network away altogether, native code's too, where the system lets us."""
    command = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
        return command
    return []


def _run(home: Path, attempts: Path, *arguments: str) -> str:
    environment = {
        **os.environ,
        "DESKTOP_RAG_HOME": str(home),
        "PYTHONPATH": str(Path(guard.__file__).parent),
        "NETWORK_GUARD_LOG": str(attempts),
    }
    result = subprocess.run(
        [*_without_network(), sys.executable, "-m", "desktop_rag", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
def test_documents_are_indexed_and_questions_answered_without_any_network(tmp_path: Path, data_home: Path) -> None:
    notes = tmp_path / "documents" / "boiler.md"
    notes.parent.mkdir()
    notes.write_text(_NOTES, encoding="utf-8")
    attempts = tmp_path / "attempts.txt"

    _run(data_home, attempts, "index", str(notes.parent), "--json")
    answer = json.loads(_run(data_home, attempts, "ask", "When was the boiler serviced?", "--json"))

    assert not answer["refused"]
    assert any("14 March 2023" in evidence["quote"] for evidence in answer["evidence"])
    assert not attempts.exists(), attempts.read_text(encoding="utf-8")
