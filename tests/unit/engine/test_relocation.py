"""A workspace that an engine has open is renamed or moved by the next engine, which then opens it."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop_rag.core.paths import workspace_names, workspace_paths
from desktop_rag.engine.client import EngineClient
from desktop_rag.engine.protocol import NOT_RELOCATED, EngineEvent, EngineReady, EngineRefused, Relocation
from desktop_rag.engine.workspace_calls import relocate
from desktop_rag.store.lock import WriterLock
from desktop_rag.workspaces import Workspaces
from tests.fixtures.fake_library import open_fake

First = EngineReady | EngineRefused


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[Relocation], First]]:
    """Return what starts an engine with a relocation, and gives its first word."""
    clients: list[EngineClient] = []

    def start_one(wanted: Relocation) -> First:
        events: queue.Queue[EngineEvent] = queue.Queue()
        client = EngineClient(wanted.then, tmp_path, events.put, opener=open_fake, relocation=wanted)
        clients.append(client)
        client.start()
        while True:
            event = events.get(timeout=60)
            if isinstance(event, First):
                return event

    yield start_one
    for client in clients:
        client.close()


def test_a_workspace_is_renamed_before_it_is_opened(tmp_path: Path, start: Callable[[Relocation], First]) -> None:
    Workspaces(tmp_path).create("Garden")
    assert start(Relocation("Garden", new_name="Orchard")) == EngineReady("Orchard")
    assert workspace_names(tmp_path) == ("Orchard", "default")


def test_a_workspace_is_moved_before_it_is_opened(tmp_path: Path, start: Callable[[Relocation], First]) -> None:
    Workspaces(tmp_path).create("Garden")
    disk = tmp_path / "disk"
    disk.mkdir()
    assert start(Relocation("Garden", folder=str(disk))) == EngineReady("Garden")
    assert workspace_paths("Garden", tmp_path).root == disk / "Garden"
    assert (disk / "Garden" / "catalogue.sqlite").exists()


def test_what_cannot_be_done_is_refused_and_all_is_as_it_was(
    tmp_path: Path, start: Callable[[Relocation], First]
) -> None:
    Workspaces(tmp_path).create("Garden")
    Workspaces(tmp_path).create("Orchard")
    refused = start(Relocation("Garden", new_name="Orchard"))
    assert isinstance(refused, EngineRefused)
    assert refused.error == NOT_RELOCATED
    assert "already" in refused.message
    assert workspace_names(tmp_path) == ("Garden", "Orchard", "default")


def test_an_engine_that_comes_after_one_that_died_does_it_no_second_time(tmp_path: Path) -> None:
    Workspaces(tmp_path).create("Garden")
    wanted = Relocation("Garden", new_name="Orchard")
    relocate(wanted, tmp_path)
    relocate(wanted, tmp_path)
    assert workspace_names(tmp_path) == ("Orchard", "default")


def test_the_lock_of_a_closed_window_is_waited_for(tmp_path: Path, start: Callable[[Relocation], First]) -> None:
    import threading

    Workspaces(tmp_path).create("Garden")
    lock = WriterLock(workspace_paths("Garden", tmp_path).lock)
    lock.acquire()
    threading.Timer(2.0, lock.release).start()
    assert start(Relocation("Garden", new_name="Orchard")) == EngineReady("Orchard")
