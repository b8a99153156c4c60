"""Faults of disk and files in words."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import pytest

from desktop_rag.core.errors import UserFacingError
from desktop_rag.store.faults import explained

PLACE = Path("/somewhere/catalogue.sqlite")


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.OperationalError("database or disk is full"),
        OSError(errno.ENOSPC, "No space left on device"),
        RuntimeError(
            "lance error: LanceError(IO): Generic LocalFileSystem error: No space left on device (os error 28)"
        ),
        OSError("lance error: … There is not enough space on the disk. (os error 112)"),
    ],
)
def test_a_full_disk_names_the_folder_and_the_remedy(error: Exception) -> None:
    with pytest.raises(UserFacingError, match="Free some space") as caught, explained(PLACE):
        raise error
    assert str(PLACE.parent) in str(caught.value)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (sqlite3.DatabaseError("file is not a database"), "damaged"),
        (sqlite3.DatabaseError("database disk image is malformed"), "damaged"),
        (sqlite3.OperationalError("unable to open database file"), "may write"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "may write"),
        (sqlite3.OperationalError("database is locked"), "Close other windows"),
        (sqlite3.OperationalError("disk I/O error"), "Check the disk"),
        (PermissionError(errno.EACCES, "Permission denied"), "may write"),
        (RuntimeError("lance error: corrupt file"), "doctor --repair"),
    ],
)
def test_other_faults_name_the_place_and_the_remedy(error: Exception, says: str) -> None:
    with pytest.raises(UserFacingError, match=says) as caught, explained(PLACE):
        raise error
    assert str(PLACE) in str(caught.value)


@pytest.mark.parametrize("bug", [ValueError("a bug"), sqlite3.IntegrityError("UNIQUE failed"), KeyError("x")])
def test_bugs_pass_unchanged(bug: Exception) -> None:
    with pytest.raises(type(bug)), explained(PLACE):
        raise bug
