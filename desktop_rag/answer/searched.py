"""A question as it is searched: with whom and what it leans on, and with what terms of it mean."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_rag.answer.courtesies import courtesy_reply
from desktop_rag.answer.followup import standalone
from desktop_rag.answer.memory import widened
from desktop_rag.answer.pronouns import resolved
from desktop_rag.answer.statements import read_statements
from desktop_rag.core.answers import Turn
from desktop_rag.core.limits import LONGEST_QUESTION
from desktop_rag.core.memories import Memory


def as_searched(question: str, earlier: Sequence[Turn], memories: Sequence[Memory]) -> str:
    """Return ``question`` for the search; ``earlier`` is the conversation so far, oldest first."""
    rests = ((read_statements(turn.question)[1], turn) for turn in earlier)
    said = [(rest, _first_said(turn)) for rest, turn in rests if rest and not courtesy_reply(rest)]
    alone = resolved(question, said) or standalone(question, [asked for asked, _ in said])
    searched = widened(alone, memories)
    return searched if len(searched) <= LONGEST_QUESTION else question


def _first_said(turn: Turn) -> str:
    """Return the first sentence or quote of an answer: the best; further ones may be of other people."""
    answer = turn.answer
    return answer.sentences[0].text if answer is not None and answer.sentences and not answer.refused else ""
