"""Tells thanks and greetings, which ask nothing, from questions: only where a message is nothing else."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from desktop_rag.core.paths import resource
from desktop_rag.core.words import tokens

_MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class _Courtesies:
    """What is said in one language, word by word, and what is replied."""

    reply: str
    phrases: frozenset[tuple[str, ...]]
    also: frozenset[str]

    def are_all_of(self, words: Sequence[str], also: bool) -> bool:
        """Return whether ``words`` are courtesies, one at least, and with ``also`` words that go with them."""
        longest = max(map(len, self.phrases))
        at, said = 0, 0
        while at < len(words):
            lengths = range(min(longest, len(words) - at), 0, -1)
            step = next((length for length in lengths if tuple(words[at : at + length]) in self.phrases), 0)
            if not step and not (also and words[at] in self.also):
                return False
            said += bool(step)
            at += step or 1
        return said > 0


def courtesy_reply(message: str) -> str:
    """Return the line that answers a message of courtesies only, in its language, or of no word at all; else ""."""
    words = tokens(message)
    known = _courtesies()
    if not words:
        return known[0].reply if message.strip() else ""
    if len(words) > _MOST_WORDS:
        return ""
    return next((language.reply for language in known if language.are_all_of(words, "?" not in message)), "")


@lru_cache(maxsize=1)
def _courtesies() -> tuple[_Courtesies, ...]:
    said = tomllib.loads(resource("phrases", "courtesies.toml").read_text(encoding="utf-8"))
    return tuple(
        _Courtesies(
            str(told["reply"]),
            frozenset(tuple(tokens(phrase)) for phrase in told["phrases"]),
            frozenset(word for also in told["also"] for word in tokens(also)),
        )
        for told in said.values()
    )
