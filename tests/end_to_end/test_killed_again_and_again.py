"""SIGKILL at random moments of indexing, over and over: in the end the index is that of an undisturbed run.

``make torture`` does the same to the engine and a whole collection, for much longer.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fixtures.in_step import Content, IndexOfDisk

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

_ROOT = Path(__file__).resolve().parents[2]
_KILLS = int(os.environ.get("DESKTOP_RAG_KILLS", "6"))
_LONGEST_S = 2.0


def _write_documents(folder: Path) -> None:
    folder.mkdir()
    for number in range(120):
        text = "\n\n".join(
            f"## Day {day}\n\nStation {number} measured {number * 100 + day} and wrote it into journal {day}."
            for day in range(12)
        )
        (folder / f"station-{number}.md").write_text(f"# Station {number}\n\n{text}\n", encoding="utf-8")


def _content(index: Path, folder: Path) -> dict[str, Content]:
    opened = IndexOfDisk(index)
    try:
        opened.watch(folder)
        opened.sync()
        assert opened.check().sound
        assert opened.check().stray_vectors == 0
        return opened.content()
    finally:
        opened.close()


def test_the_index_is_that_of_a_calm_run(tmp_path: Path) -> None:
    chance = random.Random(4)
    folder, wild = tmp_path / "stations", tmp_path / "wild"
    _write_documents(folder)
    while_at_work = 0
    for _ in range(_KILLS):
        command = [sys.executable, "-m", "tests.fixtures.index_forever", str(wild), str(folder)]
        with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            time.sleep(chance.uniform(0.0, _LONGEST_S))
            os.kill(process.pid, signal.SIGKILL)
            while_at_work += process.stdout.read() == ""
        assert process.returncode in (-signal.SIGKILL, 0)
    assert while_at_work, "it was always done before it was killed"

    assert _content(wild, folder) == _content(tmp_path / "calm", folder)
