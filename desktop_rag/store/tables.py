"""Whole tables of documents, for copying them out: the index has their rows, cut to be found."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence

from desktop_rag.core.tables import TableData
from desktop_rag.store.database import Database

_SMALL_BYTES = 16_384


class Tables:
    """Tables by document and their id within it. They go when their file goes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def replace(self, document: str, tables: Sequence[TableData]) -> None:
        """Make these the tables of a document, whatever it had before."""
        with self._database.transaction():
            self._database.execute("DELETE FROM tables WHERE document = ?", (document,))
            self.add(document, tables)

    def add(self, document: str, tables: Sequence[TableData]) -> None:
        """Add tables to a document; one with a known id takes the place of the old one."""
        self._database.execute_many(
            "INSERT OR REPLACE INTO tables (document, id, content) VALUES (?, ?, ?)",
            [(document, table.id, _packed(table)) for table in tables],
        )

    def get(self, document: str, table: str) -> TableData | None:
        """Return a table of a document, or None."""
        rows = self._database.query("SELECT content FROM tables WHERE document = ? AND id = ?", (document, table))
        return _unpacked(table, rows[0][0]) if rows else None

    def small(self, document: str, limit: int) -> list[TableData]:
        """Return the first ``limit`` tables of a document that take at most 16 KB as kept: some hundred rows."""
        where = "document = ? AND length(content) <= ? ORDER BY rowid LIMIT ?"
        rows = self._database.query(f"SELECT id, content FROM tables WHERE {where}", (document, _SMALL_BYTES, limit))
        return [_unpacked(name, content) for name, content in rows]


def _packed(table: TableData) -> bytes:
    """Return the table as compressed JSON: columns repeat themselves, so it takes about a fifth."""
    return zlib.compress(json.dumps(table.as_json(), ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _unpacked(table: str, content: bytes) -> TableData:
    return TableData.from_json(table, json.loads(zlib.decompress(content)))
