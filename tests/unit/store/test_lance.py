"""LanceDB is imported once, whoever needs it first."""

from __future__ import annotations

import subprocess
import sys

import pytest

_TWO_AT_ONCE = """
import threading
from desktop_rag.store.lance import import_whole
failed = []
def part():
    try:
        import_whole()
        from lancedb.query import MatchQuery
    except Exception as error:
        failed.append(repr(error))
threads = [threading.Thread(target=import_whole), *(threading.Thread(target=part) for _ in range(3))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
"""


@pytest.mark.slow
def test_threads_that_import_it_at_once_all_get_it() -> None:
    done = subprocess.run([sys.executable, "-c", _TWO_AT_ONCE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
