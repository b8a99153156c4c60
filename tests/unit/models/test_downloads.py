"""Fetching a model: resumed where it broke off, taken only with the right checksum, and never without encryption."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_rag.core.errors import CancelledError, ModelError
from desktop_rag.core.job import Job, Progress
from desktop_rag.models.downloads import fetch, look_up
from tests.fixtures.hub import Hub, running

WEIGHTS = bytes(range(256)) * 5000
FILES = {"config.json": b"{}", "model.safetensors": WEIGHTS, "run_me.py": b"print()", "notes/else.json": b"{}"}


@pytest.fixture
def hub() -> Iterator[Hub]:
    with running(Hub(dict(FILES))) as started:
        yield started


def pulled(hub: Hub, folder: Path, job: Job | None = None) -> None:
    fetch(hub.address, look_up(hub.address, "someone/model"), folder, job or Job())


def test_all_files_of_a_model_arrive_and_no_programs(hub: Hub, tmp_path: Path) -> None:
    told: list[Progress] = []
    pulled(hub, tmp_path, Job(told.append))

    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {
        "config.json": b"{}",
        "model.safetensors": WEIGHTS,
    }
    assert (told[-1].done, told[-1].total, told[-1].unit) == (len(WEIGHTS) + 2, len(WEIGHTS) + 2, "bytes")
    assert [one.done for one in told] == sorted(one.done for one in told)


def test_what_broke_off_goes_on_where_it_was(hub: Hub, tmp_path: Path) -> None:
    hub.break_after = [2, 300_000, 500_000]
    pulled(hub, tmp_path)
    assert (tmp_path / "model.safetensors").read_bytes() == WEIGHTS
    assert hub.ranges == ["bytes=300000-", "bytes=800000-"]


def test_a_second_command_goes_on_too_and_keeps_what_is_whole(hub: Hub, tmp_path: Path) -> None:
    hub.break_after = [2, 1000, 1000, 1000]
    with pytest.raises(ModelError, match=r"model\.safetensors could not be fetched.*goes on where it was"):
        pulled(hub, tmp_path)
    assert (tmp_path / "model.safetensors.part").stat().st_size == 3000

    hub.ranges.clear()
    pulled(hub, tmp_path)
    assert hub.ranges == ["bytes=3000-"]
    assert (tmp_path / "model.safetensors").read_bytes() == WEIGHTS


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_a_wrong_checksum_is_refused_and_nothing_is_kept(hub: Hub, tmp_path: Path, name: str) -> None:
    hub.tampered = {name}
    with pytest.raises(ModelError, match=f"{name} came with a wrong checksum"):
        pulled(hub, tmp_path)
    assert not list(tmp_path.glob(f"{name}*"))


def test_a_stopped_fetch_keeps_its_part(hub: Hub, tmp_path: Path) -> None:
    job = Job(lambda progress: job.cancel() if progress.done > 1_000_000 else None)
    with pytest.raises(CancelledError):
        pulled(hub, tmp_path, job)
    assert (tmp_path / "model.safetensors.part").exists()


def test_what_the_hub_does_not_have_is_told(hub: Hub, tmp_path: Path) -> None:
    model = look_up(hub.address, "someone/model")
    del hub.files["model.safetensors"]
    with pytest.raises(ModelError, match=r"model\.safetensors is not given out by the hub \(status 404\)"):
        fetch(hub.address, model, tmp_path, Job())


def test_only_the_wanted_files_are_fetched_and_one_that_is_gone_is_named(hub: Hub, tmp_path: Path) -> None:
    fetch(hub.address, look_up(hub.address, "someone/model", ("model.safetensors",)), tmp_path, Job())
    assert [file.name for file in tmp_path.iterdir()] == ["model.safetensors"]
    with pytest.raises(ModelError, match=r"someone/model on .* has no small\.gguf any more"):
        look_up(hub.address, "someone/model", ("small.gguf",))


def test_a_hub_that_cannot_be_reached_is_told() -> None:
    with pytest.raises(ModelError, match=r"http://127\.0\.0\.1:9 cannot be reached"):
        look_up("http://127.0.0.1:9", "someone/model")


@pytest.mark.parametrize("address", ["http://example.org", "ftp://example.org"])
def test_other_machines_are_spoken_to_by_https_only(address: str) -> None:
    with pytest.raises(ModelError, match="https only"):
        look_up(address, "someone/model")
