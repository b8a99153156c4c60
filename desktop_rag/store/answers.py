"""Answers kept for the next time the same is asked, each bound to the state of the index that it came from."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from desktop_rag.core.answers import Answer
from desktop_rag.store.answer_json import dump_answer, load_answer
from desktop_rag.store.database import Database

_MOST = 500


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer with its question as it was searched, and the question's vector (float32; empty without one)."""

    id: int
    question: str
    vector: NDArray[np.float32]


class Answers:
    """Kept answers. ``scope`` names everything but the question that an answer depends on."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def questions(self, scope: str) -> tuple[KeptAnswer, ...]:
        """Return the questions that were answered in ``scope``, the latest first."""
        rows = self._database.query(
            "SELECT id, question, vector FROM answers WHERE scope = ? ORDER BY id DESC", (scope,)
        )
        return tuple(KeptAnswer(number, question, np.frombuffer(blob, "<f4")) for number, question, blob in rows)

    def get(self, number: int) -> Answer | None:
        """Return a kept answer; None when it was thrown away meanwhile."""
        rows = self._database.query("SELECT answer FROM answers WHERE id = ?", (number,))
        return load_answer(rows[0][0]) if rows else None

    def keep(self, scope: str, index: str, question: str, vector: NDArray[np.float32], answer: Answer) -> None:
        """Keep an answer that was made from the index in state ``index``; those of other states are thrown away."""
        with self._database.transaction():
            self._database.execute("DELETE FROM answers WHERE index_state <> ?", (index,))
            self._database.execute(
                "INSERT INTO answers (scope, index_state, question, vector, answer, kept_at) VALUES (?, ?, ?, ?, ?, ?)",
                (scope, index, question, vector.astype("<f4").tobytes(), dump_answer(answer), time.time()),
            )
            self._database.execute(
                "DELETE FROM answers WHERE id NOT IN (SELECT id FROM answers ORDER BY id DESC LIMIT ?)", (_MOST,)
            )

    def forget_others(self, index: str) -> None:
        """Throw away the answers that were made from the index in another state than ``index``."""
        self._database.execute("DELETE FROM answers WHERE index_state <> ?", (index,))

    def forget(self) -> None:
        """Throw all kept answers away."""
        self._database.execute("DELETE FROM answers", ())
