"""Locked files and their passwords: which files wait for one, and what happens when somebody enters it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from desktop_rag.core.errors import NeedsPasswordError, UserFacingError
from desktop_rag.core.ledger import FileRow, FileState
from desktop_rag.core.passwords import Passwords
from desktop_rag.ingest.workers import ParseFailure, ParsePool
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.files import FileRecord
from desktop_rag.sync.reading import reason_of, settled_state
from desktop_rag.sync.rows import UNREAD, WAITS_FOR_PASSWORD, as_row, is_locked


class Unlocker:
    """Takes passwords, tries them, and lets the files that they are for be read by the next sync."""

    def __init__(self, catalogue: Catalogue, passwords: Passwords, open_pool: Callable[[], ParsePool]) -> None:
        self._catalogue = catalogue
        self._passwords = passwords
        self._open_pool = open_pool

    def locked(self) -> tuple[FileRow, ...]:
        """Return the files that can be read, or read to their end, once their password is known."""
        return tuple(as_row(record) for record in self._catalogue.files.all() if is_locked(record))

    def unlock(self, document: str, password: str, for_others: bool) -> FileRow:
        """Keep ``password`` if it opens the document, and with ``for_others`` try it on every locked file from now on.

        Raises NeedsPasswordError when it does not open it, UserFacingError when the document is gone.
        """
        record = self._catalogue.files.get(document)
        if record is None:
            raise UserFacingError("This document is not in the workspace any more.")
        if not password:
            raise NeedsPasswordError(f"Enter the password of {record.path.name}.")
        self._try(record, password)
        self._passwords.give(document, password)
        self._read_on(record)
        if for_others:
            self.take([password])
        return as_row(self._catalogue.files.get(document) or record)

    def take(self, passwords: Sequence[str]) -> None:
        """Try ``passwords`` on every file that is locked, and on those to come."""
        for password in passwords:
            self._passwords.give_for_any(password)
        if passwords:
            for record in self._catalogue.files.all():
                if is_locked(record):
                    self._read_on(record)

    def _try(self, record: FileRecord, password: str) -> None:
        pool = self._open_pool()
        try:
            outcome = pool.submit(record.document, record.path, (password,)).result()
        finally:
            pool.close()
        if isinstance(outcome, ParseFailure) and outcome.state is FileState.NEEDS_PASSWORD:
            raise NeedsPasswordError(outcome.reason)

    def _read_on(self, record: FileRecord) -> None:
        """Let a file be read; of one that is in the index, let the stages go on that wait for its password."""
        files = self._catalogue.files
        if record.state is FileState.NEEDS_PASSWORD:
            files.update(record.document, state=FileState.PENDING, reason="", stages=UNREAD)
            return
        notes = {stage: note for stage, note in record.notes.items() if note != WAITS_FOR_PASSWORD}
        if notes == record.notes:
            return
        reason = reason_of(notes)
        files.update(record.document, notes=notes, reason=reason, state=settled_state(reason))
