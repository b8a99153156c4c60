"""Conversations: every turn is committed when it happens, so a crash loses none."""

from __future__ import annotations

import time
import uuid

from desktop_rag.core.answers import Answer, Thread, Turn
from desktop_rag.core.errors import UserFacingError
from desktop_rag.store.answer_json import dump_answer, load_answer
from desktop_rag.store.database import Database


class Chats:
    """Threads and their turns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def new_thread(self, title: str) -> Thread:
        """Begin a conversation."""
        thread = Thread(uuid.uuid4().hex, title, now := time.time(), now, 0)
        self._database.execute("INSERT INTO threads VALUES (?, ?, ?, ?)", (thread.id, title, now, now))
        return thread

    def threads(self, search: str = "") -> tuple[Thread, ...]:
        """Return the conversations, the latest first; ``search`` keeps those with that text in title or turns."""
        rows = self._database.query(
            """SELECT id, title, created_at, changed_at, (SELECT count(*) FROM turns WHERE thread = threads.id)
            FROM threads
            WHERE :text = '' OR instr(folded(title), :text) OR EXISTS (
                SELECT 1 FROM turns WHERE thread = threads.id
                AND (instr(folded(question), :text) OR instr(folded(answer_text), :text)))
            ORDER BY changed_at DESC, rowid DESC""".replace(":text", "?1"),
            (search.strip().casefold(),),
        )
        return tuple(Thread(*row) for row in rows)

    def turns(self, thread: str) -> tuple[Turn, ...]:
        """Return the turns of a conversation in order; an answer that was never finished is None."""
        rows = self._database.query(
            "SELECT id, thread, asked_at, question, answer FROM turns WHERE thread = ? ORDER BY id", (thread,)
        )
        return tuple(
            Turn(number, of, asked_at, question, None if answer is None else load_answer(answer))
            for number, of, asked_at, question, answer in rows
        )

    def begin_turn(self, thread: str, question: str) -> int:
        """Record a question before it is answered; return the turn's id.

        Raises UserFacingError when the conversation is gone.
        """
        now = time.time()
        with self._database.transaction():
            if not self._database.execute("UPDATE threads SET changed_at = ? WHERE id = ?", (now, thread)):
                raise UserFacingError("This conversation was deleted. Start a new one and ask again.")
            return self._database.insert(
                "INSERT INTO turns (thread, asked_at, question) VALUES (?, ?, ?)", (thread, now, question)
            )

    def finish_turn(self, turn_id: int, answer: Answer) -> None:
        """Record the answer; when the conversation was deleted meanwhile there is nothing to record."""
        with self._database.transaction():
            self._database.execute(
                "UPDATE turns SET answer_text = ?, answer = ? WHERE id = ?", (answer.text, dump_answer(answer), turn_id)
            )
            self._database.execute(
                "UPDATE threads SET changed_at = ? WHERE id = (SELECT thread FROM turns WHERE id = ?)",
                (time.time(), turn_id),
            )

    def rename(self, thread: str, title: str) -> None:
        """Give a conversation another title."""
        self._database.execute("UPDATE threads SET title = ? WHERE id = ?", (title, thread))

    def delete(self, thread: str) -> None:
        """Delete a conversation with all its turns."""
        self._database.execute("DELETE FROM threads WHERE id = ?", (thread,))
