"""The watched folders and single files."""

from __future__ import annotations

from pathlib import Path

from desktop_rag.core.types import FolderState
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
        rows = self._database.query("SELECT id, path, shown, is_file, state, looks FROM folders ORDER BY id")
        return tuple(
            FolderRecord(
                number, Path(from_column(path)), from_column(shown), bool(is_file), FolderState(state), bool(looks)
            )
            for number, path, shown, is_file, state, looks in rows
        )

    def remove(self, folder_id: int) -> None:
        """Forget a folder, and with it its files and their pages; their elements must be gone before."""
        self._database.execute("DELETE FROM folders WHERE id = ?", (folder_id,))

    def set_state(self, folder_id: int, state: FolderState) -> None:
        """Record whether a folder can be listed."""
        self._database.execute("UPDATE folders SET state = ? WHERE id = ?", (state, folder_id))

    def set_looks(self, folder_id: int, looks: bool) -> None:
        """Record whether the pages of a folder's files shall be looked at."""
        self._database.execute("UPDATE folders SET looks = ? WHERE id = ?", (looks, folder_id))
