"""The part of an open library that stays in step with the disk: watched folders, their files, and locked ones."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.events import LibraryEvent
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import FileRow, FileState, FolderRow, FolderState, Ledger, Stage
from desktop_rag.core.reports import (
    SyncSummary,
)
from desktop_rag.core.rules import FolderRules
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.files import FileRecord, FolderRecord
from desktop_rag.sync.reading import STAGES_OF_THIS_VERSION
from desktop_rag.sync.rows import as_row
from desktop_rag.sync.rules import is_inside
from desktop_rag.sync.synchronizer import Synchronizer
from desktop_rag.sync.unlocking import Unlocker
from desktop_rag.sync.watcher import Watcher

_PAUSED = "paused"
_READY = (FileState.INDEXED, FileState.PARTLY, FileState.UNSUPPORTED, FileState.IGNORED)
_UNREAD = (FileState.FAILED, FileState.NEEDS_PASSWORD)


class Watching(ABC):
    """Folders and files of one workspace; the library is one of these."""

    _catalogue: Catalogue
    _syncing: threading.Lock
    _courtesy: Courtesy
    _watcher: Watcher | None

    @property
    @abstractmethod
    def workspace(self) -> str:
        """The workspace's name."""

    @property
    @abstractmethod
    def _synchronizer(self) -> Synchronizer:
        """What brings the index in step with the disk."""

    @property
    @abstractmethod
    def _unlocker(self) -> Unlocker:
        """What tries passwords."""

    @abstractmethod
    def _need_writer(self) -> None:
        """Raise UserFacingError when the workspace is open for reading only."""

    def add_paths(self, paths: Sequence[str]) -> tuple[FolderRow, ...]:
        """Watch folders, or single files; one that is watched already, itself or by a folder above it, stays as it is.

        Raises UserFacingError when a path does not exist or cannot be read; then none is added.
        """
        self._need_writer()
        for shown in paths:
            _check_readable(shown)
        for shown in paths:
            path = Path(shown).resolve()
            watched = [folder for folder in self._catalogue.folders.all() if not folder.is_file]
            if not any(is_inside(path, folder.path) for folder in watched):
                self._catalogue.folders.add(path, shown)
        self._watch_roots()
        return self.folders()

    def remove_folder(self, folder_id: int) -> None:
        """Stop watching a folder and take its documents out of the index; nothing on the disk is touched."""
        self._need_writer()
        with self._syncing:
            records = self._catalogue.files.all(folder_id)
            self._synchronizer.forget(records)
            for folder in self._catalogue.folders.all():
                if folder.id == folder_id:
                    self._catalogue.tags.forget_below(folder.path)
            self._catalogue.folders.remove(folder_id)
        self._watch_roots()

    def step_back(self) -> None:
        """Have slow stages leave the cores to other programs from now on: nobody waits for them."""
        self._courtesy.steps_back = True

    def watch(self, due: Callable[[frozenset[Path]], None]) -> None:
        """Call ``due``, from a thread of its own, with the watched folders that changed and are quiet again."""
        self._need_writer()
        self._watcher = Watcher(due)
        self._watcher.start()
        self._watch_roots()

    def set_rules(self, folder_id: int, rules: FolderRules) -> None:
        """Choose which files of a folder are read; the next sync goes by it."""
        self._need_writer()
        self._catalogue.folders.set_rules(folder_id, rules)

    def read_first(self, documents: Sequence[str]) -> None:
        """Let these files go before all others in every stage that they wait for."""
        self._need_writer()
        self._catalogue.files.put_first(documents)

    def retry(self, documents: Sequence[str]) -> None:
        """Read these files once more at the next sync, whatever came of it before."""
        self._need_writer()
        self._catalogue.files.read_again(documents)

    @property
    def paused(self) -> bool:
        """Whether a person let the reading wait; it still does after the program was closed."""
        return self._catalogue.remembered.get(_PAUSED) == "yes"

    def set_paused(self, paused: bool) -> None:
        """Remember that the reading waits, or that it goes on."""
        self._need_writer()
        self._catalogue.remembered.put(_PAUSED, "yes" if paused else "")

    def folders(self) -> tuple[FolderRow, ...]:
        """Return the watched folders with the number of their files that are known and that are ready."""
        return self._folder_rows(self._catalogue.files.all())

    def offline_note(self, documents: Iterable[str]) -> str:
        """Return a sentence on the folders of these documents that cannot be reached now; empty if all can."""
        shown = {folder.id: folder.shown for folder in self._catalogue.folders.all() if _is_offline(folder)}
        records = (self._catalogue.files.get(document) for document in dict.fromkeys(documents)) if shown else ()
        folders = dict.fromkeys(shown[record.folder_id] for record in records if record and record.folder_id in shown)
        if not folders:
            return ""
        return f"Offline now: {', '.join(folders)}. What is shown of it is what was read when it was last there."

    def status(self) -> Ledger:
        """Return the whole ledger."""
        records = self._catalogue.files.all()
        folders = self._catalogue.folders.all()
        offline = {folder.id for folder in folders if folder.state is FolderState.OFFLINE}
        tags = self._catalogue.tags.of_files(records)
        rows = tuple(
            as_row(record, offline=record.folder_id in offline, tags=tags.get(record.document, ()))
            for record in records
        )
        return Ledger(self.workspace, self._folder_rows(records), rows)

    def sync(
        self,
        *,
        stages: Collection[Stage] | None = None,
        job: Job | None = None,
        emit: Callable[[LibraryEvent], None] | None = None,
        only: Collection[Path] | None = None,
    ) -> SyncSummary:
        """Bring the index in step with the disk; returns when it is. A second call waits for the first.

        With ``only``, folders that hold none of these paths are taken to be as they were. Raises CancelledError when
        ``job`` ends; what was done by then stays.
        """
        self._need_writer()
        wanted = stages if stages is not None else STAGES_OF_THIS_VERSION
        with self._syncing:
            summary = self._synchronizer.run(wanted, job or Job(), emit or (lambda _: None), only)
        self._watch_roots()
        return summary

    # Locked files

    def locked(self) -> tuple[FileRow, ...]:
        """Return the files of which more can be read once their password is known."""
        return self._unlocker.locked()

    def unlock(self, document: str, password: str, *, for_others: bool = False) -> FileRow:
        """Take the password of a locked file; the next sync reads it. It is kept until this library is closed.

        With ``for_others`` it is tried on every locked file. Raises NeedsPasswordError when it does not open the file.
        """
        self._need_writer()
        return self._unlocker.unlock(document, password, for_others)

    def take_passwords(self, passwords: Sequence[str]) -> None:
        """Have the next syncs try ``passwords`` on every locked file; they are kept until this library is closed."""
        self._need_writer()
        self._unlocker.take(passwords)

    def _watch_roots(self) -> None:
        if self._watcher is not None:
            self._watcher.watch(folder.path for folder in self._catalogue.folders.all())

    def _folder_rows(self, records: Sequence[FileRecord]) -> tuple[FolderRow, ...]:
        known = Counter(record.folder_id for record in records)
        ready = Counter(record.folder_id for record in records if record.state in _READY)
        unread = Counter(record.folder_id for record in records if record.state in _UNREAD)
        folders = self._catalogue.folders.all()
        tags = self._tags_of(folders, records)
        return tuple(
            FolderRow(
                folder.id,
                folder.shown,
                folder.state,
                known[folder.id],
                ready[folder.id],
                folder.looks,
                folder.rules,
                unread[folder.id],
                tuple(sorted(tags.get(folder.id, ()))),
            )
            for folder in folders
        )

    def _tags_of(self, folders: Sequence[FolderRecord], records: Sequence[FileRecord]) -> dict[int, frozenset[str]]:
        """Return the tags of each watched folder, or single file, by its number."""
        if not self._catalogue.tags.are_there:
            return {}
        single = {folder.id for folder in folders if folder.is_file}
        files = {record.document: record.folder_id for record in records if record.folder_id in single}
        of_files = self._catalogue.tags.of_files([record for record in records if record.document in files])
        of_folders = self._catalogue.tags.of_folders()
        found = {folder.id: of_folders[folder.path] for folder in folders if folder.path in of_folders}
        return {**found, **{files[document]: tags for document, tags in of_files.items()}}


def _is_offline(folder: FolderRecord) -> bool:
    return folder.state is FolderState.OFFLINE


def _check_readable(shown: str) -> None:
    path = Path(shown)
    if not path.exists():
        raise UserFacingError(f"'{shown}' does not exist. Check the spelling, or whether its disk is connected.")
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise UserFacingError(f"'{shown}' cannot be read. Check its permissions.")
