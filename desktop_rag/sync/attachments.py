"""Attachments: the files inside messages as documents of their own, kept beside the index as long as their message."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from blake3 import blake3

from desktop_rag.core.types import INSIDE, Attachment, SourceFile
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.files import FileRecord
from desktop_rag.sync.rows import UNREAD

DEEPEST = 3
"""A message in a message in a message: what is attached to that one is not read any more."""

TOO_DEEP = f"What is attached to it was not read: messages inside messages are opened {DEEPEST} deep."


class Attachments:
    """Gives each attachment its row in the ledger and its bytes a place: ``folder/<message>/<hash>/<name>``.

    Their bytes are kept, and not taken from the message again when they are needed, so that every stage, the picture of
    a page and "open" work on them as on any other file. What is locked stays locked there.
    """

    def __init__(self, catalogue: Catalogue, folder: Path) -> None:
        self._catalogue = catalogue
        self._folder = folder

    def replace(
        self, message: FileRecord, attachments: Sequence[Attachment], forget: Callable[[Sequence[FileRecord]], None]
    ) -> str:
        """Make the attached documents those of ``attachments``; return a sentence on what was left out, else "".

        One whose name and bytes are as before stays as it is; those that are gone are given to ``forget``.
        """
        too_deep = bool(attachments) and self._depth(message) >= DEEPEST
        wanted = {} if too_deep else self._placed(message, attachments)
        gone = [record for record in self._catalogue.files.attached(message.document) if record.path not in wanted]
        if gone:
            forget(gone)
        shown: set[str] = set()
        for path, one in wanted.items():
            name = _unused(f"{message.shown}{INSIDE}{one.name}", shown)
            shown.add(name)
            self._keep(message, path, one.data, name)
        return TOO_DEEP if too_deep else ""

    def rename(self, message: FileRecord) -> None:
        """Let the attached documents be shown under the present place of their message, and theirs in turn."""
        for record in self._catalogue.files.attached(message.document):
            name = record.shown.rpartition(INSIDE)[2]
            shown = f"{message.shown}{INSIDE}{name}"
            self._catalogue.files.update(record.document, shown=shown, folder_id=message.folder_id)
            moved = self._catalogue.files.get(record.document)
            if moved is not None:
                self.rename(moved)

    def with_attached(self, records: Sequence[FileRecord]) -> list[FileRecord]:
        """Return ``records`` with all that is attached to them, and to that."""
        found = {record.document: record for record in records}
        waiting = list(records)
        while waiting:
            for record in self._catalogue.files.attached(waiting.pop().document):
                if record.document not in found:
                    found[record.document] = record
                    waiting.append(record)
        return list(found.values())

    def drop(self, records: Sequence[FileRecord]) -> None:
        """Delete the bytes of attachments, and of what was attached to ``records``."""
        for record in records:
            if record.parent and self._folder in record.path.parents:
                shutil.rmtree(record.path.parent, ignore_errors=True)
            shutil.rmtree(self._folder / record.document, ignore_errors=True)

    def lost(self) -> list[FileRecord]:
        """Return the messages whose attachments are not where they were put: they must be read again."""
        parents = {record.parent for record in self._catalogue.files.attached() if not record.path.exists()}
        return [record for parent in parents if (record := self._catalogue.files.get(parent)) is not None]

    def _placed(self, message: FileRecord, attachments: Sequence[Attachment]) -> dict[Path, Attachment]:
        """Where each attachment lies; one that is attached twice lies, and is read, once."""
        folder = self._folder / message.document
        return {folder / blake3(one.data).hexdigest()[:16] / one.name: one for one in attachments}

    def _keep(self, message: FileRecord, path: Path, data: bytes, shown: str) -> None:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(".new")
            temporary.write_bytes(data)
            temporary.replace(path)
        known = self._catalogue.files.at(path)
        if known is not None:
            self._catalogue.files.update(known.document, shown=shown, folder_id=message.folder_id)
            return
        source = SourceFile(path, shown, message.folder_id, len(data), message.mtime_ns)
        with self._catalogue.transaction():
            record = self._catalogue.files.add(source)
            digest = blake3(data).hexdigest()
            self._catalogue.files.update(record.document, parent=message.document, hash=digest, stages=UNREAD)

    def _depth(self, record: FileRecord) -> int:
        depth = 0
        above: FileRecord | None = record
        while above is not None and above.parent:
            depth += 1
            above = self._catalogue.files.get(above.parent)
        return depth


def _unused(name: str, used: set[str]) -> str:
    """Tell attachments of the same name apart: "a.pdf", "a.pdf (2)"."""
    number, unused = 1, name
    while unused in used:
        number += 1
        unused = f"{name} ({number})"
    return unused
