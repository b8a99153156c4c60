"""The ways from a question to ranked elements, one small class each behind one protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from desktop_rag.core.types import Element, ElementKind, Route
from desktop_rag.retrieve.clock import step
from desktop_rag.retrieve.expansion import Expansion, Wordings
from desktop_rag.retrieve.fusion import reciprocal_rank_fusion, reserve
from desktop_rag.retrieve.in_time import in_time
from desktop_rag.retrieve.query_vectors import QueryVectors
from desktop_rag.retrieve.understanding import perhaps_misspelt
from desktop_rag.store.element_reader import ElementReader, Found
from desktop_rag.store.filters import both, equals

_DEPTH = 50
"""How many hits of each part take part in a fusion."""

_KEYWORD_PLACES = (3, 5)
"""The best keyword hit stands third or better in a fusion, the second one fifth or better."""

_CLEAR_KEYWORD_PLACES = (1, 5)
_CLEAR = 1.2
"""A keyword hit with 1.2 times the BM25 score of the best one on any other page comes first.

Rank fusion cannot see that the keyword route is sure of itself, as it is of an identifier or a rare name. Measured with
``desktop-rag eval`` on 80 questions over real documents: 1.15 to 1.3 gave the same, hit@1 0.59 -> 0.63, no kind worse.
"""


@dataclass(frozen=True, slots=True)
class Ranked:
    """An element with the score of the route that found it, and the parts of which that score is made.

    ``position`` and ``last`` are its places in the reading order of its page: of a joined element those of the first
    and the last part, otherwise the same number; negative when it is not known.
    """

    element: Element
    score: float
    why: Mapping[str, float] = field(default_factory=dict)
    position: int = -1
    last: int = -1


Rankings = Mapping[str, Sequence[Ranked]]
"""What several routes found, by their names."""


class SearchRoute(Protocol):
    """A way to find elements."""

    @property
    def route(self) -> Route:
        """The name by which people choose it."""

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        """Return at most ``limit`` elements, best first; ``where`` is a LanceDB filter on the elements' columns."""


class TextRoute:
    """Dense retrieval: cosine similarity of the question's vector and the elements' vectors."""

    route = Route.TEXT

    def __init__(self, elements: ElementReader, vectors: QueryVectors) -> None:
        self._elements = elements
        self._vectors = vectors

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        """Embed the question and search the vectors."""
        vector = self._vectors.of(question)
        with step("vector search"):
            found = self._elements.search_vector(vector, limit, where, self._vectors.fingerprint)
        return _ranked("cosine", found)


class KeywordRoute:
    """Sparse retrieval: BM25 over title, headings and text."""

    route = Route.KEYWORD

    def __init__(self, elements: ElementReader) -> None:
        self._elements = elements

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        """Search the full-text index."""
        with step("keyword search"):
            found = self._elements.search_keyword(question, limit, where)
            if stands_clear(_ranked("bm25", found)):  # sure of itself, so nothing is to be guessed
                return _ranked("bm25", found)
            misspelt = perhaps_misspelt(question, [one.element.retrieval_text for one in found])
            if misspelt:
                found = self._elements.search_keyword(question, limit, where, misspelt)
        return _ranked("bm25", found)


class HybridRoute:
    """Fusion of several routes by reciprocal rank, with places reserved for the best keyword hits."""

    route = Route.HYBRID

    def __init__(
        self,
        parts: Sequence[SearchRoute],
        weights: Mapping[Route, float] | None = None,
        expansion: Expansion | None = None,
        budget_ms: float | None = None,
    ) -> None:
        """``expansion`` adds rankings of other wordings of the question.

        What the parts that need a model have not found after ``budget_ms`` is done without.
        """
        self._parts = tuple(parts)
        self._expansion = expansion
        self._budget_ms = budget_ms
        self._weights = {str(route): weight for route, weight in (weights or {}).items()}

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        """Search by every part, then fuse."""
        return self.fuse(self.gather(question, limit, where))[:limit]

    def gather(self, question: str, limit: int, where: str | None) -> Rankings:
        """Return what each part finds, by the part's name, then what other wordings of the question find.

        All parts search at once: while one computes the question's vector, another reads the index. One that ran out
        of time is missing.
        """
        depth = max(_DEPTH, limit)
        searches = {str(part.route): partial(part.search, question, depth, where) for part in self._parts}
        found = in_time(searches, str(Route.KEYWORD), self._budget_ms)
        if self._expansion is not None and self.is_whole(found):
            found |= self._widened(self._expansion.of(question), depth, where)
        return found

    def is_whole(self, found: Rankings) -> bool:
        """Return whether every part was in time."""
        return all(str(part.route) in found for part in self._parts)

    def _widened(self, wordings: Wordings, depth: int, where: str | None) -> dict[str, list[Ranked]]:
        asked = [
            (f"{name}, {part.route}", part, text)
            for texts, parts in (
                (wordings.passages, [part for part in self._parts if part.route is Route.TEXT]),
                (wordings.questions, self._parts),
            )
            for name, text in texts.items()
            for part in parts
        ]
        # What these scores measure is not the question, so they are left out of what a hit says of itself.
        return {name: [replace(hit, why={}) for hit in part.search(text, depth, where)] for name, part, text in asked}

    def fuse(self, found: Rankings) -> list[Ranked]:
        """Return one ranking of all that was found."""
        with step("fuse"):
            hits = {ranked.element.id: ranked for ranking in found.values() for ranked in ranking}
            rankings = {name: [ranked.element.id for ranked in ranking] for name, ranking in found.items()}
            fused = {one.id: one for one in reciprocal_rank_fusion(rankings, self._weights)}
            keyword = found.get(str(Route.KEYWORD), [])
            places = _CLEAR_KEYWORD_PLACES if stands_clear(keyword) else _KEYWORD_PLACES
            order = reserve(list(fused), [ranked.element.id for ranked in keyword], places)
            return [replace(hits[item], score=fused[item].score, why=fused[item].parts) for item in order]


class KindRoute:
    """Hybrid search among the elements of one kind: only the tables, or only the figures."""

    def __init__(self, route: Route, kind: ElementKind, within: HybridRoute) -> None:
        self.route = route
        self._kind = kind
        self._within = within

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        """Search as the hybrid route does, with the kind added to the filter."""
        return self._within.search(question, limit, both(equals("kind", self._kind), where))


def stands_clear(ranking: Sequence[Ranked]) -> bool:
    """Return whether the first of ``ranking`` outscores everything on other pages by a clear factor."""
    if not ranking:
        return False
    first = ranking[0]
    place = (first.element.document, first.element.page)
    others = (one.score for one in ranking if (one.element.document, one.element.page) != place)
    return first.score >= _CLEAR * max(others, default=0.0)


def _ranked(measure: str, found: Sequence[Found]) -> list[Ranked]:
    return [Ranked(one.element, one.score, {measure: one.score}, one.position, one.position) for one in found]
