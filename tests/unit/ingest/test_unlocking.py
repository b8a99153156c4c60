"""Locked files in the workers: every stage says that a password is missing, and takes the one that opens the file."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop_rag.core.ledger import FileState
from desktop_rag.ingest import ocr_stage, table_stage, unlocking
from desktop_rag.ingest.later import Part
from desktop_rag.ingest.parse import Parsed, ParseFailure, parse
from desktop_rag.ingest.workers import ParsePool
from tests.fixtures.locked_files import lock_pdf, lock_word


def entry(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Any = getattr(importlib.import_module(module), function)
    return found() if isinstance(found, type) else found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    lock_pdf(tmp_path / "a.pdf", "The locks of the canal.", "sluice")
    return tmp_path / "a.pdf"


@pytest.mark.parametrize("stage", [table_stage.ENTRY, ocr_stage.ENTRY])
def test_a_later_stage_tells_a_missing_password_from_a_fault(path: Path, stage: str) -> None:
    for password in (None, "weir"):
        outcome = entry(stage)("d", path, password, 160, lambda _pages: None, Part("t", 1, 1))
        assert isinstance(outcome, ParseFailure)
        assert outcome.state is FileState.NEEDS_PASSWORD
    assert not isinstance(entry(stage)("d", path, "sluice", 160, lambda _pages: None, Part("t", 1, 1)), ParseFailure)


@pytest.mark.parametrize("name", ["a.pdf", "b.docx"])
def test_a_password_is_tried_without_reading_the_file_into_the_index(tmp_path: Path, path: Path, name: str) -> None:
    lock_word(tmp_path / "b.docx", "The gates of the canal.", "sluice")
    attempt = entry(unlocking.ENTRY)
    refused = attempt("d", tmp_path / name, "weir", 160, lambda _pages: None)
    assert isinstance(refused, ParseFailure)
    assert (refused.state, "does not open" in refused.reason) == (FileState.NEEDS_PASSWORD, True)
    assert not isinstance(attempt("d", tmp_path / name, "sluice", 160, lambda _pages: None), ParseFailure)


def test_a_file_that_is_open_but_damaged_needs_no_other_password(tmp_path: Path) -> None:
    (tmp_path / "torn.docx").write_bytes(b"PK\x03\x04 torn")
    outcome = entry(unlocking.ENTRY)("d", tmp_path / "torn.docx", "any", 160, lambda _pages: None)
    assert not (isinstance(outcome, ParseFailure) and outcome.state is FileState.NEEDS_PASSWORD)


def test_the_length_of_a_locked_file_is_told_so_that_it_gets_its_time(path: Path) -> None:
    told: list[int] = []
    assert isinstance(parse("d", path, "sluice", 160, told.append), Parsed)
    assert told == [1]


def test_a_worker_tries_one_password_after_the_other(path: Path) -> None:
    pool = ParsePool(1, 60, 2048, 160)
    try:
        opened = pool.submit("d", path, ("weir", "sluice", "lock")).result()
        shut = pool.submit("d", path, ("weir", "lock")).result()
    finally:
        pool.close()
    assert isinstance(opened, Parsed)
    assert opened.elements[0].text == "The locks of the canal."
    assert isinstance(shut, ParseFailure)
    assert shut.state is FileState.NEEDS_PASSWORD
