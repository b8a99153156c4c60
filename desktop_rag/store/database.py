"""The SQLite file: one connection, shared by the threads of this process under a lock, WAL for the other processes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from desktop_rag.core.errors import UserFacingError
from desktop_rag.store.faults import explained
from desktop_rag.store.migrations import migrate, require_current

_BUSY_MS = 10_000
_FEWEST_FREE_PAGES = 1_000
Parameters = Sequence[Any]


class Database:
    """Statements and transactions on the catalogue. Every call commits before it returns, unless in a transaction."""

    def __init__(self, path: Path, read_only: bool = False) -> None:
        """Open ``path``, creating and migrating it unless ``read_only``.

        Raises NewerDataError for data of a newer version, UserFacingError when the file is missing (read only),
        damaged or cannot be opened.
        """
        self.path = path
        self.read_only = read_only
        self._lock = threading.RLock()
        self._depth = 0
        with explained(path):
            self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.create_function("folded", 1, lambda text: str(text).casefold(), deterministic=True)
            if self.read_only:
                require_current(connection, self.path)
            else:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")  # a finished turn outlives a power cut
                migrate(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self) -> sqlite3.Connection:
        if not self.read_only:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        if not self.path.exists():
            raise UserFacingError(
                f"There is no index at {self.path.parent} yet. Add a folder first: `desktop-rag index PATH`."
            )
        address = f"{self.path.resolve().as_uri()}?mode=ro"
        return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements inside happen together or not at all; a transaction inside another one joins it."""
        with self._lock, explained(self.path):
            if self._depth == 0:
                self._connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                if self._depth == 0 and self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._depth -= 1
            if self._depth == 0:
                self._commit()

    def _commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def execute(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement that changes something; return the number of changed rows."""
        with self._lock, explained(self.path):
            return self._connection.execute(sql, parameters).rowcount

    def insert(self, sql: str, parameters: Parameters = ()) -> int:
        """Run an INSERT; return the id of the new row."""
        with self._lock, explained(self.path):
            return self._connection.execute(sql, parameters).lastrowid or 0

    def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run a statement for each of ``rows``, in one transaction."""
        with self.transaction():
            self._connection.executemany(sql, rows)

    def query(self, sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a SELECT."""
        with self._lock, explained(self.path):
            return self._connection.execute(sql, parameters).fetchall()

    def check(self) -> str:
        """Return "" when the file is whole, else SQLite's description of the damage."""
        verdict = str(self.query("PRAGMA quick_check(1)")[0][0])
        return "" if verdict == "ok" else verdict

    def compact(self) -> None:
        """Empty the write-ahead log, and shrink the file when over a quarter of it, and 4 MB, are unused."""
        size, free = (int(self.query(f"PRAGMA {name}")[0][0]) for name in ("page_count", "freelist_count"))
        if free * 4 > size and free > _FEWEST_FREE_PAGES:
            self.execute("VACUUM")
        self.query("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the connection; doing so twice does no harm."""
        with self._lock:
            self._connection.close()
