"""The page route: late interaction over pages, in two stages, and why a page was found."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from desktop_rag.core.heat import HeatMap, WordHeat
from desktop_rag.core.types import BBox, Element, ElementKind, Page, Route
from desktop_rag.models.page_embedder import PageEmbedder, QueryVectors, Vectors
from desktop_rag.retrieve.maxsim import as_floats, best_pages, code_scores, maxsim
from desktop_rag.retrieve.routes import Ranked
from desktop_rag.store.element_reader import ElementReader
from desktop_rag.store.page_codes import CodedPages
from desktop_rag.store.page_schema import StoredPage
from desktop_rag.store.pages import PageStore

ROUND = 20
RESCORED = 300
QUIET = 2
"""Pages are scored exactly in rounds of ``ROUND``, those best in the first stage first, until ``QUIET`` rounds in a row
bring nothing new among the best ones; ``RESCORED`` pages at most. Measured in ``benchmarks/pages.py``.
"""


@dataclass(frozen=True, slots=True)
class Looker:
    """A page embedder and the name under which its vectors are stored."""

    embedder: PageEmbedder
    model: str


class PageSearch:
    """Searches what page embedders saw; ``lookers`` are asked in their order when they saw as many pages.

    Keeps the signs of all pages' vectors in memory (for 5,000 pages 30 to 80 MB), compares them in ``threads`` threads,
    and reads the vectors as needed.
    """

    def __init__(self, pages: PageStore, lookers: Sequence[Looker], threads: int = 1) -> None:
        self._threads = threads
        self._pages = pages
        self._lookers = tuple(lookers)
        self._lock = threading.Lock()
        self._coded: dict[str, CodedPages] = {}

    def looker(self) -> Looker | None:
        """Return who saw most of the pages: while a new model looks at them, the one before still serves."""
        seen = self._pages.models()
        best = max(self._lookers, key=lambda one: seen.get(one.model, 0), default=None)
        return best if best is not None and seen.get(best.model, 0) else None

    def search(
        self, query: QueryVectors, looker: Looker, limit: int, allowed: set[tuple[str, int]] | None = None
    ) -> list[tuple[StoredPage, float]]:
        """Return the ``limit`` best pages with their exact scores; with ``allowed``, only of those (document, page)."""
        coded = self._codes(looker.model)
        if coded is None or not len(coded) or limit < 1:
            return []
        scores = code_scores(query.vectors, coded, self._threads)
        if allowed is not None:
            inside = np.fromiter(
                ((d, int(p)) in allowed for d, p in zip(coded.documents, coded.pages, strict=True)), bool, len(coded)
            )
            scores = np.where(inside, scores, -np.inf).astype(np.float32)
        chosen = [int(index) for index in best_pages(scores, max(RESCORED, limit)) if np.isfinite(scores[index])]
        best: list[tuple[StoredPage, float]] = []
        quiet = 0
        for start in range(0, len(chosen), max(ROUND, limit)):
            some = self._pages.fetch(coded, chosen[start : start + max(ROUND, limit)], looker.model)
            exact = maxsim(query.vectors, [page.vectors for page in some])
            former = best
            scored = [*best, *zip(some, map(float, exact), strict=True)]
            best = sorted(scored, key=lambda one: (-one[1], one[0].document, one[0].page))[:limit]
            quiet = quiet + 1 if [page.id for page, _ in best] == [page.id for page, _ in former] else 0
            if quiet == QUIET:
                break
        return best

    def page(self, document: str, page: int, looker: Looker) -> StoredPage | None:
        """Return what a looker saw of a page."""
        return self._pages.get(document, page, looker.model)

    def _codes(self, model: str) -> CodedPages | None:
        with self._lock:
            known = self._pages.codes(model, self._coded.get(model))
            self._coded = {} if known is None else {model: known}
            return known


class PageRoute:
    """Finds pages by what they look like or, with the embedder that comes along, by what they say where."""

    route = Route.PAGE

    def __init__(self, search: PageSearch, elements: ElementReader, page_of: Callable[[str, int], Page | None]) -> None:
        self._search = search
        self._elements = elements
        self._page_of = page_of

    @property
    def ready(self) -> bool:
        """Whether any page has been looked at."""
        return self._search.looker() is not None

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        """Return for each of the best pages the element on it that fits best."""
        looker = self._search.looker()
        if looker is None:
            return []
        allowed = None if where is None else self._elements.places(where)
        query = looker.embedder.encode_query(question)
        measure = f"maxsim of {looker.embedder.name}"
        hits = []
        found = self._search.search(query, looker, limit, allowed)
        elements = self._elements.on_pages((page.document, page.page) for page, _ in found)
        for page, score in found:
            element = self._element(page, query, elements.get((page.document, page.page), []))
            if element is not None:
                hits.append(Ranked(element, score, {measure: score}))
        return hits

    def heat_map(self, question: str, document: str, page: int) -> HeatMap | None:
        """Return how well each part of a page fits each word of a question; None for a page that nobody looked at."""
        looker = self._search.looker()
        stored = None if looker is None else self._search.page(document, page, looker)
        size = self._page_of(document, page)
        if looker is None or stored is None or size is None or not stored.cells.size:
            return None
        return heat_map(looker.embedder.encode_query(question), stored, size, looker.embedder.name)

    def _element(self, page: StoredPage, query: QueryVectors, elements: Sequence[Element]) -> Element | None:
        """Return the element in which the page is hottest, or one that is just the best place where none is there."""
        size = self._page_of(page.document, page.page)
        if size is None:
            return None
        heat = similarity(query.vectors, page).clip(0.0).sum(axis=0)
        if elements:
            return max(elements, key=lambda element: _warmth(heat, element.bbox, size))
        place = _best_place(heat, size)
        name = f"{page.document}:page:{page.page}"
        return Element(name, page.document, page.page, place, ElementKind.FIGURE, "", (), "", (), name)


def similarity(query: Vectors, page: StoredPage) -> Vectors:
    """Return the dot product of each question vector with each patch, shape (tokens, rows, columns); empty ones -1."""
    values = query @ as_floats(page.vectors).T
    padded = np.concatenate([values, np.full((len(values), 1), -1.0, np.float32)], axis=1)
    shown: Vectors = padded[:, page.cells]
    return shown


def heat_map(query: QueryVectors, page: StoredPage, size: Page, model: str) -> HeatMap:
    """Return the heat map of a page: for each word the best of its tokens, spread over 0 to 1 from its own middle.

    A patch that fits a word no better than half of the page's patches is cold: what all patches have in common, as
    they do with vision models, says nothing about places.
    """
    values = similarity(query.vectors, page)
    words = list(dict.fromkeys(word for word in query.words if any(char.isalnum() for char in word)))
    maps = [_spread(values[[w == word for w in query.words]].max(axis=0), page) for word in words]
    total = np.mean(maps, axis=0) if maps else np.zeros(page.cells.shape, np.float32)
    top = float(total.max())
    total = total / top if top > 0 else total
    rows, columns = page.cells.shape
    heats = tuple(WordHeat(word, _flat(one)) for word, one in zip(words, maps, strict=True))
    return HeatMap(page.document, page.page, columns, rows, heats, _flat(total), _best_place(total, size), model)


def _spread(values: Vectors, page: StoredPage) -> Vectors:
    there = page.cells >= 0
    known = values[there]
    low, high = (float(np.median(known)), float(known.max())) if len(known) else (0.0, 0.0)
    if high - low < 1e-6:
        low = high - 1.0
    spread: Vectors = np.where(there, ((values - low) / (high - low)).clip(0.0, 1.0), 0.0)
    return spread


def _flat(values: NDArray[np.floating]) -> tuple[float, ...]:
    return tuple(round(float(value), 4) for value in values.ravel())


def _best_place(heat: Vectors, size: Page) -> BBox:
    rows, columns = heat.shape
    row, column = divmod(int(heat.argmax()), columns)
    width, height = size.width / columns, size.height / rows
    return BBox(column * width, row * height, (column + 1) * width, (row + 1) * height)


def _warmth(heat: Vectors, box: BBox, size: Page) -> float:
    """Return the heat of the hottest patch that a box touches."""
    rows, columns = heat.shape
    x0, x1 = _between(box.x0, box.x1, size.width, columns)
    y0, y1 = _between(box.y0, box.y1, size.height, rows)
    return float(heat[y0:y1, x0:x1].max())


def _between(low: float, high: float, length: float, cells: int) -> tuple[int, int]:
    first = min(cells - 1, max(0, int(low / max(length, 1.0) * cells)))
    return first, max(first + 1, min(cells, int(np.ceil(high / max(length, 1.0) * cells))))
