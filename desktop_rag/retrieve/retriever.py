"""Questions in, ranked hits out, by any of the routes that are ready."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.limits import LONGEST_QUESTION
from desktop_rag.core.reports import RouteResult
from desktop_rag.core.types import Hit, Route
from desktop_rag.retrieve.clock import clocked
from desktop_rag.retrieve.routes import Ranked, SearchRoute
from desktop_rag.retrieve.understanding import phrase_condition, phrases
from desktop_rag.store.filters import both


class Retriever:
    """Runs the routes. ``shown`` maps a document id to the path that people know, or None when it is gone."""

    def __init__(self, routes: Iterable[SearchRoute], shown: Callable[[str], str | None]) -> None:
        self._routes = {route.route: route for route in routes}
        self._shown = shown

    @property
    def ready(self) -> tuple[Route, ...]:
        """The routes that can be chosen now."""
        return tuple(self._routes)

    def search(self, question: str, route: Route, k: int, where: str | None = None) -> tuple[Hit, ...]:
        """Return at most ``k`` hits, best first.

        Raises UserFacingError for an empty or far too long question, a route that is not ready, or a bad filter.
        """
        question = checked_question(question)
        if route not in self._routes:
            names = ", ".join(str(one) for one in self._routes)
            raise UserFacingError(f"The route '{route}' is not ready in this version. Choose one of: {names}.")
        hits: list[Hit] = []
        for ranked in self._found(question, self._routes[route], k, where):
            shown = self._shown(ranked.element.document)
            if shown is not None:  # a document that left the ledger a moment ago is not shown any more
                hits.append(Hit(len(hits) + 1, ranked.score, route, ranked.element, shown, dict(ranked.why)))
        return tuple(hits)

    def _found(self, question: str, route: SearchRoute, k: int, where: str | None) -> list[Ranked]:
        """Search; phrases in quotes must stand in what is found, unless they stand nowhere."""
        wanted = phrases(question)
        if wanted and (exact := route.search(question, k, both(where, phrase_condition(wanted)))):
            return exact
        return route.search(question, k, where)

    def compare(
        self, question: str, routes: Sequence[Route], k: int, where: str | None = None
    ) -> tuple[RouteResult, ...]:
        """Return what each route finds, the milliseconds it took, and those of its steps.

        The routes run side by side: each has its answer as early as it can, and shares the machine with the others.
        """
        question = checked_question(question)
        with ThreadPoolExecutor(max(1, len(routes)), thread_name_prefix="route") as pool:
            return tuple(pool.map(lambda route: self._timed(question, route, k, where), routes))

    def _timed(self, question: str, route: Route, k: int, where: str | None) -> RouteResult:
        with clocked() as clock:
            started = time.perf_counter()
            hits = self.search(question, route, k, where)
            return RouteResult(route, hits, (time.perf_counter() - started) * 1000, clock.ms)


def checked_question(question: str) -> str:
    """Return ``question`` without surrounding white space; raises UserFacingError when it is empty or too long."""
    question = question.strip()
    if not question:
        raise UserFacingError("The question is empty. Type what you want to know.")
    if len(question) > LONGEST_QUESTION:
        raise UserFacingError(
            f"The question has {len(question):,} characters; {LONGEST_QUESTION:,} is the limit. "
            "Shorten it, or add the long text as a document and ask about it."
        )
    return question
