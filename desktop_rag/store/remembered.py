"""Small things that a workspace remembers from one run to the next, by name."""

from __future__ import annotations

from desktop_rag.store.database import Database


class Remembered:
    """Names and short texts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, name: str) -> str:
        """Return what is kept under ``name``, or an empty text."""
        rows = self._database.query("SELECT value FROM remembered WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else ""

    def put(self, name: str, value: str) -> None:
        """Keep ``value`` under ``name``."""
        self._database.execute("INSERT OR REPLACE INTO remembered VALUES (?, ?)", (name, value))
