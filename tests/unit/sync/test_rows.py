"""Which files a password would help."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.store.files import FileRecord
from desktop_rag.sync.rows import WAITS_FOR_PASSWORD, as_row, is_locked

RECORD = FileRecord(
    "d", 1, Path("/f/a.pdf"), "f/a.pdf", 1, 1, "h", FileState.INDEXED, "", 1, 1, "A", "pdf/2.1", {}
)  # fmt: skip
LOCKED = replace(RECORD, state=FileState.NEEDS_PASSWORD, reason="It is locked.")


@pytest.mark.parametrize(
    ("record", "locked"),
    [
        (RECORD, False),
        (LOCKED, True),
        (replace(LOCKED, reader="opendocument/1.1"), False),
        (replace(RECORD, notes={Stage.OCR: WAITS_FOR_PASSWORD}, stages={Stage.OCR: StageState.PENDING}), True),
        (replace(RECORD, notes={Stage.OCR: WAITS_FOR_PASSWORD}, stages={Stage.OCR: StageState.DONE}), False),
        (replace(RECORD, notes={Stage.OCR: "Some words."}, stages={Stage.OCR: StageState.PENDING}), False),
    ],
)
def test_a_file_is_locked_while_its_password_would_bring_more(record: FileRecord, locked: bool) -> None:
    assert is_locked(record) is locked
    assert as_row(record).locked is locked


def test_a_file_that_cannot_be_reached_is_not_asked_for() -> None:
    row = as_row(LOCKED, offline=True)
    assert (row.state, row.locked) == (FileState.OFFLINE, False)
