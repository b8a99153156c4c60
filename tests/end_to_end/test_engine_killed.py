"""Kill -9 on the real engine while it indexes and while it answers: it comes back and nothing is lost."""

from __future__ import annotations

import os
import queue
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from desktop_rag.core.events import EvidenceFound, SyncDone, SyncProgress, Token
from desktop_rag.core.ledger import FileState, Ledger
from desktop_rag.core.types import Route
from desktop_rag.engine.client import EngineClient
from desktop_rag.engine.protocol import EngineEvent, EngineLost, EngineLostError, EngineReady, EngineRefused

pytestmark = pytest.mark.slow

_FILES = 24
_SECONDS = 120.0


class Window:
    """What a window does with its engine, with events that can be waited for."""

    def __init__(self) -> None:
        self.events: queue.Queue[EngineEvent] = queue.Queue()
        self.client = EngineClient("default", None, self.events.put)
        self.client.start()

    def call(self, method: str, *arguments: object, **named: Any) -> Any:
        """Call and wait."""
        return self.client.call(method, *arguments, **named).future.result(_SECONDS)

    def wait_for(self, kind: type[Any]) -> Any:
        """Return the next event of ``kind``."""
        deadline = time.monotonic() + _SECONDS
        while True:
            event = self.events.get(timeout=max(0.01, deadline - time.monotonic()))
            assert not isinstance(event, EngineRefused), event.message
            if isinstance(event, kind):
                return event

    def kill_engine(self) -> list[psutil.Process]:
        """Kill the engine as nothing can prevent, and return the processes that it had started."""
        assert self.client.engine_pid is not None
        helpers = psutil.Process(self.client.engine_pid).children(recursive=True)
        os.kill(self.client.engine_pid, signal.SIGKILL)
        return helpers


@pytest.fixture
def window() -> Iterator[Window]:
    opened = Window()
    yield opened
    opened.client.close()


def _write_documents(folder: Path) -> None:
    folder.mkdir()
    for number in range(_FILES):
        paragraphs = (
            f"Station {number} recorded measurement {number * 100 + part} on its {part}th day of work, and the keeper "
            f"wrote a remark about wind, rain and the state of the instruments into journal {part}."
            for part in range(20)
        )
        text = "\n\n".join(paragraphs)
        (folder / f"station-{number}.md").write_text(f"# Station {number}\n\n{text}\n", encoding="utf-8")


def _indexed(ledger: Ledger) -> dict[str, str]:
    return {row.document: row.hash for row in ledger.files if row.state is FileState.INDEXED}


def test_engine_killed_while_it_indexes_loses_no_indexed_file(window: Window, tmp_path: Path) -> None:
    _write_documents(tmp_path / "stations")
    window.wait_for(SyncDone)
    window.call("add_paths", [str(tmp_path / "stations")])
    while not 0 < (progress := window.wait_for(SyncProgress).progress).done < progress.total:
        pass
    helpers = window.kill_engine()  # while it reads

    lost = window.wait_for(EngineLost)
    assert lost.restarting
    assert "SIGKILL" in lost.message
    window.wait_for(EngineReady)
    while not (before := _indexed(window.call("status"))):
        time.sleep(0.05)
    assert len(before) < _FILES
    window.kill_engine()  # while it embeds

    window.wait_for(EngineReady)
    assert before.items() <= _indexed(window.call("status")).items()
    window.wait_for(SyncDone)
    ledger = window.call("status")
    assert [row.state for row in ledger.files] == [FileState.INDEXED] * _FILES
    (hit, *_) = window.call("search", f"{_FILES - 1}07", route=Route.KEYWORD, k=3)
    assert Path(hit.file).name == f"station-{_FILES - 1}.md"
    _, alive = psutil.wait_procs(helpers, timeout=10)
    assert not alive, "reading processes outlived their engine"


def test_engine_killed_while_it_answers_keeps_the_chat(window: Window, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text(
        "# Garden\n\nThe garden was planted in May 1998 by Anna Berg. It has twelve apple trees.\n", "utf-8"
    )
    window.wait_for(SyncDone)
    window.call("add_paths", [str(note)])
    window.wait_for(SyncDone)
    first = window.call("ask", "Who planted the garden?", use_model=False)
    assert "Anna Berg" in " ".join(item.quote for item in first.evidence)

    items: queue.Queue[Any] = queue.Queue()
    question = "How many apple trees does the garden have?"
    call = window.client.call("ask", question, thread=first.thread, on_item=items.put)
    while not isinstance(items.get(timeout=_SECONDS), EvidenceFound | Token):
        pass
    window.kill_engine()

    with pytest.raises(EngineLostError, match="asked again"):
        call.future.result(_SECONDS)
    assert window.wait_for(EngineLost).restarting
    window.wait_for(EngineReady)
    turns = window.call("turns", first.thread)
    assert [turn.question for turn in turns] == ["Who planted the garden?", question]
    assert turns[0].answer == first
    assert turns[1].answer is None
    again = window.call("ask", question, thread=first.thread, use_model=False)
    assert "twelve" in again.evidence[0].quote


def test_second_window_on_a_workspace_is_refused_with_the_reason(window: Window) -> None:
    window.wait_for(EngineReady)
    events: queue.Queue[EngineEvent] = queue.Queue()
    second = EngineClient("default", None, events.put)
    second.start()
    try:
        refused = events.get(timeout=_SECONDS)
        assert isinstance(refused, EngineRefused)
        assert refused.error == "WorkspaceBusyError"
        window.client.close()
        second.restart()
        assert isinstance(events.get(timeout=_SECONDS), EngineReady)
    finally:
        second.close()
