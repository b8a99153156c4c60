"""Whether a password opens a file: what a worker does before the password is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop_rag.core.errors import ReadError
from desktop_rag.ingest.later import PartRead
from desktop_rag.ingest.parse import ParseFailure, failure_of

ENTRY = "desktop_rag.ingest.unlocking:try_password"


def try_password(
    document: str, path: Path, password: str | None, max_tokens: int, on_pages: Callable[[int], None]
) -> PartRead | ParseFailure:
    """Open a file, as a worker does it: a ParseFailure in the state ``needs_password`` means that it stays shut.

    Whatever else may be wrong with the file is found, and said, when it is read.
    """
    from desktop_rag.ingest.readers import find_reader
    from desktop_rag.ingest.readers.base import ShowsPages

    try:
        reader = find_reader(path)
        if isinstance(reader, ShowsPages):
            reader.open_pages(path, password).close()
        else:
            reader.read(path, password)
    except ReadError as error:
        return failure_of(error)
    except Exception:  # it is open: reading it will say what is wrong with it
        return PartRead((), 0)
    return PartRead((), 0)
