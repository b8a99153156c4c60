"""Finds, in what a person types, what is no question but something to keep in mind. By rules: nothing is guessed."""

from __future__ import annotations

import re

from desktop_rag.core.memories import MemoryKind, Statement
from desktop_rag.ingest.sentences import split_sentences

_LONGEST = 300
_LANGUAGES = (
    "english|german|french|spanish|italian|portuguese|dutch|polish|japanese|chinese|arabic|deutsch|englisch|"
    "französisch|spanisch"
)
_MEANING = (
    re.compile(
        r"^(?:please\s+)?(?:remember(?:\s+that)?:?\s+|note(?:\s+that)?:?\s+)?[\"“„']?(?P<term>[\w][\w./&-]*(?:\s[\w./&-]+){0,2})"
        r"[\"”“']?\s+(?:means|stands\s+for|is\s+short\s+for|is\s+an?\s+abbreviation\s+(?:of|for)|bedeutet|steht\s+für)\s+"
        r"[\"“„']?(?P<meaning>.+?)[\"”“']?[.!]?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:by|when\s+I\s+(?:say|write)|mit)\s+[\"“„']?(?P<term>[\w][\w./&-]*(?:\s[\w./&-]+){0,2})[\"”“']?,?\s+"
        r"(?:I\s+mean|meine\s+ich)\s+[\"“„']?(?P<meaning>.+?)[\"”“']?[.!]?$",
        re.IGNORECASE,
    ),
)
_WISH = re.compile(
    rf"^(?:please\s+|bitte\s+|always\s+|from\s+now\s+on,?\s+)*(?:answer|reply|write|antworte)\b[^?]*"
    rf"(?:\b(?:in|auf)\s+(?:{_LANGUAGES})\b|\bbriefly\b|\bin\s+(?:one|short)\s+sentences?\b|\bkurz\b)[^?]*$",
    re.IGNORECASE,
)
_FACT = re.compile(
    r"^(?:please\s+)?(?:(?:remember|keep\s+in\s+mind|note)(?:\s+that|:)\s*|merke?\s+dir,?(?:\s+dass)?:?\s+"
    r"|bitte\s+merken:\s+)(?P<fact>\S.+)$",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"^(?:what|who|where|when|why|how|which|was|wer|wo|wann|warum|wie|welche[rs]?|it|this|that|there|the|der|die|das)\b",
    re.IGNORECASE,
)


def read_statements(text: str) -> tuple[tuple[Statement, ...], str]:
    """Return what ``text`` says to keep in mind, and the rest of it, which is the question ("" where there is none)."""
    statements: list[Statement] = []
    rest: list[str] = []
    for start, end in split_sentences(text):
        sentence = text[start:end].strip()
        statement = _read(sentence)
        if statement is None:
            rest.append(sentence)
        else:
            statements.append(statement)
    return tuple(statements), " ".join(rest)


def _read(sentence: str) -> Statement | None:
    if sentence.endswith("?") or len(sentence) > _LONGEST:
        return None
    for pattern in _MEANING:
        match = pattern.match(sentence)
        if match and not (pattern is _MEANING[0] and _OPEN.match(match["term"])):
            return Statement(MemoryKind.MEANING, sentence, match["term"], match["meaning"].strip())
    if _WISH.match(sentence):
        return Statement(MemoryKind.WISH, sentence)
    fact = _FACT.match(sentence)
    return Statement(MemoryKind.FACT, fact["fact"].strip()) if fact else None
