"""Parse workers: a bad file costs one worker and is named with the reason; nothing outlives its parent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pymupdf
import pytest

from desktop_rag.core.ledger import FileState
from desktop_rag.ingest.parse import label_of
from desktop_rag.ingest.readers.pdf import PdfReader
from desktop_rag.ingest.workers import Parsed, ParseFailure, ParsePool

ENTRY = "parse_entries:by_name"


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spawned process gets the import path of the one that starts it."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture
def pool() -> Iterator[ParsePool]:
    pool = ParsePool(1, seconds=1.0, megabytes=200, max_tokens=160, entry=ENTRY)
    yield pool
    pool.close()


def outcome(pool: ParsePool, name: str) -> ParseFailure:
    result = pool.submit("doc", Path(name)).result(timeout=30)
    assert isinstance(result, ParseFailure)
    return result


def test_a_real_pdf_is_read_in_a_worker(tmp_path: Path) -> None:
    path = tmp_path / "note.pdf"
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "The pump runs at 4,200 rpm.")
    document.save(path)
    pool = ParsePool(1, seconds=30, megabytes=1000, max_tokens=160)
    try:
        parsed = pool.submit("doc", path).result(timeout=60)
        missing = pool.submit("doc", tmp_path / "gone.pdf").result(timeout=60)
    finally:
        pool.close()
    assert isinstance(parsed, Parsed)
    assert [element.text for element in parsed.elements] == ["The pump runs at 4,200 rpm."]
    assert parsed.reader == label_of(PdfReader())
    assert isinstance(missing, ParseFailure)
    assert "gone.pdf" in missing.reason


def test_a_worker_is_used_again_for_the_next_file(pool: ParsePool) -> None:
    assert outcome(pool, "fine").reason == outcome(pool, "fine").reason


def test_a_file_that_hangs_is_given_up_and_the_next_one_is_read(pool: ParsePool) -> None:
    first = outcome(pool, "fine").reason
    failure = outcome(pool, "hang.pdf")
    assert failure.state is FileState.FAILED
    assert "hang.pdf" in failure.reason
    assert "limit of 1 seconds" in failure.reason
    assert not psutil.pid_exists(int(first))
    assert outcome(pool, "fine").reason != first


def test_a_file_that_crashes_its_worker_is_named(pool: ParsePool) -> None:
    failure = outcome(pool, "crash.pdf")
    assert failure.state is FileState.FAILED
    assert "crash.pdf" in failure.reason
    assert outcome(pool, "fine").reader == "test/1"


def test_a_worker_that_cannot_start_does_not_blame_the_file() -> None:
    pool = ParsePool(1, seconds=5, megabytes=200, max_tokens=160, entry="parse_entries:missing")
    try:
        failure = outcome(pool, "fine.pdf")
    finally:
        pool.close()
    assert "fine.pdf was not read" in failure.reason
    assert "damaged" not in failure.reason


def test_a_file_that_eats_memory_is_given_up() -> None:
    pool = ParsePool(1, seconds=60, megabytes=200, max_tokens=160, entry=ENTRY)
    try:
        failure = outcome(pool, "eat.pdf")
    finally:
        pool.close()
    assert "eat.pdf" in failure.reason
    assert "200 MB" in failure.reason


def test_a_long_document_gets_more_time(pool: ParsePool) -> None:
    assert outcome(pool, "long").reader == "test/1"


def test_closing_kills_what_runs_and_cancels_what_waits(pool: ParsePool) -> None:
    worker = int(outcome(pool, "fine").reason)
    running, waiting = pool.submit("a", Path("hang")), pool.submit("b", Path("fine"))
    time.sleep(0.2)
    pool.close()
    assert not psutil.pid_exists(worker)
    assert "closed" in running.result(timeout=1).reason
    assert waiting.cancelled()
    assert pool.submit("c", Path("fine")).cancelled()


@pytest.mark.parametrize("name", ["hang", "hang-holding-the-lock"])
def test_a_worker_ends_when_its_parent_is_killed_in_the_middle_of_a_file(name: str) -> None:
    if name != "hang" and sys.platform != "linux":
        pytest.skip("elsewhere a worker whose interpreter is blocked ends by its own timer, after the limit")
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parents[2])])
    parent = subprocess.Popen(
        [sys.executable, str(here / "orphan_parent.py"), name],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert parent.stdout is not None
    worker = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    try:
        gone, _ = psutil.wait_procs([worker], timeout=10)
        assert gone
    finally:
        if worker.is_running():
            worker.kill()


def test_a_bug_in_the_pool_is_a_failure_of_the_file_and_not_a_wait_without_end(pool: ParsePool, tmp_path: Path) -> None:
    cannot_be_sent: Any = (letter for letter in "password")  # a generator does not go through a pipe
    failed = pool.submit("doc", tmp_path / "a.pdf", cannot_be_sent).result(timeout=60)
    assert isinstance(failed, ParseFailure)
    assert "a.pdf" in failed.reason
    assert outcome(pool, "fine").reader == "test/1"
