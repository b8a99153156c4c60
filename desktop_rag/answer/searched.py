"""A question as it is searched: with the questions that it leans on, and with what terms of it mean."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_rag.answer.followup import standalone
from desktop_rag.answer.memory import widened
from desktop_rag.answer.statements import read_statements
from desktop_rag.core.limits import LONGEST_QUESTION
from desktop_rag.core.memories import Memory


def as_searched(question: str, earlier: Sequence[str], memories: Sequence[Memory]) -> str:
    """Return ``question`` for the search; ``earlier`` are the questions of the conversation, oldest first."""
    asked = [rest for text in earlier if (rest := read_statements(text)[1])]  # what was only kept in mind asks nothing
    searched = widened(standalone(question, asked), memories)
    return searched if len(searched) <= LONGEST_QUESTION else question
