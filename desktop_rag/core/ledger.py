"""What the ledger says of folders and files: their states, their stages, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from desktop_rag.core.rules import FolderRules


class Stage(StrEnum):
    """The steps of indexing a file, in the order in which they are done."""

    TEXT = "text"
    VECTORS = "vectors"
    TABLES = "tables"
    FIGURES = "figures"
    OCR = "ocr"
    PAGES = "pages"


class StageState(StrEnum):
    """How far one stage of one file is; ``off`` means that this installation does not do the stage."""

    DONE = "done"
    PENDING = "pending"
    FAILED = "failed"
    OFF = "off"


class FileState(StrEnum):
    """Where a file stands in the ledger."""

    INDEXED = "indexed"
    PARTLY = "partly"
    PENDING = "pending"
    WORKING = "working"
    UNSUPPORTED = "unsupported"
    FAILED = "failed"
    NEEDS_PASSWORD = "needs_password"
    OFFLINE = "offline"
    IGNORED = "ignored"


class FolderState(StrEnum):
    """Where a watched folder stands; an ``offline`` folder cannot be listed now, and nothing of it is removed."""

    READY = "ready"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file of the ledger, as people see it; ``locked`` says that its password would bring more of it."""

    file: str
    document: str
    state: FileState
    reason: str
    pages: int
    elements: int
    stages: Mapping[Stage, StageState]
    bytes: int
    hash: str
    locked: bool = False
    tags: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the row in the form of the JSON contract."""
        return {
            "file": self.file,
            "state": str(self.state),
            "reason": self.reason,
            "pages": self.pages,
            "elements": self.elements,
            "stages": {str(stage): str(state) for stage, state in self.stages.items()},
            "bytes": self.bytes,
            "hash": self.hash,
            "tags": list(self.tags),
        }


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A watched folder (or single file) as people see it, with the number of its files that are ready.

    ``unread`` is the number of files that could not be read, or wait for a password; no work is left to do on them.
    ``tags`` are its own, which all its files have.
    ``looks`` says whether its pages are looked at, in the last step of indexing.
    """

    id: int
    path: str
    state: FolderState
    files: int
    ready: int
    looks: bool = True
    rules: FolderRules = field(default_factory=FolderRules)
    unread: int = 0
    tags: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the row in the form of the JSON contract."""
        rules = self.rules.as_json() if self.rules != FolderRules() else {}
        return {"path": self.path, "state": str(self.state), **rules}


@dataclass(frozen=True, slots=True)
class Ledger:
    """What the index knows of the disk: folders, files, and how many files stand in each state."""

    workspace: str
    folders: tuple[FolderRow, ...]
    files: tuple[FileRow, ...]

    def totals(self) -> dict[str, int]:
        """Return counts: files, pages, elements, bytes, and the files in each state that occurs."""
        counts = {
            "files": len(self.files),
            "pages": sum(row.pages for row in self.files),
            "elements": sum(row.elements for row in self.files),
            "bytes": sum(row.bytes for row in self.files),
        }
        for row in self.files:
            counts[str(row.state)] = counts.get(str(row.state), 0) + 1
        return counts

    def as_json(self) -> dict[str, object]:
        """Return the ledger in the form of the JSON contract."""
        return {
            "workspace": self.workspace,
            "folders": [folder.as_json() for folder in self.folders],
            "files": [row.as_json() for row in self.files],
            "totals": self.totals(),
        }
