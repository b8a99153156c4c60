"""The LanceDB table of elements: opened when it is there, made with its indices on the first write, kept tidy."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from desktop_rag.core.errors import NewerDataError
from desktop_rag.core.log import get_logger
from desktop_rag.store.lance import connect, import_whole
from desktop_rag.store.schema import ADDED_COLUMNS, FORMAT, FORMAT_KEY, TABLE, table_schema
from desktop_rag.store.vector_index import tend

_log = get_logger(__name__)
KEEP = timedelta(seconds=20)
"""How long a version stays that another process may be reading from; its calls take milliseconds."""

_TRIES = 6
_FEWEST_LOOSE_ROWS = 4_000
_LOOSE_SHARE = 8
_MOST_LOOSE_WRITES = 64


class ElementTable:
    """Holds the open table. Not aware of what the rows mean; the caller serialises writes."""

    def __init__(self, uri: str, dimensions: int, read_only: bool) -> None:
        self.uri = uri
        self.dimensions = dimensions
        self._read_only = read_only
        self._lock = threading.Lock()
        self._database: Any = None
        self._table: Any = None
        self._loose_rows = 0
        self._loose_writes = 0
        self._last_write = float("-inf")
        self._last_tidy = float("-inf")
        self._tidied = False

    def existing(self) -> Any:
        """Return the table, or None while nobody has written to it. Raises NewerDataError for a newer format."""
        with self._lock:
            if self._table is None:
                self._table = self._open()
            return self._table

    def writable(self) -> Any:
        """Return the table, made if need be, with all its indices and with vectors of the right length."""
        if self._read_only:
            raise RuntimeError("this store was opened for reading")
        with self._lock:
            if self._table is None:
                self._table = self._open() or self._create()
            return self._table

    def wrote(self, rows: int) -> None:
        """Note a write; when many rows or fragments are loose, searching slows down, so tidy up."""
        self._loose_rows += rows
        self._loose_writes += 1
        self._last_write = time.monotonic()
        if self._loose_writes >= _MOST_LOOSE_WRITES or self._loose_rows >= self._most_loose_rows():
            self._tidy_after_write()

    def is_untidy(self, keep: timedelta) -> bool:
        """Return whether tidying would do anything: writes came since, or versions have grown older than ``keep``."""
        if not self._tidied or self._loose_writes:
            return True
        old_enough = self._last_write + keep.total_seconds()
        return self._last_tidy <= old_enough < time.monotonic()

    def optimize(self, keep: timedelta) -> None:
        """Bring the indices up to date, join small fragments, and delete versions older than ``keep``."""
        table = self.writable()
        started = time.perf_counter()
        # Only the one writer gets here, so files that no version knows are left-overs of a killed process.
        retried(lambda: table.optimize(cleanup_older_than=keep, delete_unverified=True))
        retried(lambda: tend(table))
        self._loose_rows = self._loose_writes = 0
        self._last_tidy, self._tidied = time.monotonic(), True
        _log.info("index tidied in %.0f ms", (time.perf_counter() - started) * 1000)

    def _tidy_after_write(self) -> None:
        try:
            self.optimize(KEEP)
        except (RuntimeError, OSError) as error:  # the write itself is committed, so it must not fail now
            _log.warning("index could not be tidied: %s", (str(error).splitlines() or [""])[0])
            self._loose_rows = self._loose_writes = 0

    def close(self) -> None:
        """Let go of the table; the next use opens it again."""
        with self._lock:
            self._table = self._database = None

    def _most_loose_rows(self) -> int:
        return max(_FEWEST_LOOSE_ROWS, int(self.writable().count_rows()) // _LOOSE_SHARE)

    def _open(self) -> Any:
        if self._read_only and "://" not in self.uri and not Path(self.uri).is_dir():
            return None
        if self._database is None:
            self._database = connect(self.uri)
        if TABLE not in self._database.list_tables().tables:
            return None
        table = self._database.open_table(TABLE)
        self._refuse_newer(table)
        if not self._read_only:
            self._complete(table)
        return table

    def _create(self) -> Any:
        table = self._database.create_table(TABLE, schema=table_schema(self.dimensions), exist_ok=True)
        self._complete(table)
        return table

    def _refuse_newer(self, table: Any) -> None:
        form = int((table.schema.metadata or {}).get(FORMAT_KEY, b"0"))
        if form > FORMAT:
            raise NewerDataError(
                f"The search index in {self.uri} was written by a newer version of Desktop RAG. "
                "Install that version, or use another workspace."
            )

    def _complete(self, table: Any) -> None:
        """Make what is left out: indices, columns of this version, a vector column that fits the embedding model."""
        import_whole()
        from lancedb.index import FTS, BTree

        missing = [name for name in ADDED_COLUMNS if name not in table.schema.names]
        if missing:
            schema = table_schema(self.dimensions)
            table.add_columns([schema.field(name) for name in missing])
        if table.schema.field("vector").type.list_size != self.dimensions:
            self._renew_vectors(table)
        there = {column for index in table.list_indices() for column in index.columns}
        wanted = {
            "words": FTS(base_tokenizer="whitespace", with_position=False, max_token_length=None),
            "document": BTree(),
            "id": BTree(),
        }
        for column, config in wanted.items():
            if column not in there:
                table.create_index(column, config=config)

    def _renew_vectors(self, table: Any) -> None:
        _log.warning("vectors have another length than the model's %d: they are made again", self.dimensions)
        schema = table_schema(self.dimensions)
        table.drop_columns(["vector", "vector_model"])
        table.add_columns([schema.field("vector"), schema.field("vector_model")])


def retried(action: Callable[[], Any]) -> Any:
    """Run ``action`` again while it meets a commit of somebody else, which is normal between write and optimize."""
    for attempt in range(_TRIES):
        try:
            return action()
        except (RuntimeError, OSError) as error:
            if attempt == _TRIES - 1 or "conflict" not in str(error).lower():
                raise
            time.sleep(0.05 * 2**attempt)
    raise AssertionError("unreachable")
