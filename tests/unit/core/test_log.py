"""The program's own log file."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_rag.core.log import LOGGER, get_logger, log_to


@pytest.fixture(autouse=True)
def logger_as_it_was() -> Iterator[None]:
    before, level, propagate = list(LOGGER.handlers), LOGGER.level, LOGGER.propagate
    yield
    for handler in set(LOGGER.handlers) - set(before):
        LOGGER.removeHandler(handler)
        handler.close()
    LOGGER.setLevel(level)
    LOGGER.propagate = propagate


def test_lines_of_every_module_go_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "workspace" / "desktop-rag.log"
    log_to(path)
    get_logger("desktop_rag.sync.scanner").info("scanned %d files", 3)
    assert path.read_text(encoding="utf-8").endswith("INFO desktop_rag.sync.scanner: scanned 3 files\n")


def test_naming_the_file_twice_writes_each_line_once(tmp_path: Path) -> None:
    path = tmp_path / "desktop-rag.log"
    log_to(path)
    log_to(path)
    get_logger("desktop_rag").warning("once")
    assert path.read_text(encoding="utf-8").count("once") == 1


def test_other_programs_loggers_are_left_alone(tmp_path: Path) -> None:
    before = list(logging.getLogger().handlers)
    log_to(tmp_path / "desktop-rag.log")
    assert logging.getLogger().handlers == before
