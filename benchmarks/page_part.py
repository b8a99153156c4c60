"""``python -m benchmarks.page_part QUESTIONS.jsonl ROOT WORKSPACE``: what a part for pages would do to ``hybrid``.

Prints hit@1 / hit@5 by where the answer stands: for ``page`` alone, for ``hybrid`` as it is, and for ``hybrid`` with
``page`` as a third part of several weights. The pages of the documents of ROOT have been looked at. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.ablation import measure
from benchmarks.open_index import OpenIndex, arguments, open_index
from desktop_rag.core.types import Page, Route
from desktop_rag.evaluate.questions import Question, load_questions
from desktop_rag.models.page_words import WordPageEmbedder
from desktop_rag.retrieve.page_route import Looker, PageRoute, PageSearch
from desktop_rag.retrieve.routes import HybridRoute, Ranked, SearchRoute
from desktop_rag.store.pages import PageStore

_WEIGHTS = (0.1, 0.2, 0.5, 1.0)


class _Once:
    """A route that searches once for each question, however often it is asked."""

    def __init__(self, route: SearchRoute) -> None:
        self.route = route.route
        self._search = route
        self._found: dict[tuple[str, int, str | None], list[Ranked]] = {}

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        """Return what the route found."""
        asked = (question, limit, where)
        if asked not in self._found:
            self._found[asked] = self._search.search(question, limit, where)
        return self._found[asked]


def variants(index: OpenIndex) -> list[tuple[str, SearchRoute]]:
    """Return the routes that are compared, with their names."""
    embedder = WordPageEmbedder(index.embedder)
    search = PageSearch(PageStore(index.uri, read_only=True), [Looker(embedder, embedder.fingerprint)])

    def page_of(document: str, number: int) -> Page | None:
        pages = index.catalogue.files.pages(document)
        return pages[number - 1] if 0 < number <= len(pages) else None

    text, keyword, page = _Once(index.text), _Once(index.keyword), _Once(PageRoute(search, index.elements, page_of))
    mixed = [
        (f"hybrid, page {weight}", HybridRoute([text, keyword, page], {Route.PAGE: weight})) for weight in _WEIGHTS
    ]
    return [("page", page), ("hybrid", HybridRoute([text, keyword])), *mixed]


def main() -> None:
    """Measure and print the table."""
    given = arguments("page_part", __doc__)
    with open_index(given.workspace) as index:
        asked = index.answerable(load_questions(given.questions), given.root)
        routes = variants(index)
        print(f"| where the answer stands | questions | {' | '.join(name for name, _ in routes)} |")
        print(f"|---|---:|{'---|' * len(routes)}")
        for kind in dict.fromkeys(question.evidence for question, _ in asked):
            _print(index, kind or "elsewhere", routes, [one for one in asked if one[0].evidence == kind])
        _print(index, "all", routes, asked)


def _print(
    index: OpenIndex, name: str, routes: Sequence[tuple[str, SearchRoute]], asked: Sequence[tuple[Question, str]]
) -> None:
    cells = []
    for _, route in routes:
        measures = measure(index, route, asked).measures
        cells.append(f"{measures['hit@1'].value:.2f} / {measures['hit@5'].value:.2f}")
    print(f"| {name} | {len(asked)} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
