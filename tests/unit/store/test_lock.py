"""The writer lock between real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop_rag.core.errors import UserFacingError, WorkspaceBusyError
from desktop_rag.store.lock import WriterLock

_HOLDER = """
import sys, time
from pathlib import Path
from desktop_rag.store.lock import WriterLock
lock = WriterLock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
time.sleep(60)
"""


def test_the_lock_names_its_holder_and_is_free_when_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "work" / "writer.lock"
    root = Path(__file__).resolve().parents[3]
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, str(path)], stdout=subprocess.PIPE, text=True, cwd=root)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    lock = WriterLock(path)
    with pytest.raises(WorkspaceBusyError) as caught:
        lock.acquire()
    assert f"process {holder.pid}" in str(caught.value)
    assert str(path.parent) in str(caught.value)
    assert lock.owner() == holder.pid
    holder.kill()
    holder.wait()
    holder.stdout.close()
    lock.acquire()
    assert lock.owner() == os.getpid()
    lock.release()


def test_one_process_cannot_hold_it_twice_but_may_ask_twice(tmp_path: Path) -> None:
    lock, other = WriterLock(tmp_path / "writer.lock"), WriterLock(tmp_path / "writer.lock")
    with lock:
        lock.acquire()
        assert lock.held
        with pytest.raises(WorkspaceBusyError, match=f"process {os.getpid()}"):
            other.acquire()
    assert not lock.held
    with other:
        assert other.held


def test_rubbish_in_a_stale_lock_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    path.write_bytes(b"rubbish that is longer than any pid")
    lock = WriterLock(path)
    assert lock.owner() is None
    with lock:
        assert lock.owner() == os.getpid()


def test_a_place_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserFacingError, match=r"writer\.lock"):
        WriterLock(tmp_path / "file" / "writer.lock").acquire()
