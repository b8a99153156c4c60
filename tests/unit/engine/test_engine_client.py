"""The client and a real engine process around a library that obeys the test."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from desktop_rag.core.errors import CancelledError, NeedsPasswordError, UserFacingError
from desktop_rag.core.events import EvidenceFound, LedgerChanged, SyncDone, SyncProgress, Token
from desktop_rag.core.types import Route
from desktop_rag.engine.client import EngineClient
from desktop_rag.engine.protocol import (
    EngineError,
    EngineEvent,
    EngineLost,
    EngineLostError,
    EngineReady,
    EngineRefused,
    Request,
    SyncState,
    SyncStateChanged,
)
from tests.fixtures.fake_library import ANSWER, open_broken, open_busy, open_deadly, open_fake

ROOT = Path(__file__).resolve().parents[3]


class Engine:
    """A client whose events can be waited for."""

    def __init__(self, base: Path, opener: Callable[[str, Path | None], object] = open_fake) -> None:
        self.events: queue.Queue[EngineEvent] = queue.Queue()
        self.client = EngineClient("default", base, self.events.put, opener=opener)

    def next(self, kind: type[Any], seconds: float = 20.0) -> Any:
        """Return the next event of ``kind``; others before it are dropped."""
        deadline = time.monotonic() + seconds
        while True:
            event = self.events.get(timeout=max(0.01, deadline - time.monotonic()))
            if isinstance(event, kind):
                return event

    def ask(self, method: str, *args: object, **kwargs: Any) -> Any:
        """Call and wait for the value."""
        return self.client.call(method, *args, **kwargs).future.result(20)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    engines: list[Engine] = []

    def start_one(opener: Callable[[str, Path | None], object] = open_fake) -> Engine:
        engine = Engine(tmp_path, opener)
        engines.append(engine)
        engine.client.start()
        return engine

    yield start_one
    for engine in engines:
        engine.client.close()


@pytest.fixture
def engine(start: Callable[..., Engine]) -> Engine:
    return start()


def _gone(pid: int, seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_call_made_at_once_is_answered_by_another_process(engine: Engine) -> None:
    (hit,) = engine.ask("search", "heat", route=Route.TEXT, k=3)
    assert hit.route is Route.TEXT
    assert engine.next(EngineReady).workspace == "default"
    assert engine.ask("model_info").llm_bytes == engine.client.engine_pid != os.getpid()


def test_engine_leaves_ctrl_c_to_the_window_and_limits_native_threads(engine: Engine) -> None:
    info = engine.ask("model_info")
    assert info.embedder_name == "SIG_IGN"
    assert int(info.llm_name) >= 1


def test_answer_streams_its_events_in_order_before_it_ends(engine: Engine) -> None:
    items: list[object] = []
    call = engine.client.call("ask", "How?", on_item=items.append)
    answer = call.future.result(20)
    assert answer.text == ANSWER.text
    assert isinstance(items[0], EvidenceFound)
    assert items[-1].answer == answer


def test_user_facing_error_keeps_its_class_and_message(engine: Engine) -> None:
    with pytest.raises(UserFacingError, match="/no/such does not exist"):
        engine.ask("add_paths", ["/no/such"])


def test_bug_is_told_without_its_details_which_are_in_the_log_without_words_of_documents(
    engine: Engine, tmp_path: Path
) -> None:
    log = tmp_path / "workspaces" / "default" / "desktop-rag.log"
    with pytest.raises(EngineError, match="unexpected fault") as caught:
        engine.ask("search", "bug")
    assert str(log) in str(caught.value)
    text = log.read_text(encoding="utf-8")
    assert "ValueError" in text
    assert "fake_library.py" in text
    assert "little" not in text + str(caught.value)


def test_answer_that_cannot_be_sent_is_told(engine: Engine) -> None:
    with pytest.raises(EngineError, match="could not be sent"):
        engine.ask("search", "unsendable")


@pytest.mark.parametrize("method", ["close", "__init__", "watch", "_paths", "unknown"])
def test_only_listed_methods_can_be_called(engine: Engine, method: str) -> None:
    with pytest.raises(EngineError, match="does not serve"):
        engine.ask(method)


def test_quick_calls_do_not_wait_for_an_answer_a_slow_search_or_a_sync(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    engine.ask("add_paths", [str(tmp_path / "slow")])
    answering = engine.client.call("ask", "slow")
    searching = engine.client.call("search", "slow")
    assert engine.ask("page_picture", "d1", 2, 1.0).page.number == 2
    assert len(engine.ask("folders")) == 1
    assert not answering.future.done()
    assert not searching.future.done()
    (tmp_path / "slow").rmdir()
    assert len(searching.future.result(20)) == 1


def test_cancelled_answer_ends_and_the_next_one_begins(engine: Engine) -> None:
    tokens: queue.Queue[object] = queue.Queue()
    first = engine.client.call("ask", "slow", on_item=tokens.put)
    second = engine.client.call("ask", "slow")
    third = engine.client.call("ask", "How?")
    while not isinstance(tokens.get(timeout=20), Token):
        pass
    second.cancel()  # still in the queue behind the first
    with pytest.raises(CancelledError):
        second.future.result(5)
    assert not first.future.done()
    first.cancel()
    with pytest.raises(CancelledError):
        first.future.result(5)
    assert third.future.result(5).question == "How?"


def test_sync_runs_at_start_and_after_a_folder_was_added(engine: Engine, tmp_path: Path) -> None:
    engine.next(SyncDone)
    engine.ask("add_paths", [str(tmp_path)])
    told: list[EngineEvent] = []  # the sync may be quicker than the word that the ledger changed
    while not {LedgerChanged, SyncDone} <= {type(event) for event in told}:
        told.append(engine.events.get(timeout=20))
    assert [event.progress.detail for event in told if isinstance(event, SyncProgress)] == ["heat.md"]
    assert [event.indexed for event in told if isinstance(event, SyncDone)] == [1]


def test_folder_can_be_removed_while_a_sync_would_last_for_ever(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    engine.next(SyncDone)
    engine.ask("add_paths", [str(tmp_path / "slow")])
    while engine.ask("sync_state") is not SyncState.RUNNING:
        time.sleep(0.01)
    engine.ask("remove_folder", 1)
    engine.next(SyncDone)


def test_sync_is_paused_resumed_and_stopped(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    engine.next(SyncDone)
    engine.ask("pause_sync")
    assert engine.next(SyncStateChanged).state in (SyncState.PAUSED, SyncState.IDLE)
    engine.ask("add_paths", [str(tmp_path / "slow")])
    assert engine.ask("sync_state") is SyncState.PAUSED
    engine.ask("resume_sync")
    while engine.next(SyncStateChanged).state is not SyncState.RUNNING:
        pass
    engine.ask("stop_sync")
    assert engine.next(SyncStateChanged).state is SyncState.IDLE


def test_sync_can_be_waited_for_with_its_progress_and_cancelled(engine: Engine, tmp_path: Path) -> None:
    items: list[object] = []
    assert engine.client.call("sync", on_item=items.append).future.result(20).added == 1
    assert isinstance(items[0], SyncProgress)
    (tmp_path / "slow").mkdir()
    engine.ask("add_paths", [str(tmp_path / "slow")])
    call = engine.client.call("sync")
    time.sleep(0.1)
    call.cancel()
    with pytest.raises(CancelledError):
        call.future.result(5)


def test_killed_engine_fails_its_calls_is_reported_and_replaced(engine: Engine) -> None:
    engine.next(EngineReady)
    first = engine.client.engine_pid
    with pytest.raises(EngineLostError, match="SIGKILL"):
        engine.ask("ask", "die")
    lost = engine.next(EngineLost)
    assert lost.restarting
    assert "asked again" in lost.message
    assert engine.ask("folders") == ()  # asked before the new engine is there
    engine.next(EngineReady)
    assert engine.client.engine_pid != first


def test_engine_that_keeps_dying_is_given_up_until_a_person_restarts_it(start: Callable[..., Engine]) -> None:
    engine = start(open_deadly)
    assert [engine.next(EngineLost).restarting for _ in range(4)] == [True, True, True, False]
    with pytest.raises(EngineLostError, match="several times within a minute"):
        engine.ask("folders")
    engine.client.restart()
    assert engine.next(EngineLost).restarting


def test_busy_workspace_is_refused_once_and_tried_again_on_request(
    start: Callable[..., Engine], tmp_path: Path
) -> None:
    engine = start(open_busy)
    refused = engine.next(EngineRefused)
    assert refused.error == "WorkspaceBusyError"
    assert "open in another window" in refused.message
    with pytest.raises(EngineLostError, match="open in another window"):
        engine.ask("folders")
    (tmp_path / "free").touch()
    engine.client.restart()
    engine.next(EngineReady)


def test_bug_while_opening_is_a_refusal_not_a_loop(start: Callable[..., Engine]) -> None:
    refused = start(open_broken).next(EngineRefused)
    assert "unexpected fault" in refused.message
    assert "little" not in refused.message


def test_close_ends_the_engine_even_while_it_answers(engine: Engine) -> None:
    call = engine.client.call("ask", "slow")
    engine.next(EngineReady)
    pid = engine.client.engine_pid
    assert pid is not None
    engine.client.close()
    assert _gone(pid)
    with pytest.raises((EngineLostError, CancelledError)):
        call.future.result(1)
    with pytest.raises(EngineLostError, match="closed"):
        engine.ask("folders")


def test_close_kills_an_engine_that_does_not_listen(engine: Engine) -> None:
    engine.next(EngineReady)
    pid = engine.client.engine_pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    engine.client.close(1.0)
    assert _gone(pid, 1.0)


_WINDOW = """
import sys, time
from pathlib import Path
from desktop_rag.engine.client import EngineClient
from tests.fixtures.fake_library import open_fake
if __name__ == "__main__":
    client = EngineClient("default", Path(sys.argv[1]), lambda event: None, opener=open_fake)
    client.start()
    client.call("ask", "slow")
    print(client.call("model_info").future.result(20).llm_bytes, flush=True)
    if sys.argv[2] == "stay":
        time.sleep(60)
"""


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    script = tmp_path / "window.py"
    script.write_text(_WINDOW, encoding="utf-8")
    started: list[subprocess.Popen[str]] = []

    def start_window(how: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, str(script), str(tmp_path), how]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment))
        return started[-1]

    yield start_window
    for process in started:
        process.kill()
        process.communicate()


def test_engine_ends_when_its_window_is_killed(window: Callable[[str], subprocess.Popen[str]]) -> None:
    process = window("stay")
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    assert psutil.pid_exists(pid)
    process.kill()
    assert _gone(pid)


def test_window_that_forgets_to_close_its_client_can_end(window: Callable[[str], subprocess.Popen[str]]) -> None:
    process = window("leave")
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    assert process.wait(10) == 0
    assert _gone(pid)


def test_client_is_light() -> None:
    heavy = ["torch", "lancedb", "llama_cpp", "pymupdf", "numpy", "sentence_transformers", "PySide6"]
    code = (
        "import sys, desktop_rag.engine.client, desktop_rag.engine.protocol;"
        f"print([name for name in {heavy} if name in sys.modules]);"
        "print([name for name in sys.modules if name in ('desktop_rag.library', 'desktop_rag.engine.host')])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout == "[]\n[]\n"


def test_a_password_reaches_the_engine_and_a_wrong_one_comes_back_as_such(engine: Engine) -> None:
    with pytest.raises(NeedsPasswordError, match="does not open"):
        engine.ask("unlock", "id-1", "guess")
    assert engine.ask("locked") == ()
    request = Request(1, "unlock", ("id-1", "guess"), {"for_others": True})
    assert "guess" not in repr(request)
