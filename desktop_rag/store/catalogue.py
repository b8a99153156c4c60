"""The catalogue of a workspace: one SQLite file, by its parts."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Self

from desktop_rag.store.answers import Answers
from desktop_rag.store.chats import Chats
from desktop_rag.store.database import Database
from desktop_rag.store.descriptions import Descriptions
from desktop_rag.store.files import Files
from desktop_rag.store.folders import Folders
from desktop_rag.store.memories import WorkspaceMemories
from desktop_rag.store.own_questions import OwnQuestions
from desktop_rag.store.remembered import Remembered
from desktop_rag.store.salvage import keep_copy
from desktop_rag.store.tables import Tables
from desktop_rag.store.tags import Tags
from desktop_rag.store.vector_cache import VectorCache


class Catalogue:
    """Folders, ledger, tables, what models made, chats, kept answers, own questions. Safe from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.folders = Folders(database)
        self.files = Files(database)
        self.vectors = VectorCache(database)
        self.descriptions = Descriptions(database)
        self.chats = Chats(database)
        self.answers = Answers(database)
        self.memories = WorkspaceMemories(database)
        self.tables = Tables(database)
        self.own = OwnQuestions(database)
        self.remembered = Remembered(database)
        self.tags = Tags(database)

    @staticmethod
    def open(path: Path, read_only: bool = False) -> Catalogue:
        """Open the catalogue, creating and migrating it unless ``read_only``.

        Raises NewerDataError for data of a newer version, UserFacingError when the file is damaged, cannot be opened,
        or does not exist (read only).
        """
        return Catalogue(Database(path, read_only))

    def transaction(self) -> AbstractContextManager[None]:
        """All calls inside are one commit, or none if an exception leaves it: for many small changes at once."""
        return self._database.transaction()

    def check(self) -> str:
        """Return "" when the file is whole, else SQLite's description of the damage."""
        return self._database.check()

    def keep_copy(self) -> None:
        """Keep a copy of conversations and folders in a file of its own, in case that the catalogue is damaged."""
        keep_copy(self._database)

    def compact(self) -> None:
        """Give back to the system what deletions left, if it is worth the work."""
        self._database.compact()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
