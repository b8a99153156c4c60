"""A second look at the candidates of a search: how near, how well covered, how often found.

Rank fusion throws scores away, so a candidate that one route finds by far the best counts no more than one that it
barely prefers. Here the scores come back. For a candidate d of a question q::

    score(d) = cosine(q, d) + 0.5 * coverage(q, d) + 0.5 * agreement(d)

``coverage`` is the share of the question's content words that stand in the candidate (title, headings and text),
weighted by their rarity among the candidates; ``agreement`` is the reciprocal rank fusion of the routes with k = 20,
where 1 means first on two of them. The parts were chosen on questions over real documents and confirmed on
questions over others; see docs/search-quality.md, which also says what each of them is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from desktop_rag.core.types import Element
from desktop_rag.core.words import content_words, rarity

_RANK_K = 20
_FIRST_ON_TWO = 2 / (_RANK_K + 1)


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part counts; see ``benchmarks/ablation.py``."""

    cosine: float = 1.0
    coverage: float = 0.5
    agreement: float = 0.5


@dataclass(frozen=True, slots=True)
class Signals:
    """The parts of a candidate's score."""

    cosine: float
    coverage: float
    agreement: float

    def score(self, weights: Weights) -> float:
        """Return the weighted sum."""
        return weights.cosine * self.cosine + weights.coverage * self.coverage + weights.agreement * self.agreement

    def why(self) -> Mapping[str, float]:
        """The parts by name, as a hit shows them."""
        return {"cosine": self.cosine, "words": self.coverage, "agreement": self.agreement}


def signals(
    question: str,
    candidates: Mapping[str, Element],
    cosines: Mapping[str, float],
    rankings: Mapping[str, Sequence[str]],
) -> dict[str, Signals]:
    """Return the signals of each candidate, by element id.

    ``cosines`` may lack some (they have no vector yet, and count 0). ``rankings`` are the ids that each route found.
    """
    ranks = _agreement(rankings)
    covered = coverage(question, {item: element.retrieval_text for item, element in candidates.items()})
    return {item: Signals(cosines.get(item, 0.0), covered[item], ranks.get(item, 0.0)) for item in candidates}


def coverage(question: str, texts: Mapping[str, str]) -> dict[str, float]:
    """Return for each text the share of the question's content words, weighted by rarity, that it holds.

    A word that no text holds weighs as much as the rarest that one does: it is missing from all alike.
    """
    words = {item: words_of(text) for item, text in texts.items()}
    rare = rarity(words.values())
    most = max(rare.values(), default=1.0)
    weights = {word: rare.get(word, most) for word in content_words(question)}
    total = sum(weights.values())
    if not total:
        return dict.fromkeys(texts, 0.0)
    return {
        item: sum(weight for word, weight in weights.items() if word in held) / total for item, held in words.items()
    }


@lru_cache(maxsize=2048)
def words_of(text: str) -> frozenset[str]:
    """Return the content words of ``text``; what was found before is often found again."""
    return frozenset(content_words(text))


def _agreement(rankings: Mapping[str, Sequence[str]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for ids in rankings.values():
        for rank, item in enumerate(ids, start=1):
            found[item] = found.get(item, 0.0) + 1 / (_RANK_K + rank) / _FIRST_ON_TWO
    return found
