"""The watched folders and single files."""

from __future__ import annotations

import json
from pathlib import Path

from desktop_rag.core.ledger import FolderState
from desktop_rag.core.rules import FolderRules
from desktop_rag.store.database import Database
from desktop_rag.store.files import FolderRecord, from_column, to_column


class Folders:
    """What the user asked to watch."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, path: Path, shown: str) -> FolderRecord:
        """Watch an absolute path; one that is watched already keeps its id and takes the new spelling."""
        self._database.execute(
            "INSERT INTO folders (path, shown, is_file, state) VALUES (?, ?, ?, ?) "
            "ON CONFLICT(path) DO UPDATE SET shown = excluded.shown, is_file = excluded.is_file",
            (to_column(str(path)), to_column(shown), path.is_file(), FolderState.READY),
        )
        return next(folder for folder in self.all() if folder.path == path)

    def all(self) -> tuple[FolderRecord, ...]:
        """Return the watched folders in the order in which they were added."""
        rows = self._database.query(
            "SELECT id, path, shown, is_file, state, looks, rules, identity FROM folders ORDER BY id"
        )
        return tuple(
            FolderRecord(
                number, Path(from_column(path)), from_column(shown), bool(is_file), FolderState(state), bool(looks),
                _rules(rules), identity,
            )
            for number, path, shown, is_file, state, looks, rules, identity in rows
        )  # fmt: skip

    def remove(self, folder_id: int) -> None:
        """Forget a folder, and with it its files and their pages; their elements must be gone before."""
        self._database.execute("DELETE FROM folders WHERE id = ?", (folder_id,))

    def set_state(self, folder_id: int, state: FolderState) -> None:
        """Record whether a folder can be listed."""
        self._database.execute("UPDATE folders SET state = ? WHERE id = ?", (state, folder_id))

    def set_looks(self, folder_id: int, looks: bool) -> None:
        """Record whether the pages of a folder's files shall be looked at."""
        self._database.execute("UPDATE folders SET looks = ? WHERE id = ?", (looks, folder_id))

    def set_rules(self, folder_id: int, rules: FolderRules) -> None:
        """Record which of its files are read; the next sync goes by it."""
        self._database.execute("UPDATE folders SET rules = ? WHERE id = ?", (json.dumps(rules.as_json()), folder_id))

    def set_identity(self, folder_id: int, identity: str) -> None:
        """Record what the system calls the folder, so that an empty mount point is not taken for an emptied folder."""
        self._database.execute("UPDATE folders SET identity = ? WHERE id = ?", (identity, folder_id))


def _rules(stored: str) -> FolderRules:
    values = json.loads(stored)
    return FolderRules(tuple(values.get("include", ())), tuple(values.get("exclude", ())))
