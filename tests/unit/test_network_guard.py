"""The guard that keeps the tests offline does refuse, and lets this machine talk to itself."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures.network_guard import guard as guard_module
from tests.fixtures.network_guard.guard import NetworkGuard


def test_connections_and_look_ups_outside_are_refused_and_noted(no_network: NetworkGuard) -> None:
    with socket.socket() as connection, pytest.raises(ConnectionRefusedError):
        connection.connect(("192.0.2.1", 80))
    with pytest.raises(ConnectionRefusedError):
        socket.getaddrinfo("example.invalid", 443)
    assert no_network.attempts == ["('192.0.2.1', 80)", "example.invalid"]
    no_network.attempts.clear()


def test_loopback_works() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def test_other_processes_are_guarded_through_their_path(tmp_path: Path) -> None:
    log = tmp_path / "attempts.txt"
    folder = str(Path(guard_module.__file__).parent)
    result = subprocess.run(
        [sys.executable, "-c", "import socket; socket.create_connection(('example.invalid', 80))"],
        env={"PYTHONPATH": folder, "NETWORK_GUARD_LOG": str(log)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "must not reach the network" in result.stderr
    assert log.read_text(encoding="utf-8").endswith("example.invalid\n")
