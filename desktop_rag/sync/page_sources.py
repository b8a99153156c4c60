"""Where the page stage gets its pages from: the index, for an embedder of words, or workers that draw pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import blake3

from desktop_rag.core.errors import NeedsPasswordError
from desktop_rag.core.ledger import FileState
from desktop_rag.core.passwords import Passwords
from desktop_rag.core.types import Element, Page
from desktop_rag.ingest.later import Part
from desktop_rag.ingest.page_drawing import DrawnPage, DrawnPages
from desktop_rag.ingest.page_words import word_content
from desktop_rag.ingest.parse import ParseFailure
from desktop_rag.ingest.workers import ParsePool
from desktop_rag.models.page_embedder import PageContent
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord, Files

_PAGES_READ = 8
"""Pages whose words are read from the index at once: all of a book would keep a question waiting for seconds."""

_PAGES_AT_ONCE = 2
"""Pictures that lie in memory before the model comes to them."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A page that cannot be looked at, and why."""

    number: int
    failure: str


class PageSource(Protocol):
    """Gives out the pages of a file, one after the other."""

    def pages(self, record: FileRecord) -> Iterator[PageContent | Unseen]:
        """Yield every page of a file in its order. Raises NeedsPasswordError when it is locked now."""

    def close(self) -> None:
        """Give back what was opened."""


class WordPages:
    """Pages by what the index knows of their words."""

    def __init__(self, files: Files, elements: ElementStore) -> None:
        self._files = files
        self._elements = elements

    def pages(self, record: FileRecord) -> Iterator[PageContent | Unseen]:
        """Yield every page of a file in its order."""
        sizes = self._files.pages(record.document)
        for start in range(0, len(sizes), _PAGES_READ):
            some = sizes[start : start + _PAGES_READ]
            by_page: dict[int, list[Element]] = {}
            for element in self._elements.of_pages(record.document, some[0].number, some[-1].number):
                by_page.setdefault(element.page, []).append(element)
            for page in some:
                yield word_content(page, by_page.get(page.number, []))

    def close(self) -> None:
        """Nothing is open."""


class DrawnPageSource:
    """Pages by their pictures, drawn ahead by a worker while the model looks at those before."""

    def __init__(
        self, files: Files, print_views: Path, open_pool: Callable[[], ParsePool], passwords: Passwords
    ) -> None:
        self._files = files
        self._passwords = passwords
        self._print_views = print_views
        self._open_pool = open_pool
        self._pool: ParsePool | None = None

    def pages(self, record: FileRecord) -> Iterator[PageContent | Unseen]:
        """Yield every page of a file in its order."""
        sizes = self._files.pages(record.document)
        firsts = range(1, len(sizes) + 1, _PAGES_AT_ONCE)
        ahead: list[tuple[int, Future[DrawnPages | ParseFailure]]] = []
        waiting = iter(firsts)
        while True:
            while len(ahead) < 2 and (first := next(waiting, None)) is not None:
                ahead.append((first, self._order(record, first, min(first + _PAGES_AT_ONCE - 1, len(sizes)))))
            if not ahead:
                return
            first, future = ahead.pop(0)
            yield from _looked_at(future.result(), sizes[first - 1 : first - 1 + _PAGES_AT_ONCE], record.path.name)

    def close(self) -> None:
        """End the worker."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _order(self, record: FileRecord, first: int, last: int) -> Future[DrawnPages | ParseFailure]:
        if self._pool is None:
            self._pool = self._open_pool()
        view = self._print_views / f"{record.document}.pdf"
        part = Part(record.title, first, last)
        path = view if view.exists() else record.path
        future: object = self._pool.submit_part(record.document, path, part, self._passwords.of(record.document))
        return cast("Future[DrawnPages | ParseFailure]", future)


def _looked_at(outcome: DrawnPages | ParseFailure, sizes: Sequence[Page], file: str) -> Iterator[PageContent | Unseen]:
    if isinstance(outcome, ParseFailure):
        if outcome.state is FileState.NEEDS_PASSWORD:
            raise NeedsPasswordError(outcome.reason)
        yield from (Unseen(page.number, outcome.reason or f"{file} could not be drawn.") for page in sizes)
        return
    drawn = {page.number: page for page in outcome.pages}
    for page in sizes:
        picture = drawn.get(page.number)
        if picture is None:
            yield Unseen(page.number, f"{file} has no page {page.number} any more.")
        elif picture.failure:
            yield Unseen(page.number, picture.failure)
        else:
            yield _content(picture)


def _content(page: DrawnPage) -> PageContent:
    from PIL import Image

    digest = blake3.blake3(f"{page.columns} {page.rows}\n".encode())
    digest.update(page.pixels)
    picture = Image.frombytes("RGB", (page.columns, page.rows), page.pixels)
    return PageContent(page.number, page.width, page.height, digest.hexdigest()[:32], picture=picture)
