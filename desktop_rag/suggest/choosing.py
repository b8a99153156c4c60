"""Which of the possible questions are offered: those that the program answers out of the very place they came from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from desktop_rag.answer.compose import bearing
from desktop_rag.answer.statements import read_statements
from desktop_rag.core.answers import Answer, Evidence
from desktop_rag.core.words import content_words, fold
from desktop_rag.suggest.candidates import Candidate, Source

MOST = 4
"""Questions that are offered."""
_LEAST = 3
"""With fewer documents than that, one may give several."""
_POOR = (Source.SUBJECT, Source.FIGURE)
"""Kinds of questions that are asked only where there are too few of the others."""
_TRIES_OF_GOOD, _TRIES_IN_ALL = 16, 24
_LEAST_WORDS = {Source.VALUE: 1, Source.FIGURE: 1, Source.SECTION: 6}
_LEAST_WORDS_ELSE = 4
"""Words with content, numbers aside, that make a quote an answer; a row of a table says more with fewer."""
_MOSTLY = 0.5
_TRIES = 4
"""Questions of one document that are asked before the next one's turn."""


def choose(documents: Iterable[Sequence[Candidate]], ask: Callable[[str], Answer]) -> tuple[str, ...]:
    """Return at most ``MOST`` questions, of different documents in the order of ``documents``.

    Poor kinds come after the others of all documents; where all of them give fewer than three, documents give another
    one. ``ask`` answers without a model; only as many questions are asked as are needed, and at most 24.
    """
    asking = _Asking(ask)
    fruitful: list[Sequence[Candidate]] = []
    barren: list[Sequence[Candidate]] = []
    for some in documents:
        if asking.is_over(_TRIES_OF_GOOD):
            break
        good = [one for one in some if one.source not in _POOR]
        (fruitful if asking.keep_one(good) else barren).append(some)
    late = [some for some in barren if asking.keep_one([one for one in some if one.source in _POOR])]
    for some in [*fruitful, *late] * 2:
        if len(asking.kept) < _LEAST:
            asking.keep_one(some)
    return tuple(asking.kept)


def is_answered(candidate: Candidate, answer: Answer) -> bool:
    """Return whether ``answer`` is none of refusal, and its first quote stands where the question came from."""
    quotes = bearing(answer.evidence)
    return not answer.refused and bool(quotes) and _is_from_place(quotes[0], candidate)


def _is_from_place(quote: Evidence, candidate: Candidate) -> bool:
    if quote.document != candidate.document or quote.element not in (candidate.elements or (quote.element,)):
        return False
    first = re.search(r"\w", quote.quote)
    if first is None or first[0].islower():
        return False  # the text breaks off before it
    plain = fold(" ".join(quote.quote.split()))
    if not all(fold(" ".join(part.split())) in plain for part in candidate.holds):
        return False
    rest = plain.replace(fold(" ".join(candidate.apart.split())), " ") if candidate.apart else plain
    if candidate.passage and _share_in(rest, candidate.passage) < _MOSTLY:
        return False
    least = _LEAST_WORDS.get(candidate.source, _LEAST_WORDS_ELSE)
    return sum(any(char.isalpha() for char in word) for word in content_words(rest)) >= least


def _share_in(quote: str, passage: str) -> float:
    """Return the share of the words of ``quote`` that ``passage`` has."""
    words, known = content_words(quote), set(content_words(passage))
    return sum(word in known for word in words) / max(len(words), 1)


def _turn(source: Source, kept: Counter[Source]) -> tuple[bool, int]:
    """Return when a kind is asked: a document's own questions first, then what was kept least, poor kinds last."""
    return source in _POOR, 0 if source is Source.QUESTION else kept[source]


class _Asking:
    """Asks candidates one after the other, none twice, until enough were asked."""

    def __init__(self, ask: Callable[[str], Answer]) -> None:
        self._ask = ask
        self._asked: set[str] = set()
        self._sources: Counter[Source] = Counter()
        self.kept: list[str] = []

    def is_over(self, most: int = _TRIES_IN_ALL) -> bool:
        """Return whether enough were kept, or ``most`` asked."""
        return len(self.kept) >= MOST or len(self._asked) >= most

    def keep_one(self, some: Sequence[Candidate]) -> bool:
        """Keep the first of a document's questions that is answered; return whether there was one.

        Kinds take turns; see :func:`_turn`.
        """
        new = [one for one in some if fold(one.question) not in self._asked]
        for candidate in sorted(new, key=lambda one: _turn(one.source, self._sources))[:_TRIES]:
            if self.is_over():
                break
            self._asked.add(fold(candidate.question))
            if not read_statements(candidate.question)[0] and is_answered(candidate, self._ask(candidate.question)):
                self.kept.append(candidate.question)
                self._sources[candidate.source] += 1
                return True
        return False
