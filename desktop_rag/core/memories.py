"""What a person told the program to keep in mind. Only what was said, word for word, with where it was said."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MemoryScope(StrEnum):
    """For whom a memory holds: this workspace only, or the person in all of them."""

    WORKSPACE = "workspace"
    USER = "user"


class MemoryKind(StrEnum):
    """What a memory is good for: a meaning widens searches, a wish and a fact are told to the model."""

    MEANING = "meaning"
    WISH = "wish"
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that a person said to be kept. ``term`` is what a meaning explains, ``text`` all of it as said."""

    kind: MemoryKind
    text: str
    term: str = ""
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """A kept statement: ``thread`` and ``turn`` are where it was said ("" and 0 if it was typed into the pane).

    ``said_at`` is in seconds since the epoch.
    """

    id: str
    scope: MemoryScope
    statement: Statement
    thread: str
    turn: int
    said_at: float

    def as_json(self) -> dict[str, object]:
        """Return the memory in plain values."""
        return {
            "id": self.id,
            "scope": str(self.scope),
            "kind": str(self.statement.kind),
            "text": self.statement.text,
            "thread": self.thread,
            "turn": self.turn,
        }
