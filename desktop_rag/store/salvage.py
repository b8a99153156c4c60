"""What can be saved from a damaged catalogue: conversations first, then the list of watched folders."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_rag.store.database import Database

_TABLES = {
    "threads": ("id", "title", "created_at", "changed_at"),
    "turns": ("id", "thread", "asked_at", "question", "answer_text", "answer"),
    "folders": ("id", "path", "shown", "is_file", "state", "rules", "identity"),
}
_KEPT = "kept.sqlite"
"""A small copy of these tables, made when the catalogue is sound: a file of which the first page is gone gives none."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """How much was brought over into the new catalogue."""

    threads: int
    turns: int
    folders: int


def keep_copy(database: Database) -> None:
    """Write what must never be lost into a small file beside the catalogue; raises OSError or sqlite3.Error."""
    kept = database.path.with_name(_KEPT)
    fresh = kept.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with closing(sqlite3.connect(fresh)) as copy:
        for table, columns in _TABLES.items():
            copy.execute(f"CREATE TABLE {table} ({', '.join(columns)}, PRIMARY KEY (id))")
            rows = database.query(f"SELECT {', '.join(columns)} FROM {table}")
            copy.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
        copy.commit()
    fresh.replace(kept)


def bring_over(damaged: Sequence[Path], fresh: Database) -> Salvaged:
    """Copy conversations and folders out of ``damaged`` files, the best first, into a new and empty catalogue."""
    counts = {}
    for table, columns in (
        ("threads", _TABLES["threads"]),
        ("turns", _TABLES["turns"]),
        ("folders", _TABLES["folders"]),
    ):
        names = ", ".join(columns)
        marks = ", ".join("?" * len(columns))
        for row in _rows(damaged, table, columns):
            with suppress(sqlite3.Error):
                fresh.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", row)
        counts[table] = int(fresh.query(f"SELECT count(*) FROM {table}")[0][0])
    return Salvaged(**counts)


def copies_beside(catalogue: Path) -> tuple[Path, ...]:
    """Return the files from which a damaged catalogue can be saved: itself, then the copy that was kept of it."""
    return tuple(path for path in (catalogue, catalogue.with_name(_KEPT)) if path.exists())


def _rows(files: Iterable[Path], table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for path in files:
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
            there = {str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")}
            wanted = ", ".join(name if name in there else _DEFAULTS.get(name, "NULL") for name in columns)
            for order in ("ASC", "DESC"):  # a damaged page in the middle stops either way
                with suppress(sqlite3.Error):
                    yield from connection.execute(f"SELECT {wanted} FROM {table} ORDER BY rowid {order}")


_DEFAULTS = {"rules": "'{}'", "identity": "''", "answer_text": "''"}
