"""The one place where faults of disk and files become sentences that a person can act on."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop_rag.core.errors import DamagedDataError, UserFacingError

_FULL_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FULL_PHRASES = (
    "database or disk is full",
    "no space left on device",
    "disk quota exceeded",
    "not enough space on the disk",
    "(os error 28)",
    "(os error 112)",
    "(os error 122)",
)
_DENIED_PHRASES = ("permission denied", "readonly database", "unable to open database file", "read-only file system")
_DAMAGED_PHRASES = ("file is not a database", "malformed", "file is encrypted")


@contextmanager
def explained(place: Path | str) -> Iterator[None]:
    """Turn faults of the world that happen inside into :class:`UserFacingError`; ``place`` is the file or folder.

    What is no such fault passes unchanged: it is a bug.
    """
    try:
        yield
    except (sqlite3.Error, OSError, RuntimeError, ValueError) as error:
        message = explain(error, place)
        if message is None:
            raise
        damaged = isinstance(error, sqlite3.Error) and any(phrase in str(error).lower() for phrase in _DAMAGED_PHRASES)
        raise (DamagedDataError if damaged else UserFacingError)(message) from error


def explain(error: Exception, place: Path | str) -> str | None:
    """Return what happened to ``place`` and what to do, or None when ``error`` is no fault of the world."""
    said = str(error).lower()
    if _is_full(error, said):
        return (
            f"The disk is full: {_folder(place)} could not be written. Free some space on that disk and try again; "
            "what was stored before is intact."
        )
    if isinstance(error, PermissionError) or any(phrase in said for phrase in _DENIED_PHRASES):
        return f"{place} cannot be opened or written. Check that the folder exists and that you may write to it."
    if isinstance(error, sqlite3.Error):
        return _explain_sqlite(error, said, place)
    if isinstance(error, OSError | RuntimeError):
        return (
            f"The search index in {place} cannot be read or written ({_first_line(error)}). Try again; "
            "if it happens again, repair it with: desktop-rag doctor --repair"
        )
    return None


def _explain_sqlite(error: sqlite3.Error, said: str, place: Path | str) -> str | None:
    if any(phrase in said for phrase in _DAMAGED_PHRASES):
        return (
            f"The catalogue {place} is damaged. Repair it with: desktop-rag doctor --repair. The damaged file is kept, "
            "your conversations are saved first, and the documents are read again."
        )
    if "locked" in said or "busy" in said:
        return f"Another program holds {place} for too long. Close other windows of this workspace and try again."
    if isinstance(error, sqlite3.OperationalError) and "i/o error" in said:
        return f"The disk reported a fault while {place} was used. Check the disk, then try again."
    return None


def _is_full(error: Exception, said: str) -> bool:
    if isinstance(error, OSError) and error.errno in _FULL_ERRNOS:
        return True
    return any(phrase in said for phrase in _FULL_PHRASES)


def _folder(place: Path | str) -> Path | str:
    return place.parent if isinstance(place, Path) and place.suffix else place


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
