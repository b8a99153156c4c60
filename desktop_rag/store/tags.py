"""Which files and folders have which tags. What a folder has, all files below it have, those to come as well."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from desktop_rag.store.database import Database
from desktop_rag.store.files import FileRecord, from_column, to_column


class Tags:
    """Tags by document, and by the absolute path of a folder. A file that is removed loses its own by itself."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, name: str, documents: Iterable[str], folders: Iterable[Path]) -> None:
        """Give a tag to files and folders."""
        with self._database.transaction():
            self._database.execute_many(
                "INSERT OR IGNORE INTO tags (name, document) VALUES (?, ?)", [(name, one) for one in documents]
            )
            self._database.execute_many(
                "INSERT OR IGNORE INTO folder_tags (name, path) VALUES (?, ?)",
                [(name, _column(one)) for one in folders],
            )

    def take(self, name: str, documents: Iterable[str], folders: Iterable[Path]) -> None:
        """Take a tag from files and folders."""
        with self._database.transaction():
            self._database.execute_many(
                "DELETE FROM tags WHERE name = ? AND document = ?", [(name, one) for one in documents]
            )
            self._database.execute_many(
                "DELETE FROM folder_tags WHERE name = ? AND path = ?", [(name, _column(one)) for one in folders]
            )

    @property
    def are_there(self) -> bool:
        """Whether anything has a tag: quick, where there are many files and no tags."""
        query = "SELECT EXISTS (SELECT 1 FROM tags) OR EXISTS (SELECT 1 FROM folder_tags)"
        return bool(self._database.query(query)[0][0])

    def of_folders(self) -> dict[Path, frozenset[str]]:
        """Return the tags of each folder that has any."""
        found: dict[Path, frozenset[str]] = {}
        for name, path in self._database.query("SELECT name, path FROM folder_tags"):
            folder = Path(from_column(path))
            found[folder] = found.get(folder, frozenset()) | {name}
        return found

    def of_files(self, records: Sequence[FileRecord]) -> dict[str, frozenset[str]]:
        """Return the tags of each file that has any: its own, and those of folders above it and of its message."""
        own: dict[str, frozenset[str]] = {}
        for name, document in self._database.query("SELECT name, document FROM tags"):
            own[document] = own.get(document, frozenset()) | {name}
        folders = self.of_folders()
        if not own and not folders:
            return {}
        by_document = {record.document: record for record in records}
        return {record.document: tags for record in records if (tags := _all_tags(record, by_document, own, folders))}

    def forget_below(self, folder: Path) -> None:
        """Forget the tags of a folder that is not watched any more, and of all folders below it."""
        gone = [one for one in self.of_folders() if one == folder or folder in one.parents]
        self._database.execute_many("DELETE FROM folder_tags WHERE path = ?", [(_column(one),) for one in gone])

    def before_move(self, old: Path, new: Path) -> None:
        """Let tagged folders go with a file that is about to move from ``old`` to ``new``, if they moved as wholes.

        A folder did when it is not there any more, the file stands in the same place below another one that has the
        same name or lies beside it, and no file was known below that one.
        """
        for folder in self.of_folders():
            if folder not in old.parents or folder in new.parents:
                continue
            below = old.relative_to(folder).parts
            there = Path(*new.parts[: -len(below)])
            moved = new.parts[-len(below) :] == below and (there.name == folder.name or there.parent == folder.parent)
            if moved and not folder.is_dir() and not self._has_files(there):
                values = (_column(there), _column(folder))
                self._database.execute("UPDATE OR REPLACE folder_tags SET path = ? WHERE path = ?", values)

    def _has_files(self, folder: Path) -> bool:
        first, beyond = f"{folder}{os.sep}", f"{folder}{chr(ord(os.sep) + 1)}"
        values = (to_column(first), to_column(beyond))
        return bool(self._database.query("SELECT 1 FROM files WHERE path >= ? AND path < ? LIMIT 1", values))


def _all_tags(
    record: FileRecord,
    records: Mapping[str, FileRecord],
    own: Mapping[str, frozenset[str]],
    folders: Mapping[Path, frozenset[str]],
) -> frozenset[str]:
    found = own.get(record.document, frozenset())
    parent = records.get(record.parent)
    if parent is not None:
        return found | _all_tags(parent, records, own, folders)
    if folders:
        found = found.union(*(folders[folder] for folder in record.path.parents if folder in folders))
    return found


def _column(path: Path) -> str | bytes:
    return to_column(str(path))
