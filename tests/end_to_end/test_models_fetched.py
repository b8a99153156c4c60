"""A model is fetched by the real engine from a hub on this machine: with progress, stopped, gone on with, and used."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_rag.core.errors import CancelledError, ModelError
from desktop_rag.core.events import LedgerChanged
from desktop_rag.core.job import Progress
from desktop_rag.core.model_rows import ModelKind, ModelRow, ModelState
from desktop_rag.engine.client import EngineClient
from desktop_rag.engine.protocol import EngineEvent
from desktop_rag.library import Library
from desktop_rag.models import model_manager, model_shelf
from desktop_rag.models.known_models import KnownModel
from tests.fixtures.hub import Hub, running
from tests.fixtures.tiny_cross_encoder import make_cross_encoder

pytestmark = pytest.mark.slow
_SECONDS = 120.0
JUDGE = KnownModel("judge", "someone/judge", "MIT", "English", 1, "tiny", ModelKind.RERANKING)


def open_with_hub(workspace: str, base: Path | None) -> Library:
    """Open a real library, in the engine's process, that knows only the hub of the test."""
    assert base is not None
    address = (base / "hub.txt").read_text()
    for module in (model_shelf, model_manager):
        module.known_models = lambda: (address, (JUDGE,))  # type: ignore[attr-defined]
    return Library.open(workspace, base=base)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    folder = make_cross_encoder(tmp_path / "source")
    with running(Hub({file.name: file.read_bytes() for file in folder.iterdir()})) as served:
        yield served
        served.gate.set()


@pytest.fixture
def events() -> queue.Queue[EngineEvent]:
    return queue.Queue()


@pytest.fixture
def client(data_home: Path, hub: Hub, events: queue.Queue[EngineEvent]) -> Iterator[EngineClient]:
    data_home.mkdir()
    (data_home / "hub.txt").write_text(hub.address)
    client = EngineClient("default", data_home, events.put, opener=open_with_hub)
    client.start()
    yield client
    client.close()


def judge(client: EngineClient) -> ModelRow:
    rows = client.call("models").future.result(_SECONDS)
    return next(row for row in rows if row.name == "judge")


def test_fetched_stopped_gone_on_with_checked_used_and_removed(
    client: EngineClient, hub: Hub, data_home: Path, events: queue.Queue[EngineEvent]
) -> None:
    assert (judge(client).state, judge(client).source) == (ModelState.KNOWN, f"{hub.address}/someone/judge")
    hub.gate.clear()
    told: queue.Queue[Progress] = queue.Queue()
    call = client.call("pull_model", "judge", on_item=told.put)
    progress = told.get(timeout=_SECONDS)
    assert (progress.unit, progress.stage) == ("bytes", "Fetching")
    assert client.call("folders").future.result(_SECONDS) == ()  # nothing else waits for it
    call.cancel()
    hub.gate.set()
    with pytest.raises(CancelledError):
        call.future.result(_SECONDS)
    assert judge(client).state is ModelState.PARTLY
    assert judge(client).fetched > 0

    row = client.call("pull_model", "judge", on_item=told.put).future.result(_SECONDS)
    assert (row.state, row.kind) == (ModelState.INSTALLED, ModelKind.RERANKING)
    assert client.call("verify_model", "judge").future.result(_SECONDS).name == "judge"
    client.call("choose_model", "judge", ModelKind.RERANKING).future.result(_SECONDS)
    assert client.call("settings").future.result(_SECONDS).reranker == row.folder
    while not isinstance(events.get(timeout=_SECONDS), LedgerChanged):
        pass
    with pytest.raises(ModelError, match="'judge' is in use"):
        client.call("remove_model", "judge").future.result(_SECONDS)
    client.call("choose_model", "none", ModelKind.RERANKING).future.result(_SECONDS)
    client.call("remove_model", "judge").future.result(_SECONDS)
    assert judge(client).state is ModelState.KNOWN
    assert not (data_home / "models" / "judge").exists()


def test_a_wrong_checksum_and_a_hub_that_is_gone_are_told(client: EngineClient, hub: Hub, data_home: Path) -> None:
    hub.tampered = {"model.safetensors"}
    with pytest.raises(ModelError, match=r"model\.safetensors came with a wrong checksum and was thrown away"):
        client.call("pull_model", "judge").future.result(_SECONDS)
    with pytest.raises(ModelError, match="No model 'nothing' is known"):
        client.call("pull_model", "nothing").future.result(_SECONDS)
