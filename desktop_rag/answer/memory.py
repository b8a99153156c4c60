"""What kept statements and earlier turns do for a question: they widen the search, and are told to the model.

They are never evidence: a sentence that rests on them alone does not pass the audit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from desktop_rag.answer.followup import leans_back
from desktop_rag.core.answers import Turn
from desktop_rag.core.memories import Memory, MemoryKind
from desktop_rag.core.words import content_words, fold

WINDOW = 3
"""Turns that the model is given with their answers; of those before, only the questions."""
_MOST_NOTES = 6
_SUMMARY_TOKENS = 160
_ANSWER_CHARACTERS = 200


def widened(question: str, memories: Sequence[Memory]) -> str:
    """Return ``question`` with the meanings of the terms in it that the person explained."""
    added = [
        memory.statement.meaning
        for memory in memories
        if memory.statement.kind is MemoryKind.MEANING
        and _says(question, memory.statement.term)
        and fold(memory.statement.meaning) not in fold(question)
    ]
    return f"{question} ({'; '.join(dict.fromkeys(added))})" if added else question


def explained(question: str, memories: Sequence[Memory]) -> str:
    """Return ``question`` with the meanings in the place of the terms: what must be found, though no page says "Q3"."""
    for memory in memories:
        statement = memory.statement
        if statement.kind is MemoryKind.MEANING and _says(question, statement.term):
            said = rf"(?<!\w){re.escape(statement.term)}(\d*)(?!\w)"
            plain = statement.meaning.replace("\\", "\\\\")
            question = re.sub(said, rf"{plain} \1", question, flags=re.IGNORECASE)
    return question


def notes_for(question: str, memories: Sequence[Memory]) -> tuple[str, ...]:
    """Return the statements that bear on ``question``: all wishes, explained terms in it, facts with a word of it."""
    words = set(content_words(question))
    told = []
    for memory in memories:
        statement = memory.statement
        bears = {
            MemoryKind.WISH: True,
            MemoryKind.MEANING: _says(question, statement.term),
            MemoryKind.FACT: bool(words & set(content_words(statement.text))),
        }[statement.kind]
        if bears:
            told.append(statement.text)
    return tuple(dict.fromkeys(told))[-_MOST_NOTES:]


def earlier_turns(question: str, history: Sequence[Turn], count_tokens: Callable[[str], int]) -> tuple[str, ...]:
    """Return the conversation so far in lines: a running summary of what lies back, and the last turns.

    Only for a question that leans on them; one that stands alone is answered better without. The summary names the
    questions before the window, the latest first, as far as ``_SUMMARY_TOKENS`` go: it stays short after sixty turns
    as after six. Messages that asked nothing are left out.
    """
    history = [turn for turn in history if turn.answer is None or not turn.answer.remark]
    if not history or not leans_back(question):
        return ()
    lines = []
    summary = _summary([turn.question for turn in history[:-WINDOW]], count_tokens)
    if summary:
        lines.append(f"Asked before: {summary}")
    for turn in history[-WINDOW:]:
        lines.append(f"Earlier question: {_short(turn.question)}")
        if turn.answer is not None and not turn.answer.refused:
            lines.append(f"Earlier answer: {_short(turn.answer.text)}")
    return tuple(lines)


def _summary(questions: Sequence[str], count_tokens: Callable[[str], int]) -> str:
    kept: list[str] = []
    left = _SUMMARY_TOKENS
    for question in reversed(questions):
        left -= count_tokens(_short(question)) + 1
        if left < 0:
            break
        kept.append(_short(question))
    return " / ".join(reversed(kept))


def _short(text: str) -> str:
    flat = " ".join(re.sub(r"\[\d+\]", "", text).split())
    return flat if len(flat) <= _ANSWER_CHARACTERS else flat[:_ANSWER_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _says(question: str, term: str) -> bool:
    """Return whether ``term`` stands in ``question``; "Q" also in "Q3"."""
    return bool(term) and re.search(rf"(?<!\w){re.escape(fold(term))}\d*(?!\w)", fold(question)) is not None
