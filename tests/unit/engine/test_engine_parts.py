"""The small parts of the engine: restarts, faults, messages, calm events, syncs one after the other."""

from __future__ import annotations

import errno
import os
import pickle
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_rag.core.errors import CancelledError, DesktopRagError, ModelError, UserFacingError
from desktop_rag.core.events import LedgerChanged, LibraryEvent, SyncDone, SyncProgress
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import Stage
from desktop_rag.core.reports import SyncSummary
from desktop_rag.engine.background_sync import CalmEvents, SyncRunner
from desktop_rag.engine.environment import prepare_environment
from desktop_rag.engine.faults import explain
from desktop_rag.engine.protocol import EngineError, EngineEvent, EngineLostError, Fault, Item, SyncFailed
from desktop_rag.engine.restarts import RestartPolicy

SUMMARY = SyncSummary(1, 0, 0, 0, 0, (), 0.1)


def test_engine_is_started_again_three_times_a_minute() -> None:
    policy = RestartPolicy()
    delays = [policy.delay_after_death(now) for now in (0.0, 1.0, 2.0, 3.0)]
    assert delays == [0.2, 1.0, 3.0, None]
    assert policy.delay_after_death(61.5) == 3.0
    policy.forget()
    assert policy.delay_after_death(62.0) == 0.2


@pytest.mark.parametrize("kind", [ModelError, CancelledError, EngineError, EngineLostError, UserFacingError])
def test_known_errors_travel_with_class_and_message(kind: type[DesktopRagError]) -> None:
    fault = pickle.loads(pickle.dumps(Fault.of(kind("the reason"))))
    assert type(fault.as_error()) is kind
    assert str(fault.as_error()) == "the reason"


def test_unknown_kind_of_error_travels_as_its_nearest_known_relative() -> None:
    class StrangeModelError(ModelError):
        pass

    assert Fault.of(StrangeModelError("odd")) == Fault("ModelError", "odd")
    assert isinstance(Fault("Invented", "x").as_error(), UserFacingError)


def test_messages_can_be_pickled() -> None:
    message = Item(3, SyncProgress(Progress(1, 2, "files", "Reading"), None, None))
    assert pickle.loads(pickle.dumps(message)) == message


def test_full_disk_is_explained_not_called_a_bug(tmp_path: Path) -> None:
    for error in (OSError(errno.ENOSPC, "No space left on device"), RuntimeError("lance: No space left on device")):
        told = explain(error, tmp_path / "log")
        assert type(told) is UserFacingError
        assert "is full. Free some space" in str(told)
        assert str(tmp_path) in str(told)


def test_log_of_a_bug_names_causes_without_quoting_values(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    try:
        try:
            int("a private sentence"[2:])
        except ValueError as error:
            raise OSError(errno.EIO, "the disk is broken") from error
    except OSError as error:
        told = explain(error, tmp_path / "log", EngineError)
    assert isinstance(told, EngineError)
    assert "the disk is broken" in caplog.text
    assert "ValueError" in caplog.text
    assert "'private sentence'" not in caplog.text


def test_environment_of_the_user_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {"OMP_NUM_THREADS": "7"})
    prepare_environment(3)
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert os.environ["MKL_NUM_THREADS"] == "3"
    assert os.environ["HF_HUB_OFFLINE"] == "1"


def test_progress_is_thinned_but_never_its_stages_nor_its_end() -> None:
    told: list[LibraryEvent] = []
    calm = CalmEvents([told.append], seconds=60.0)
    for done in range(1, 101):
        calm(SyncProgress(Progress(done, 100, "files", "Reading"), None, None))
        calm(LedgerChanged())
    calm(SyncProgress(Progress(1, 100, "passages", "Understanding"), None, None))
    calm.end(SUMMARY)
    steps = [(event.progress.stage, event.progress.done) for event in told if isinstance(event, SyncProgress)]
    assert steps == [("Reading", 1), ("Reading", 100), ("Understanding", 1)]
    assert [type(event) for event in told if not isinstance(event, SyncProgress)] == [
        LedgerChanged,
        LedgerChanged,
        SyncDone,
    ]


class Syncs:
    """A sync that waits for the test."""

    def __init__(self) -> None:
        self.began: list[Collection[Stage] | None] = []
        self.places: list[Collection[Path] | None] = []
        self.summary = SUMMARY
        self.go = threading.Event()
        self.error: Exception | None = None

    def __call__(
        self,
        *,
        stages: Collection[Stage] | None = None,
        job: Job | None = None,
        emit: Callable[[LibraryEvent], None] | None = None,
        only: Collection[Path] | None = None,
    ) -> SyncSummary:
        self.began.append(stages)
        self.places.append(only)
        while not self.go.wait(0.005):
            assert job is not None
            job.check()
        if self.error is not None:
            raise self.error
        return self.summary


@pytest.fixture
def syncs() -> Syncs:
    return Syncs()


def _runner(syncs: Syncs, events: list[EngineEvent], rescan_seconds: float = 60.0) -> SyncRunner:
    runner = SyncRunner(syncs, events.append, lambda error: explain(error, Path("log")), rescan_seconds)
    runner.start()
    return runner


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_requests_during_a_sync_become_one_more_sync_of_all_their_stages(syncs: Syncs) -> None:
    runner = _runner(syncs, [])
    first = runner.request([Stage.TEXT])
    _until(lambda: bool(syncs.began))
    later = [runner.request([Stage.TEXT]), runner.request([Stage.VECTORS])]
    syncs.go.set()
    assert first.result(5) == later[0].result(5) == later[1].result(5) == SUMMARY
    assert syncs.began == [{Stage.TEXT}, {Stage.TEXT, Stage.VECTORS}]
    runner.close()


def test_held_sync_begins_anew_afterwards(syncs: Syncs) -> None:
    runner = _runner(syncs, [])
    future = runner.request()
    _until(lambda: bool(syncs.began))
    with runner.held():
        time.sleep(0.1)
        assert len(syncs.began) == 1
    syncs.go.set()
    assert future.result(5) == SUMMARY
    assert len(syncs.began) == 2
    runner.close()


def test_failure_is_told_and_the_next_request_is_served(syncs: Syncs) -> None:
    events: list[EngineEvent] = []
    runner = _runner(syncs, events)
    syncs.go.set()
    syncs.error = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(UserFacingError, match="is full"):
        runner.request().result(5)
    assert any(isinstance(event, SyncFailed) and "is full" in event.message for event in events)
    syncs.error = None
    assert runner.request().result(5) == SUMMARY
    runner.close()


def test_disk_is_looked_at_again_now_and_then_but_not_while_paused(syncs: Syncs) -> None:
    syncs.go.set()
    runner = _runner(syncs, [], rescan_seconds=0.02)
    _until(lambda: len(syncs.began) >= 3)
    runner.pause()
    time.sleep(0.05)
    before = len(syncs.began)
    time.sleep(0.1)
    assert len(syncs.began) == before
    runner.close()


def test_closed_runner_refuses_and_ends_a_paused_sync(syncs: Syncs) -> None:
    runner = _runner(syncs, [])
    runner.pause()
    waiting = runner.request()
    runner.close()
    for future in (waiting, runner.request()):
        with pytest.raises(CancelledError):
            future.result(5)


def test_files_that_were_being_written_are_looked_at_again_soon(syncs: Syncs) -> None:
    syncs.go.set()
    syncs.summary = replace(SUMMARY, unsettled=1)
    runner = _runner(syncs, [], rescan_seconds=0.05)
    runner.request(only=[Path("/one")]).result(5)
    _until(lambda: len(syncs.began) >= 3)
    runner.close()
    assert syncs.places[:2] == [frozenset({Path("/one")}), None]


def test_places_of_several_requests_are_looked_at_together(syncs: Syncs) -> None:
    runner = _runner(syncs, [])
    runner.request(only=[Path("/one")])
    _until(lambda: len(syncs.began) == 1)
    last = [runner.request(only=[Path("/two")]), runner.request(only=[Path("/three")])][-1]
    syncs.go.set()
    last.result(5)
    runner.close()
    assert syncs.places == [frozenset({Path("/one")}), frozenset({Path("/two"), Path("/three")})]


def test_when_nothing_is_asked_for_it_tidies_up_once(syncs: Syncs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_rag.engine.background_sync._TIDY_SECONDS", 0.02)
    syncs.go.set()
    tidied: list[int] = []
    runner = SyncRunner(
        syncs, lambda _: None, lambda error: explain(error, Path("log")), tidy=lambda: tidied.append(len(syncs.began))
    )
    runner.start()
    runner.request().result(5)
    _until(lambda: bool(tidied))
    runner.request().result(5)
    _until(lambda: len(tidied) == 2)
    runner.close()
    assert tidied == [1, 2]
