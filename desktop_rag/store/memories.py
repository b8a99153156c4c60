"""Kept statements: those of a workspace in its catalogue, those of the person in a file beside the workspaces."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
import uuid
from collections.abc import Iterable
from pathlib import Path

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.files import write_atomically
from desktop_rag.core.memories import Memory, MemoryKind, MemoryScope, Statement
from desktop_rag.store.database import Database


class WorkspaceMemories:
    """The statements that hold in one workspace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[Memory, ...]:
        """Return them in the order in which they were said."""
        rows = self._database.query("SELECT id, statement, thread, turn, said_at FROM memories ORDER BY said_at, rowid")
        return tuple(
            Memory(number, MemoryScope.WORKSPACE, _statement(json.loads(text)), thread, turn, said_at)
            for number, text, thread, turn, said_at in rows
        )

    def put(self, memory: Memory) -> None:
        """Keep a statement, or put it in the place of the one with the same id."""
        self._database.execute(
            "INSERT INTO memories (id, statement, thread, turn, said_at) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET statement = excluded.statement",
            (memory.id, _json(memory.statement), memory.thread, memory.turn, memory.said_at),
        )

    def forget(self, number: str) -> None:
        """Throw a statement away."""
        self._database.execute("DELETE FROM memories WHERE id = ?", (number,))


class UserMemories:
    """The statements that hold for the person in every workspace: one JSON file, written whole or not at all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def all(self) -> tuple[Memory, ...]:
        """Return them in the order in which they were said.

        Raises UserFacingError when the file cannot be read as such.
        """
        try:
            rows = json.loads(self._path.read_text(encoding="utf-8"))
            return tuple(
                Memory(
                    row["id"],
                    MemoryScope.USER,
                    _statement(row["statement"]),
                    row["thread"],
                    row["turn"],
                    row["said_at"],
                )
                for row in rows
            )
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserFacingError(
                f"{self._path}, which holds what you asked to keep in mind, cannot be read ({error}). Correct it or "
                "move it away."
            ) from error

    def put(self, memory: Memory) -> None:
        """Keep a statement, or put it in the place of the one with the same id."""
        with self._lock:
            others = {one.id: one for one in self.all()}
            self._write((others | {memory.id: memory}).values())

    def forget(self, number: str) -> None:
        """Throw a statement away."""
        with self._lock:
            self._write(one for one in self.all() if one.id != number)

    def _write(self, memories: Iterable[Memory]) -> None:
        rows = [
            {
                "id": one.id,
                "statement": dataclasses.asdict(one.statement),
                "thread": one.thread,
                "turn": one.turn,
                "said_at": one.said_at,
            }
            for one in memories
        ]
        write_atomically(self._path, json.dumps(rows, ensure_ascii=False, indent=1).encode())


def new_memory(statement: Statement, scope: MemoryScope, thread: str = "", turn: int = 0) -> Memory:
    """Return ``statement`` with an id and the time of now."""
    return Memory(uuid.uuid4().hex[:16], scope, statement, thread, turn, time.time())


def _json(statement: Statement) -> str:
    return json.dumps(dataclasses.asdict(statement), ensure_ascii=False)


def _statement(values: dict[str, str]) -> Statement:
    return Statement(MemoryKind(values["kind"]), values["text"], values.get("term", ""), values.get("meaning", ""))
