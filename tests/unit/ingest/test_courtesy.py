"""Background workers stand still while somebody waits for an answer, and lose nothing by it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.ingest.workers import ParseFailure, ParsePool


def eventually(is_so: Callable[[], bool]) -> bool:
    """Wait until something is so, or for half a minute in vain."""
    for _ in range(600):
        if is_so():
            return True
        time.sleep(0.05)
    return False


def workers() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "spawn_main" in " ".join(child.cmdline())]


def test_a_worker_is_stopped_where_it_is_and_goes_on_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    counter, courtesy = tmp_path / "number", Courtesy()
    pool = ParsePool(1, 60, 500, 160, "parse_entries:count", background=True, courtesy=courtesy)
    try:
        future = pool.submit("doc", counter)
        assert eventually(counter.exists)
        (worker,) = workers()
        with courtesy.answering():
            with courtesy.answering():  # two questions at once
                assert eventually(lambda: worker.status() == psutil.STATUS_STOPPED)
            assert courtesy.asked
            before = counter.read_text()
            time.sleep(0.3)
            assert counter.read_text() == before
        assert eventually(lambda: counter.read_text() not in ("", before))
        counter.with_name("enough").touch()
        outcome = future.result(timeout=30)
    finally:
        pool.close()
    assert isinstance(outcome, ParseFailure)
    assert outcome.reason == "counted"


def test_a_stopped_worker_ends_with_its_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    counter, courtesy = tmp_path / "number", Courtesy()
    pool = ParsePool(1, 60, 500, 160, "parse_entries:count", background=True, courtesy=courtesy)
    pool.submit("doc", counter)
    assert eventually(counter.exists)
    (worker,) = workers()
    with courtesy.answering():
        assert eventually(lambda: worker.status() == psutil.STATUS_STOPPED)
        pool.close()
    assert not worker.is_running()


@pytest.mark.skipif(psutil.WINDOWS, reason="priorities have other names there")
@pytest.mark.parametrize("steps_back", [True, False])
def test_only_where_nobody_waits_for_it_has_background_work_a_low_claim_on_the_cores(
    steps_back: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    counter = tmp_path / "number"
    pool = ParsePool(1, 60, 500, 160, "parse_entries:count", background=True, courtesy=Courtesy(steps_back))
    try:
        pool.submit("doc", counter)
        assert eventually(counter.exists)
        (worker,) = workers()
        assert (worker.nice() > psutil.Process().nice()) == steps_back
    finally:
        pool.close()
