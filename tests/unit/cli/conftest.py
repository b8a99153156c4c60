"""The command line, for all of its tests."""

from __future__ import annotations

import pytest

from tests.fixtures.command_line import Cli


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)
