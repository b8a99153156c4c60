"""What looks at pages in an open library: the embedder that is chosen, its stage, its route, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import ModelError
from desktop_rag.core.heat import HeatMap
from desktop_rag.core.log import get_logger
from desktop_rag.core.model_rows import ModelKind
from desktop_rag.core.passwords import Passwords
from desktop_rag.core.paths import WorkspacePaths
from desktop_rag.core.reports import Check, PageEstimate
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import Page
from desktop_rag.ingest.page_drawing import ENTRY
from desktop_rag.ingest.workers import ParsePool
from desktop_rag.models.model_manager import WORDS
from desktop_rag.models.model_shelf import ModelShelf
from desktop_rag.models.page_checkpoints import inspect
from desktop_rag.models.page_embedder import PageEmbedder
from desktop_rag.models.page_pace import PagePace
from desktop_rag.models.page_words import WordPageEmbedder
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.retrieve.page_route import Looker, PageRoute, PageSearch
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.pages import PageStore
from desktop_rag.sync.page_sources import DrawnPageSource, PageSource, WordPages
from desktop_rag.sync.pages import PageStage, PageWork, page_model

_log = get_logger(__name__)


class PageParts:
    """Everything about pages of one open workspace. Cheap to make: models and tables are opened at first use."""

    def __init__(
        self,
        paths: WorkspacePaths,
        base: Path,
        settings: Settings,
        catalogue: Catalogue,
        elements: Callable[[], ElementStore],
        embedder: SentenceTransformerEmbedder,
        passwords: Passwords,
        courtesy: Courtesy,
        *,
        read_only: bool,
    ) -> None:
        self._paths = paths
        self._settings = settings
        self._catalogue = catalogue
        self._elements = elements
        self._passwords = passwords
        self._words = WordPageEmbedder(embedder, courtesy.stand_still)
        self._shelf = ModelShelf(base)
        self._pace = PagePace(base / "page_pace.json")
        self._courtesy = courtesy
        self.store = PageStore(paths.elements_uri, read_only)

    @cached_property
    def embedder(self) -> PageEmbedder:
        """Who looks at pages that come in: the installed page model that is chosen, else the words' embedder."""
        if not self._settings.page_model:
            return self._words
        try:
            threads, pause = self._settings.model_threads, self._courtesy.stand_still
            return self._shelf.embedder(self._settings.page_model, threads, pause)
        except ModelError:
            _log.error("the chosen page model is not installed; words and places serve instead")
            return self._words

    @cached_property
    def _former(self) -> tuple[PageEmbedder, ...]:
        """The other installed page models: what one of them saw serves until the chosen one has seen everything."""
        threads = self._settings.model_threads
        others = [one for one in self._shelf.installed() if one.kind == ModelKind.PAGE and one.is_there]
        return tuple(self._shelf.embedder(one.name, threads) for one in others if one.name != self.embedder.name)

    @cached_property
    def route(self) -> PageRoute:
        """The route ``page``."""
        embedders = dict.fromkeys((self.embedder, self._words, *self._former))
        lookers = [Looker(one, page_model(one, self._settings.page_pooling)) for one in embedders]
        return PageRoute(PageSearch(self.store, lookers, self._settings.model_threads), self._elements(), self._page)

    @cached_property
    def stage(self) -> PageStage:
        """The stage of the sync."""
        work = PageWork(self.embedder, self._settings.page_pooling, self._open_source)
        return PageStage(work, self._catalogue, self.store, self._courtesy, self._pace, self._passwords)

    def estimate(self, folder_id: int | None = None) -> PageEstimate:
        """Return what the pages that wait will cost, or those of a folder that nobody looked at yet."""
        return self.stage.estimate(folder_id)

    def cost_of(self, name: str) -> PageEstimate:
        """Return what all wanted pages would cost with another page model, or with "words". Raises ModelError."""
        other = self._words if name == WORDS else self._shelf.embedder(name, self._settings.model_threads)
        return self.stage.cost_of(other, self._settings.page_pooling)

    def heat_map(self, question: str, document: str, page: int) -> HeatMap | None:
        """Return why a page fits a question; None when nobody looked at it."""
        with self._courtesy.answering():
            return self.route.heat_map(question, document, page)

    def check(self) -> Check:
        """Return what ``doctor`` says of who looks at pages; loads nothing."""
        name = self._settings.page_model
        if not name:
            return Check("Pages", True, f"looked at by: {self._words.name}; no page model is chosen")
        try:
            model = self._shelf.get(name)
            inspect(Path(model.folder))
        except ModelError as error:
            return Check("Pages", False, str(error), "Words and places serve instead: desktop-rag models use words")
        device = self._shelf.device() or "the device is measured at first use"
        return Check("Pages", True, f"looked at by: {name} ({model.family}, {model.bytes / 1e6:,.0f} MB; {device})")

    def close(self) -> None:
        """Give back the models and tables."""
        for embedder in (self.embedder, *self._former):
            embedder.close()
        self.store.close()

    def _page(self, document: str, number: int) -> Page | None:
        pages = self._catalogue.files.pages(document)
        return pages[number - 1] if 0 < number <= len(pages) else None

    def _open_source(self) -> PageSource:
        if not self.embedder.looks:
            return WordPages(self._catalogue.files, self._elements())
        return DrawnPageSource(self._catalogue.files, self._paths.print_views, self._open_pool, self._passwords)

    def _open_pool(self) -> ParsePool:
        settings = self._settings
        return ParsePool(
            1,
            settings.parse_seconds,
            settings.parse_megabytes,
            settings.chunk_tokens,
            ENTRY,
            background=True,
            courtesy=self._courtesy,
        )
