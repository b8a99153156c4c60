"""A workspace with its index on an object store: LanceDB's own support, against a small S3 server on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from desktop_rag.core.paths import workspace_paths
from desktop_rag.workspaces import Workspaces
from tests.fixtures.in_step import IndexOfDisk

pytestmark = pytest.mark.slow


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start the server and make a bucket; return its address as LanceDB writes it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT": f"http://127.0.0.1:{port}",
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ}) as server:
        try:
            _make_bucket(port)
            yield "s3://documents"
        finally:
            server.terminate()


def _make_bucket(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(OSError):
            connection = HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("PUT", "/documents")
            assert connection.getresponse().status == 200
            connection.close()
            return
        time.sleep(0.2)
    raise AssertionError("the server did not start")


def test_an_index_on_an_object_store_follows_the_disk_and_goes_with_its_workspace(bucket: str, tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path / "home")
    workspaces.create("cloud", index=f"{bucket}/cloud")
    paths = workspace_paths("cloud", workspaces.base)
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("The apple trees were planted in 1987.\n", encoding="utf-8")
    index = IndexOfDisk(paths.root, workers=1, index=paths.index)
    index.watch(folder)
    index.sync()
    (found,) = index.elements.search_keyword("apple", 3)
    assert "1987" in found.element.text
    assert not (paths.root / "lancedb").exists()

    (folder / "a.txt").rename(folder / "b.txt")
    (folder / "c.txt").write_text("The pears came later.\n", encoding="utf-8")
    index.sync()
    assert index.check().sound
    assert len(index.content()) == 2
    index.close()

    workspaces.remove("cloud")
    workspaces.create("cloud", index=f"{bucket}/cloud")
    again = IndexOfDisk(paths.root, workers=1, index=paths.index)
    assert again.elements.count() == 0
    again.close()
