"""The route that tries hardest: hybrid search, a second look at what it found, one hit for what belongs together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from desktop_rag.core.types import Element, Route
from desktop_rag.models.reranker import Reranker
from desktop_rag.retrieve.agreement import Signals, Weights, signals
from desktop_rag.retrieve.clock import step
from desktop_rag.retrieve.merge import folded, joined
from desktop_rag.retrieve.query_vectors import QueryVectors
from desktop_rag.retrieve.rerank import rescored
from desktop_rag.retrieve.routes import HybridRoute, Ranked, Rankings, stands_clear
from desktop_rag.store.element_reader import ElementReader


@dataclass(frozen=True, slots=True)
class SecondLook:
    """A model that looks at the first ``candidates`` again, for ``budget_ms`` at most."""

    reranker: Reranker
    candidates: int
    budget_ms: float


@dataclass(frozen=True, slots=True)
class Rules:
    """The parts of the route that can be switched off, to see what each is worth."""

    weights: Weights = field(default_factory=Weights)
    clear_first: bool = True
    merge: bool = True


class BestRoute:
    """Hybrid search whose candidates are scored anew; a keyword hit that stands clear keeps the first place.

    Without a ``second_look`` the order is that of :mod:`desktop_rag.retrieve.agreement`, which costs milliseconds.
    With one, a model has its say too, and when its time is over the order is the one it had before.
    """

    route = Route.BEST

    def __init__(
        self,
        hybrid: HybridRoute,
        elements: ElementReader,
        vectors: QueryVectors,
        second_look: SecondLook | None = None,
        rules: Rules | None = None,
    ) -> None:
        self._hybrid = hybrid
        self._elements = elements
        self._vectors = vectors
        self._second_look = second_look
        self._rules = rules or Rules()

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        """Search, score, rerank, join and fold."""
        found = self._hybrid.gather(question, limit, where)
        order = self._scored(question, self._hybrid.fuse(found), found)
        order = self._looked_at_again(question, order)
        keyword = found.get(str(Route.KEYWORD), ())
        with step("merge"):
            if self._rules.clear_first and stands_clear(keyword):
                order = first(order, keyword[0].element.id)
            if self._rules.merge:
                order = folded(joined(order[: 2 * limit]))
            return order[:limit]

    def _scored(self, question: str, fused: Sequence[Ranked], found: Rankings) -> list[Ranked]:
        """Return the fused hits in the order of their new scores; as they are where the vectors came too late."""
        if not self._hybrid.is_whole(found):
            return list(fused)
        vector = self._vectors.of(question)
        with step("rescore"):
            candidates = {ranked.element.id: ranked.element for ranked in fused}
            rankings = {name: [ranked.element.id for ranked in hits] for name, hits in found.items()}
            looked = signals(question, candidates, self._cosines(vector, found, candidates), rankings)
            hits = (_with(hit, looked[hit.element.id], self._rules.weights) for hit in fused)
            return sorted(hits, key=lambda hit: -hit.score)

    def _cosines(
        self, vector: NDArray[np.float32], found: Rankings, candidates: Mapping[str, Element]
    ) -> dict[str, float]:
        known = {hit.element.id: hit.why["cosine"] for hits in found.values() for hit in hits if "cosine" in hit.why}
        missing = [item for item in candidates if item not in known]
        return known | self._elements.cosines(vector, missing, self._vectors.fingerprint)

    def _looked_at_again(self, question: str, order: list[Ranked]) -> list[Ranked]:
        look = self._second_look
        if look is None or not order:
            return order
        with step("rerank"):
            head, rest = order[: look.candidates], order[look.candidates :]
            passages = {hit.element.id: hit.element.retrieval_text for hit in head}
            scores = {hit.element.id: hit.score for hit in head}
            again = rescored(look.reranker, question, passages, scores, look.budget_ms)
        if again is None:
            return order
        lift = rest[0].score if rest else 0.0  # what was not looked at stays behind
        seen = [
            replace(hit, score=lift + again[hit.element.id], why={**hit.why, "reranker": again[hit.element.id]})
            for hit in head
        ]
        return sorted(seen, key=lambda hit: -hit.score) + rest


def _with(hit: Ranked, looked: Signals, weights: Weights) -> Ranked:
    return replace(hit, score=looked.score(weights), why=looked.why())


def first(order: Sequence[Ranked], item: str) -> list[Ranked]:
    """Return ``order`` with the element ``item`` in the first place, if it is there."""
    return sorted(order, key=lambda hit: hit.element.id != item)
