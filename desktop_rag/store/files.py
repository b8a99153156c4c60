"""The ledger of files, and the pages of each document."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict, Unpack

from blake3 import blake3

from desktop_rag.core.ledger import FileState, FolderState, Stage, StageState
from desktop_rag.core.rules import FolderRules
from desktop_rag.core.types import Page, SourceFile
from desktop_rag.store.database import Database

_COLUMNS = (
    "document, folder_id, path, shown, size, mtime_ns, hash, state, reason, pages, elements, title, reader, stages, "
    "notes, parent, priority"
)


@dataclass(frozen=True, slots=True)
class FolderRecord:
    """A watched folder, or a single file; ``path`` is absolute, ``shown`` is as the user gave it.

    ``looks`` says whether the page stage takes its files.
    ``identity`` is what the system called it when files were last found in it, or its folder for a single file.
    """

    id: int
    path: Path
    shown: str
    is_file: bool
    state: FolderState
    looks: bool = True
    rules: FolderRules = field(default_factory=FolderRules)
    identity: str = ""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as the ledger has it; ``document`` is its id, ``pages`` and ``elements`` are counts, ``size`` is bytes.

    ``notes`` holds what each stage has to say of it; ``reason`` is what people are told. ``parent`` is the document
    that it is attached to, empty for a file that lies on the disk by itself. A higher ``priority`` goes first.
    """

    document: str
    folder_id: int
    path: Path
    shown: str
    size: int
    mtime_ns: int
    hash: str
    state: FileState
    reason: str
    pages: int
    elements: int
    title: str
    reader: str
    stages: Mapping[Stage, StageState]
    notes: Mapping[Stage, str] = field(default_factory=dict)
    parent: str = ""
    priority: int = 0


Stamp = tuple[str, str, int, int]
"""The little that tells whether a file of the ledger is unchanged: absolute path, path as shown, bytes, time of change.

A plain tuple, for there are as many as files. One that was never looked at has -1 bytes, so that it is like no file.
"""


@dataclass(frozen=True, slots=True)
class PartRecord:
    """The pages from ``first`` on of which a later stage is done: on how many it found something and had doubts.

    ``failure`` is the reason why it could not look at them, else empty.
    """

    first: int
    pages: int
    doubtful: int
    failure: str = ""


class FileFields(TypedDict, total=False):
    """What :meth:`Files.update` can change."""

    folder_id: int
    path: Path
    shown: str
    size: int
    mtime_ns: int
    hash: str
    state: FileState
    reason: str
    pages: int
    elements: int
    title: str
    reader: str
    stages: Mapping[Stage, StageState]
    notes: Mapping[Stage, str]
    parent: str
    priority: int


class Files:
    """Rows of the ledger by document id; a path occurs once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, folder_id: int | None = None) -> tuple[FileRecord, ...]:
        """Return all files, or those of one folder, by path."""
        where, values = ("", ()) if folder_id is None else ("WHERE folder_id = ?", (folder_id,))
        rows = self._database.query(f"SELECT {_COLUMNS} FROM files {where} ORDER BY path", values)
        return tuple(_record(row) for row in rows)

    def digest(self) -> str:
        """Return a digest of what is indexed: it changes with every document that comes, goes or is read further."""
        rows = self._database.query("SELECT document, hash, reader, elements, stages FROM files ORDER BY document")
        digest = blake3()
        for row in rows:
            digest.update(repr(row).encode("utf-8", "surrogateescape"))
        return str(digest.hexdigest())[:32]

    def stamps(self, folder_id: int) -> dict[str, Stamp]:
        """Return the stamps of a folder's files that lie on the disk by themselves, by path: quick for 100,000, too."""
        rows = self._database.query(
            "SELECT path, shown, CASE hash WHEN '' THEN -1 ELSE size END, mtime_ns "
            "FROM files WHERE folder_id = ? AND parent = ''",
            (folder_id,),
        )
        stamps: dict[str, Stamp] = {row[0]: row for row in rows}
        for path, shown, *numbers in [row for row in rows if type(row[0]) is bytes or type(row[1]) is bytes]:
            del stamps[path]
            stamps[from_column(path)] = (from_column(path), from_column(shown), *numbers)
        return stamps

    def unfinished(self) -> tuple[FileRecord, ...]:
        """Return the files of which at least one stage is pending, by path."""
        where = "instr(stages, '\"pending\"') ORDER BY path"
        rows = self._database.query(f"SELECT {_COLUMNS} FROM files INDEXED BY files_unfinished WHERE {where}")
        return tuple(_record(row) for row in rows)

    def in_states(self, states: Iterable[FileState]) -> tuple[FileRecord, ...]:
        """Return the files in one of these states, by path."""
        values = [str(state) for state in states]
        return self._some(f"state IN ({', '.join('?' * len(values))})", values)

    def newest(self, limit: int) -> tuple[FileRecord, ...]:
        """Return at most ``limit`` files that something is known of, the one that was changed last first."""
        states = (FileState.INDEXED, FileState.PARTLY)
        rows = self._database.query(
            f"SELECT {_COLUMNS} FROM files WHERE elements > 0 AND state IN (?, ?) ORDER BY mtime_ns DESC, path LIMIT ?",
            (*map(str, states), limit),
        )
        return tuple(_record(row) for row in rows)

    def count_in(self, states: Iterable[FileState]) -> int:
        """Return how many files are in one of these states."""
        values = [str(state) for state in states]
        marks = ", ".join("?" * len(values))
        return int(self._database.query(f"SELECT count(*) FROM files WHERE state IN ({marks})", values)[0][0])

    def readers(self) -> frozenset[str]:
        """Return the labels of those who read the files."""
        return frozenset(row[0] for row in self._database.query("SELECT DISTINCT reader FROM files"))

    def read_by(self, reader: str) -> tuple[FileRecord, ...]:
        """Return the files that were read by ``reader``, by path."""
        return self._some("reader = ?", (reader,))

    def element_counts(self) -> dict[str, int]:
        """Return the number of elements of each document, as the ledger has it."""
        return dict(self._database.query("SELECT document, elements FROM files"))

    def get(self, document: str) -> FileRecord | None:
        """Return a file by its document id."""
        return self._one("document = ?", document)

    def at(self, path: Path) -> FileRecord | None:
        """Return the file at an absolute path."""
        return self._one("path = ?", to_column(str(path)))

    def add(self, source: SourceFile) -> FileRecord:
        """Add a file in state ``pending`` under a new document id; one that is there keeps its id and its content."""
        self._database.execute(
            f"INSERT INTO files ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, '', ?, '', 0, 0, '', '', '{{}}', '{{}}', '', 0) "
            "ON CONFLICT(path) DO UPDATE SET folder_id = excluded.folder_id, shown = excluded.shown, "
            "size = excluded.size, mtime_ns = excluded.mtime_ns, state = excluded.state, reason = ''",
            (uuid.uuid4().hex, *_source_values(source), FileState.PENDING),
        )
        record = self.at(source.path)
        assert record is not None
        return record

    def attached(self, parent: str | None = None) -> tuple[FileRecord, ...]:
        """Return the files that are attached to a document, or to any, by path."""
        where, values = ("parent <> ''", ()) if parent is None else ("parent <> '' AND parent = ?", (parent,))
        few = "files INDEXED BY files_of_parent"  # by itself SQLite goes through all files, as their paths are in order
        rows = self._database.query(f"SELECT {_COLUMNS} FROM {few} WHERE {where} ORDER BY path", values)
        return tuple(_record(row) for row in rows)

    def update(self, document: str, **fields: Unpack[FileFields]) -> None:
        """Change the given fields of a file; an unknown document is left alone."""
        if not fields:
            return
        unknown = fields.keys() - FileFields.__annotations__.keys()
        if unknown:
            raise TypeError(f"a file has no field {', '.join(sorted(unknown))}")
        names = ", ".join(f"{name} = ?" for name in fields)
        values = [_value(name, value) for name, value in fields.items()]
        self._database.execute(f"UPDATE files SET {names} WHERE document = ?", (*values, document))

    def relocate_attached(self, old: Path, new: Path) -> None:
        """Note that what lies below ``old`` in the workspace, attachments of messages, lies below ``new`` now."""
        with self._database.transaction():
            for record in self._some("parent <> ''", ()):
                if old in record.path.parents:
                    self.update(record.document, path=new / record.path.relative_to(old))

    def put_first(self, documents: Sequence[str]) -> None:
        """Give files the highest priority of all; among themselves they are equal."""
        self._database.execute_many(
            "UPDATE files SET priority = (SELECT max(priority) FROM files) + ? WHERE document = ?",
            [(int(number == 0), document) for number, document in enumerate(documents)],
        )

    def read_again(self, documents: Iterable[str]) -> None:
        """Let files wait for all their stages once more; what is known of their content stays until then."""
        stages = dict.fromkeys(Stage, StageState.OFF) | {
            Stage.TEXT: StageState.PENDING,
            Stage.VECTORS: StageState.PENDING,
        }
        with self._database.transaction():
            for document in documents:
                self.update(document, state=FileState.PENDING, reason="", stages=stages)

    def move(self, document: str, source: SourceFile) -> None:
        """Give a file its new place; what is known of its content stays."""
        self._database.execute(
            "UPDATE files SET folder_id = ?, path = ?, shown = ?, size = ?, mtime_ns = ? WHERE document = ?",
            (*_source_values(source), document),
        )

    def remove(self, documents: Iterable[str]) -> None:
        """Forget files and their pages; their elements must be gone before."""
        self._database.execute_many("DELETE FROM files WHERE document = ?", [(document,) for document in documents])

    def pages(self, document: str) -> tuple[Page, ...]:
        """Return the pages of a document in file order."""
        rows = self._database.query(
            "SELECT number, width, height, label FROM pages WHERE document = ? ORDER BY number", (document,)
        )
        return tuple(Page(*row) for row in rows)

    def finish_text(
        self,
        document: str,
        digest: str,
        title: str,
        reader: str,
        pages: Sequence[Page],
        elements_count: int,
        stages: Mapping[Stage, StageState],
        state: FileState,
        reason: str = "",
        notes: Mapping[Stage, str] | None = None,
    ) -> None:
        """Record, in one transaction, that the elements of a file are committed: its pages, counts and state.

        What later stages found in a former version of it is forgotten.
        """
        with self._database.transaction():
            self.update(
                document, hash=digest, title=title, reader=reader, pages=len(pages), elements=elements_count,
                stages=stages, state=state, reason=reason, notes=notes or {},
            )  # fmt: skip
            self._database.execute("DELETE FROM parts WHERE document = ?", (document,))
            self._database.execute("DELETE FROM pages WHERE document = ?", (document,))
            self._database.execute_many(
                "INSERT INTO pages (document, number, width, height, label) VALUES (?, ?, ?, ?, ?)",
                [(document, page.number, page.width, page.height, page.label) for page in pages],
            )

    def parts(self, document: str, stage: Stage) -> tuple[PartRecord, ...]:
        """Return the parts of a document that a later stage has behind it, in page order."""
        rows = self._database.query(
            "SELECT first, pages, doubtful, failure FROM parts WHERE document = ? AND stage = ? ORDER BY first",
            (document, str(stage)),
        )
        return tuple(PartRecord(*row) for row in rows)

    def finish_part(self, document: str, stage: Stage, part: PartRecord, **fields: Unpack[FileFields]) -> None:
        """Record, in one transaction, that what a later stage found in a part is committed, and change ``fields``."""
        with self._database.transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO parts (document, stage, first, pages, doubtful, failure) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (document, str(stage), part.first, part.pages, part.doubtful, part.failure),
            )
            self.update(document, **fields)

    def _some(self, condition: str, values: Sequence[object]) -> tuple[FileRecord, ...]:
        rows = self._database.query(f"SELECT {_COLUMNS} FROM files WHERE {condition} ORDER BY path", values)
        return tuple(_record(row) for row in rows)

    def _one(self, condition: str, value: object) -> FileRecord | None:
        rows = self._database.query(f"SELECT {_COLUMNS} FROM files WHERE {condition}", (value,))
        return _record(rows[0]) if rows else None


def to_column(text: str) -> str | bytes:
    """Return a path for SQLite: text, or bytes where a Unix name is not UTF-8 and Python shows it with surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
    return text


def from_column(value: str | bytes) -> str:
    """Return the path that :func:`to_column` stored."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def _source_values(source: SourceFile) -> tuple[object, ...]:
    return source.folder_id, to_column(str(source.path)), to_column(source.shown), source.size, source.mtime_ns


def _value(name: str, value: object) -> object:
    if name in ("path", "shown"):
        return to_column(os.fspath(value) if isinstance(value, Path) else str(value))
    if isinstance(value, Mapping):
        return json.dumps({str(stage): str(state) for stage, state in value.items()})
    return value


def _record(row: tuple[Any, ...]) -> FileRecord:
    (
        document, folder_id, path, shown, size, mtime_ns, digest, state, reason, pages, elements, title, reader, stages,
        notes, parent, priority,
    ) = row  # fmt: skip
    return FileRecord(
        document=document,
        folder_id=folder_id,
        path=Path(from_column(path)),
        shown=from_column(shown),
        size=size,
        mtime_ns=mtime_ns,
        hash=digest,
        state=FileState(state),
        reason=reason,
        pages=pages,
        elements=elements,
        title=title,
        reader=reader,
        stages={Stage(stage): StageState(of) for stage, of in json.loads(stages).items()},
        notes={Stage(stage): note for stage, note in json.loads(notes).items()},
        parent=parent,
        priority=priority,
    )
