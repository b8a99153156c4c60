"""Writing small files: whole or not at all, and where a person wants them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from desktop_rag.core.errors import UserFacingError


def write_atomically(path: Path, content: bytes) -> None:
    """Put ``content`` in the place of ``path``: after a crash or power cut it is the old file or the new one.

    Folders above it are made. Raises OSError when it cannot be written; the old file stays then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_for_person(path: Path, text: str) -> None:
    """Write ``text`` to the file that a person named; raises UserFacingError when that cannot be."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserFacingError(f"{path} cannot be written: {error.strerror}. Choose another place.") from error
