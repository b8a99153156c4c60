"""A question that leans on the one before it, said so that it can be searched by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop_rag.core.words import content_words, fold, is_identifier, tokens

_OPENERS = re.compile(
    r"(and|but|or|so|also|then|even (?:if|when|on|in|for)|what about|how about|what if|why so|since when|else|und|aber"
    r"|oder|auch wenn|was ist mit"
    r"|wie ist es)\b"
)
_POINTING = (
    "it its they them their theirs he him his she her hers that those this these there then such former latter "
    "er sie es ihn ihm ihr ihre deren dessen dort damals davon dazu dafur"
)
_POINTERS = frozenset(_POINTING.split())
_VALUES = (
    re.compile(r"(?<![\w.,-])(?:1[5-9]|20)\d\d(?![\w%-]|[.,]\d)"),
    re.compile(r"(?<![\w-])(?=\w*-?[^\W\d_])[^\W\d_]+-?\d+(?![\w-])"),
    re.compile(r"(?<![\w.,])-?\d+(?:[.,]\d+)?\s?(?:°\s?[CF]|%|percent|mm|cm|km|kg|kW|V|A)(?!\w)"),
)
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
            parts.insert(0, _with_new_values(previous.strip(), parts[0]))
    return " ".join(parts)


def _with_new_values(earlier: str, later: str) -> str:
    """Return ``earlier`` with a year, identifier or amount of ``later`` in the place of its own of the same kind.

    "What did it weigh in 2023?" and "And in 2024?" ask for 2024; both years together stand nowhere.
    """
    for pattern in _VALUES:
        old, new = pattern.findall(earlier), pattern.findall(later)
        if len(old) == 1 and len(new) == 1 and _kind(old[0]) == _kind(new[0]):
            earlier = earlier.replace(old[0], new[0])
    return earlier


def _kind(value: str) -> str:
    """Return what stays of a value without its digits: "LX-" of "LX-4"."""
    return re.sub(r"[\d.,]", "", value.lower()).replace("-", "").strip()


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
