"""A question that leans on the one before it, said so that it can be searched by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop_rag.core.words import content_words, fold, is_identifier, tokens

_OPENERS = re.compile(
    r"(and|but|or|so|also|then|what about|how about|what if|why so|since when|else|und|aber|oder|was ist mit"
    r"|wie ist es)\b"
)
_POINTING = (
    "it its they them their theirs he him his she her hers that those this these there then such former latter "
    "er sie es ihn ihm ihr ihre deren dessen dort damals davon dazu dafur"
)
_POINTERS = frozenset(_POINTING.split())
_FEW_WORDS = 1
_LOOK_BACK = 2
"""Earlier questions that may be needed: a follow-up may lean on a follow-up."""


def standalone(question: str, earlier: Sequence[str]) -> str:
    """Return ``question`` with the questions that it leans on put before it; unchanged when it leans on none.

    ``earlier`` are the questions of the conversation, oldest first.
    """
    parts = [question.strip()]
    for previous in list(reversed(earlier))[:_LOOK_BACK]:
        if not leans_back(parts[0]):
            break
        if previous.strip():
            parts.insert(0, previous.strip())
    return " ".join(parts)


def leans_back(question: str) -> bool:
    """Return whether ``question`` cannot be understood by itself.

    It begins like a continuation ("And …", "What about …"), points at something before it has named anything
    ("How deep is it?"), or has next to no words of its own ("Why?").
    """
    words = tokens(question)
    if any(is_identifier(word) for word in words):
        return bool(_OPENERS.match(fold(question.strip()))) and len(content_words(question)) <= _FEW_WORDS + 2
    if _OPENERS.match(fold(question.strip())) or len(content_words(question)) <= _FEW_WORDS:
        return True
    named = 0
    for word in words:
        if word in _POINTERS:
            return named <= _FEW_WORDS
        named += len(content_words(word))
    return False
