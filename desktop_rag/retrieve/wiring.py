"""The routes of a workspace, put together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop_rag.core.settings import NO_EXPANSION, Settings
from desktop_rag.core.types import ElementKind, Route
from desktop_rag.models.cross_encoder import CrossEncoderReranker
from desktop_rag.models.late_interaction import LATE_INTERACTION, LateInteraction
from desktop_rag.models.llm import LanguageModel
from desktop_rag.models.query_likelihood import QUERY_LIKELIHOOD, QueryLikelihood
from desktop_rag.models.reranker import Reranker
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.retrieve.best import BestRoute, SecondLook
from desktop_rag.retrieve.expansion import Expansion, ExpansionKind
from desktop_rag.retrieve.query_vectors import QueryVectors
from desktop_rag.retrieve.routes import HybridRoute, KeywordRoute, KindRoute, SearchRoute, TextRoute
from desktop_rag.store.element_reader import ElementReader


def routes_over(
    elements: ElementReader,
    embedder: SentenceTransformerEmbedder,
    settings: Settings,
    model: Callable[[], LanguageModel],
) -> tuple[SearchRoute, ...]:
    """Return the routes over a store's elements, in the order in which they are offered.

    ``model`` widens questions, if the settings say so; nothing is loaded.
    """
    vectors = QueryVectors(embedder)
    text, keyword = TextRoute(elements, vectors), KeywordRoute(elements)
    budget_ms = float(settings.search_milliseconds)
    hybrid = HybridRoute([text, keyword], expansion=expansion(model, settings), budget_ms=budget_ms)
    best = BestRoute(hybrid, elements, vectors, second_look(embedder, settings, model))
    tables = KindRoute(Route.TABLE, ElementKind.TABLE, hybrid)
    figures = KindRoute(Route.FIGURE, ElementKind.FIGURE, hybrid)
    return text, keyword, hybrid, best, tables, figures


def expansion(model: Callable[[], LanguageModel], settings: Settings) -> Expansion | None:
    """Return what widens questions as the settings say, or None; nothing is loaded."""
    if settings.query_expansion == NO_EXPANSION:
        return None
    return Expansion(ExpansionKind(settings.query_expansion), model, float(settings.expansion_milliseconds))


def second_look(
    embedder: SentenceTransformerEmbedder, settings: Settings, model: Callable[[], LanguageModel]
) -> SecondLook | None:
    """Return the reranker that the settings name, or None; nothing is loaded."""
    if not settings.reranker:
        return None
    reranker: Reranker
    if settings.reranker == LATE_INTERACTION:
        reranker = LateInteraction(embedder)
    elif settings.reranker == QUERY_LIKELIHOOD:
        reranker = QueryLikelihood(model)
    else:
        reranker = CrossEncoderReranker(Path(settings.reranker).expanduser())
    return SecondLook(reranker, settings.rerank_hits, float(settings.rerank_milliseconds))
