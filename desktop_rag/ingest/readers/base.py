"""The protocol of a reader, one per file format: a new format is a new file beside this one and a line in READERS."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from desktop_rag.core.types import ReadDocument

HEAD_BYTES = 4096
"""How much of a file its beginning is: what :meth:`Reader.accepts` gets to see."""


class Reader(Protocol):
    """Turns a file into pages and blocks in reading order, each with its place. Making one is cheap."""

    name: str
    """The format's short name, e.g. "pdf"."""

    version: int
    """Raised whenever the output for the same file changes, so that files are read again."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Say whether this reader takes a file that begins with ``head`` (:data:`HEAD_BYTES` at most).

        Content decides first, as names can lie; ``suffix`` is lower-case with its dot and decides among text formats.
        """

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the whole file. Raises NeedsPasswordError for a locked file, ReadError for an unreadable one."""


@runtime_checkable
class CountsPages(Protocol):
    """A reader that can tell the number of pages quickly; long documents get more time to be read."""

    def count_pages(self, path: Path, password: str | None) -> int:
        """Return the number of pages, or 0 if it cannot be told before reading."""


@runtime_checkable
class ShowsPages(Protocol):
    """A reader whose files have pages that can be looked at: later stages find in them what is not text."""

    def open_pages(self, path: Path, password: str | None) -> Any:
        """Return the file as an open pymupdf document with the pages as read; raises as :meth:`Reader.read`."""
