"""The tables of the catalogue, as steps that are only ever appended: a released step is never edited."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop_rag.core.errors import NewerDataError, UserFacingError


@dataclass(frozen=True, slots=True)
class Migration:
    """A named step and its statements; all of them happen in one transaction, or none."""

    name: str
    statements: tuple[str, ...]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        "0001_folders_and_files",
        (
            """CREATE TABLE folders (
                id INTEGER PRIMARY KEY AUTOINCREMENT, path NOT NULL UNIQUE, shown NOT NULL,
                is_file INTEGER NOT NULL, state TEXT NOT NULL)""",
            """CREATE TABLE files (
                document TEXT PRIMARY KEY, folder_id INTEGER NOT NULL REFERENCES folders(id) ON DELETE CASCADE,
                path NOT NULL UNIQUE, shown NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
                hash TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, pages INTEGER NOT NULL,
                elements INTEGER NOT NULL, title TEXT NOT NULL, reader TEXT NOT NULL, stages TEXT NOT NULL)""",
            "CREATE INDEX files_of_folder ON files(folder_id)",
            "CREATE INDEX files_by_hash ON files(hash)",
            """CREATE TABLE pages (
                document TEXT NOT NULL REFERENCES files(document) ON DELETE CASCADE, number INTEGER NOT NULL,
                width REAL NOT NULL, height REAL NOT NULL, label TEXT NOT NULL,
                PRIMARY KEY (document, number)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "0002_vectors",
        (
            """CREATE TABLE vectors (
                fingerprint TEXT NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL,
                PRIMARY KEY (fingerprint, hash)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "0003_chats",
        (
            """CREATE TABLE threads (
                id TEXT PRIMARY KEY, title TEXT NOT NULL, created_at REAL NOT NULL, changed_at REAL NOT NULL)""",
            """CREATE TABLE turns (
                id INTEGER PRIMARY KEY AUTOINCREMENT, thread TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
                asked_at REAL NOT NULL, question TEXT NOT NULL, answer_text TEXT NOT NULL DEFAULT '', answer TEXT)""",
            "CREATE INDEX turns_of_thread ON turns(thread)",
        ),
    ),
    Migration(
        "0004_later_stages",
        (
            "ALTER TABLE files ADD COLUMN notes TEXT NOT NULL DEFAULT '{}'",
            """CREATE TABLE parts (
                document TEXT NOT NULL REFERENCES files(document) ON DELETE CASCADE, stage TEXT NOT NULL,
                first INTEGER NOT NULL, pages INTEGER NOT NULL, doubtful INTEGER NOT NULL, failure TEXT NOT NULL,
                PRIMARY KEY (document, stage, first)) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "0005_attachments",
        (
            "ALTER TABLE files ADD COLUMN parent TEXT NOT NULL DEFAULT ''",
            "CREATE INDEX files_of_parent ON files(parent) WHERE parent <> ''",
        ),
    ),
    Migration(
        "0006_tables",
        (
            """CREATE TABLE tables (
                document TEXT NOT NULL REFERENCES files(document) ON DELETE CASCADE, id TEXT NOT NULL,
                content BLOB NOT NULL, PRIMARY KEY (document, id))""",
        ),
    ),
    Migration(
        "0009_answers",
        (
            """CREATE TABLE answers (
                id INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, index_state TEXT NOT NULL,
                question TEXT NOT NULL, vector BLOB NOT NULL, answer TEXT NOT NULL, kept_at REAL NOT NULL)""",
            "CREATE INDEX answers_of_scope ON answers(scope)",
        ),
    ),
    Migration(
        "0010_own_questions",
        (
            """CREATE TABLE own_questions (
                id INTEGER PRIMARY KEY AUTOINCREMENT, question TEXT NOT NULL, document TEXT NOT NULL,
                file TEXT NOT NULL, page INTEGER NOT NULL, marked_at REAL NOT NULL,
                UNIQUE (question, document, page))""",
            """CREATE TABLE own_runs (
                id INTEGER PRIMARY KEY AUTOINCREMENT, ran_at REAL NOT NULL, setup TEXT NOT NULL,
                report TEXT NOT NULL)""",
        ),
    ),
    Migration(
        "0011_memories",
        (
            """CREATE TABLE memories (
                id TEXT PRIMARY KEY, statement TEXT NOT NULL, thread TEXT NOT NULL, turn INTEGER NOT NULL,
                said_at REAL NOT NULL)""",
        ),
    ),
    Migration(
        "0012_descriptions",
        (
            """CREATE TABLE descriptions (
                fingerprint TEXT NOT NULL, picture TEXT NOT NULL, text TEXT NOT NULL,
                PRIMARY KEY (fingerprint, picture)) WITHOUT ROWID""",
        ),
    ),
    Migration("0013_folders_look_at_pages", ("ALTER TABLE folders ADD COLUMN looks INTEGER NOT NULL DEFAULT 1",)),
    Migration(
        "0014_in_step",
        (
            "ALTER TABLE folders ADD COLUMN rules TEXT NOT NULL DEFAULT '{}'",
            "ALTER TABLE folders ADD COLUMN identity TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE files ADD COLUMN priority INTEGER NOT NULL DEFAULT 0",
            "CREATE TABLE remembered (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        ),
    ),
    Migration(
        "0015_quick_looks",
        (
            "CREATE INDEX files_unfinished ON files(document) WHERE instr(stages, '\"pending\"')",
            "CREATE INDEX files_stamps ON files(folder_id, parent, path, shown, size, mtime_ns, hash)",
            "CREATE INDEX files_by_state ON files(state)",
            "CREATE INDEX files_by_reader ON files(reader)",
        ),
    ),
    Migration(
        "0016_tags",
        (
            """CREATE TABLE tags (
                name TEXT NOT NULL, document TEXT NOT NULL REFERENCES files(document) ON DELETE CASCADE,
                PRIMARY KEY (document, name)) WITHOUT ROWID""",
            "CREATE TABLE folder_tags (name TEXT NOT NULL, path NOT NULL, PRIMARY KEY (path, name)) WITHOUT ROWID",
        ),
    ),
)


def applied(connection: sqlite3.Connection) -> set[str]:
    """Return the names of the steps that a catalogue has behind it; an empty file has none."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").fetchone() is None:
        return set()
    return {str(row[0]) for row in connection.execute("SELECT name FROM migrations")}


def refuse_newer(done: set[str], path: Path, known: Sequence[Migration] = MIGRATIONS) -> None:
    """Raise NewerDataError when the catalogue has steps behind it that this program does not know."""
    unknown = done - {step.name for step in known}
    if unknown:
        raise NewerDataError(
            f"{path} was written by a newer version of Desktop RAG ({min(unknown)}). "
            "Install that version, or use another workspace."
        )


def migrate(connection: sqlite3.Connection, path: Path, known: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the catalogue up to date, step by step; raises NewerDataError before anything is changed."""
    connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at REAL NOT NULL)")
    refuse_newer(applied(connection), path, known)
    for step in known:
        _apply(connection, step)


def require_current(connection: sqlite3.Connection, path: Path, known: Sequence[Migration] = MIGRATIONS) -> None:
    """For a reader, which may not migrate: raise UserFacingError unless the catalogue is just what it knows."""
    done = applied(connection)
    refuse_newer(done, path, known)
    if len(done) < len(known):
        raise UserFacingError(
            f"{path} was written by an older version of Desktop RAG. Open the workspace once in the window "
            "or run `desktop-rag index`, so that it is brought up to date."
        )


def _apply(connection: sqlite3.Connection, step: Migration) -> None:
    connection.execute("BEGIN IMMEDIATE")  # another process may have been faster: look again inside
    try:
        if step.name not in applied(connection):
            for statement in step.statements:
                connection.execute(statement)
            connection.execute("INSERT INTO migrations VALUES (?, ?)", (step.name, time.time()))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
