"""The rows of the ledger as people see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from desktop_rag.core.ledger import FileRow, FileState, Stage, StageState
from desktop_rag.store.files import FileRecord

WAITS_FOR_PASSWORD = "What is still to be looked for in it waits for its password."
"""The note of a stage that found a file locked whose text is in the index already: the password was forgotten."""

UNREAD: Mapping[Stage, StageState] = MappingProxyType(
    dict.fromkeys(Stage, StageState.OFF) | {Stage.TEXT: StageState.PENDING, Stage.VECTORS: StageState.PENDING}
)
"""The stages of a file that is still to be read: what else has to be done for it, its reader will tell."""

_NEVER_UNLOCKED = "opendocument/"


def is_locked(record: FileRecord) -> bool:
    """Return whether the password of a file would bring more of it into the index."""
    if record.state is FileState.NEEDS_PASSWORD:
        return not record.reader.startswith(_NEVER_UNLOCKED)
    return any(
        note == WAITS_FOR_PASSWORD and record.stages.get(stage) is StageState.PENDING
        for stage, note in record.notes.items()
    )


def as_row(record: FileRecord, *, offline: bool = False, tags: Iterable[str] = ()) -> FileRow:
    """Return ``record`` as people see it; the files of an offline folder are offline whatever their own state."""
    locked = is_locked(record) and not offline
    if offline:
        record = replace(
            record,
            state=FileState.OFFLINE,
            reason="Its folder cannot be reached now; what is indexed stays searchable.",
        )
    return FileRow(
        file=record.shown,
        document=record.document,
        state=record.state,
        reason=record.reason,
        pages=record.pages,
        elements=record.elements,
        stages=record.stages,
        bytes=record.size,
        hash=record.hash,
        locked=locked,
        tags=tuple(sorted(tags)),
    )
