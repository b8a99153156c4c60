"""What a person is told when something fails that nobody foresaw, and what the log keeps of it."""

from __future__ import annotations

import errno
import sqlite3
import traceback
from pathlib import Path

from desktop_rag.core.errors import DesktopRagError, UserFacingError
from desktop_rag.core.log import get_logger

_log = get_logger(__name__)

_TELLING = (OSError, ImportError, AttributeError, TypeError, NameError, MemoryError, sqlite3.Error)
"""Families whose messages speak of the system or the code; those of others may quote a document or a question."""

_DISK_FULL = ("no space left on device", "database or disk is full", "not enough space on the disk")


def explain(error: Exception, log_file: Path, family: type[UserFacingError] = UserFacingError) -> DesktopRagError:
    """Return what to tell about ``error``: itself if it was raised to be told, else a ``family`` naming the log."""
    if isinstance(error, DesktopRagError):
        return error
    if _is_disk_full(error):
        return UserFacingError(
            f"The disk that holds {log_file.parent} is full. Free some space and try again: what was indexed before "
            "is kept."
        )
    log_fault(error)
    return family(f"The program hit an unexpected fault ({type(error).__name__}); details in {log_file}")


def log_fault(error: BaseException) -> None:
    """Write ``error``, its causes and where they were raised to the log, but no words of documents."""
    lines = []
    cause: BaseException | None = error
    while cause is not None:
        lines.append(f"{type(cause).__name__}{_telling_message(cause)}")
        lines += [line.rstrip() for line in traceback.format_tb(cause.__traceback__)]
        cause = cause.__cause__ or cause.__context__
    _log.error("unexpected fault: %s", "\n".join(lines))


def _telling_message(error: BaseException) -> str:
    return f": {error}" if isinstance(error, _TELLING) else ""


def _is_disk_full(error: Exception) -> bool:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    return any(words in str(error).lower() for words in _DISK_FULL)
