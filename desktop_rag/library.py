"""An open knowledge base: the one façade that the command line and the engine call."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType

from desktop_rag.answer.answerer import Answerer
from desktop_rag.answer.cache import AnswerCache
from desktop_rag.conversing import Conversing
from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import DamagedDataError, UserFacingError
from desktop_rag.core.filters import Filters, parse_filters
from desktop_rag.core.heat import HeatMap
from desktop_rag.core.log import get_logger, log_to
from desktop_rag.core.outline import Section
from desktop_rag.core.passwords import Passwords
from desktop_rag.core.paths import DEFAULT_WORKSPACE, WorkspacePaths, home, workspace_paths
from desktop_rag.core.reports import (
    RouteResult,
)
from desktop_rag.core.settings import Settings, load_settings, save_settings
from desktop_rag.core.tables import TableData
from desktop_rag.core.types import BBox, Element, Hit, PagePicture, Route
from desktop_rag.ingest.page_pictures import PagePictures
from desktop_rag.ingest.unlocking import ENTRY as TRY_PASSWORD
from desktop_rag.ingest.workers import ParsePool
from desktop_rag.measuring import Measuring
from desktop_rag.models.embedder import Embedder
from desktop_rag.page_wiring import PageParts
from desktop_rag.repair import mend_catalogue
from desktop_rag.retrieve.filtering import condition
from desktop_rag.retrieve.outline import outline, section_elements
from desktop_rag.retrieve.retriever import Retriever, checked_question
from desktop_rag.retrieve.wiring import routes_over
from desktop_rag.shelving import Shelving
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.lock import WriterLock
from desktop_rag.suggesting import Suggesting
from desktop_rag.sync.synchronizer import Synchronizer
from desktop_rag.sync.unlocking import Unlocker
from desktop_rag.sync.watcher import Watcher
from desktop_rag.tagging import Tagging
from desktop_rag.upkeep import Upkeep
from desktop_rag.watching import Watching
from desktop_rag.wiring import make_kept_pictures, make_models, make_synchronizer

_log = get_logger(__name__)


class Library(Watching, Conversing, Suggesting, Measuring, Shelving, Tagging, Upkeep):
    """One workspace, open for reading or, with the writer's lock, for writing too. Safe for several threads."""

    def __init__(
        self, paths: WorkspacePaths, base: Path, catalogue: Catalogue, settings: Settings, lock: WriterLock | None
    ) -> None:
        self._paths = paths
        self._base = base
        self._catalogue = catalogue
        self._lock = lock
        self._syncing = threading.Lock()
        self._opening = threading.RLock()
        self._pictures = PagePictures(make_kept_pictures(paths, settings, read_only=lock is None))
        self._passwords = Passwords()
        self._courtesy = Courtesy()
        self._watcher: Watcher | None = None
        self._models = make_models(settings, base)
        self._pages = self._make_pages(settings)
        self.settings = settings
        self.mended: tuple[str, ...] = ()
        """What had to be mended when it was opened, as sentences."""

    @staticmethod
    def open(
        workspace: str = DEFAULT_WORKSPACE, *, base: Path | None = None, read_only: bool = False, mend: bool = False
    ) -> Library:
        """Open ``workspace`` under ``base`` (default: the data folder), creating it when it is new.

        With ``mend`` a damaged catalogue is kept aside and made anew; :attr:`mended` then says so.

        Raises WorkspaceBusyError when another process writes to it, NewerDataError when a newer version made it, and
        UserFacingError for a bad name, bad settings, or a folder that cannot be written.
        """
        base = base or home()
        paths = workspace_paths(workspace, base)
        settings = load_settings(base / "settings.toml")
        if read_only and not paths.catalogue.exists():
            raise UserFacingError(
                f"The workspace '{workspace}' holds nothing yet. Add a folder: desktop-rag index FOLDER -w {workspace}"
            )
        if not paths.is_reachable:
            raise UserFacingError(
                f"The workspace '{workspace}' lies in {paths.root}, which is not there. Connect its disk and try again."
            )
        try:
            paths.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserFacingError(
                f"The data folder {paths.root} cannot be made: {error.strerror}. Set DESKTOP_RAG_HOME to one that can."
            ) from error
        log_to(paths.log)
        lock = None if read_only else WriterLock(paths.lock)
        if lock is not None:
            lock.acquire()
        try:
            return Library._opened(paths, base, settings, lock, mend)
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    @staticmethod
    def _opened(paths: WorkspacePaths, base: Path, settings: Settings, lock: WriterLock | None, mend: bool) -> Library:
        mended: tuple[str, ...] = ()
        try:
            catalogue = Catalogue.open(paths.catalogue, lock is None)
        except DamagedDataError:
            if not mend or lock is None:
                raise
            mended = mend_catalogue(paths)
            catalogue = Catalogue.open(paths.catalogue)
        library = Library(paths, base, catalogue, settings, lock)
        library.mended = mended
        return library

    def close(self) -> None:
        """Give back models, files and the writer's lock."""
        if self._watcher is not None:
            self._watcher.stop()
        synchronizer = self.__dict__.get("_synchronizer")
        if synchronizer is not None:
            synchronizer.close()
        self._models.llm.close()
        self._pages.close()
        self._pictures.close()
        self._catalogue.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def workspace(self) -> str:
        """The workspace's name."""
        return self._paths.name

    @property
    def read_only(self) -> bool:
        """Whether another process may be writing; nothing is changed then."""
        return self._lock is None

    # Questions

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes that can be chosen now."""
        return self._retriever.ready

    def search(
        self, query: str, *, route: Route | None = None, k: int = 10, where: str | Filters | None = None
    ) -> tuple[Hit, ...]:
        """Return at most ``k`` hits, best first.

        ``where`` is a filter: terms such as ``type:pdf page:3-10`` (see ``core.filters``), or a condition such as
        ``kind = 'table' AND page < 10``. Raises UserFacingError when it cannot be understood.
        """
        with self._courtesy.answering():
            return self._retriever.search(query, route or Route(self.settings.route), k, self._condition(where))

    def compare(
        self, query: str, *, routes: Sequence[Route], k: int = 5, where: str | Filters | None = None
    ) -> tuple[RouteResult, ...]:
        """Return what each of ``routes`` finds side by side, with its time and that of its steps."""
        with self._courtesy.answering():
            return self._retriever.compare(query, routes, k, self._condition(where))

    def outline(self, document: str) -> tuple[Section, ...]:
        """Return the headings of a document as a tree; empty when it has none."""
        return outline(self._elements.of_document(document))

    def section(self, document: str, path: Sequence[str] = ()) -> tuple[Element, ...]:
        """Return what stands under a heading of the outline, in reading order; the whole document without ``path``."""
        return section_elements(self._elements.of_document(document), path)

    @property
    def _setup(self) -> str:
        settings = self.settings
        return f"{self._models.embedder.name}, route {settings.route}, reranker {settings.reranker or 'none'}"

    def warm_up(self) -> None:
        """Load what every question needs (the text model, the index), so that the first one does not wait for it."""
        self._retriever.search("warm up", Route.BEST, 1)
        if not self.read_only:
            self._synchronizer.warm_up()

    # Pages, models, settings

    def page_picture(self, document: str, page: int, scale: float, clip: BBox | None = None) -> PagePicture:
        """Return a picture of a page, or of its part ``clip``, at ``scale`` pixels per point.

        Of a page too large for one picture the top left part comes: see the picture's own ``clip`` for what is shown.
        Raises NeedsPasswordError for a locked file whose password is not known, UserFacingError when there is no such
        page.
        """
        record = self._catalogue.files.get(document)
        if record is None:
            raise UserFacingError("This document is not in the workspace any more.")
        view = self._paths.print_views / f"{document}.pdf"
        path = view if view.exists() else record.path
        label, passwords = self._label(document, page), self._passwords.of(document)
        return self._pictures.render(path, page, scale, label, clip, passwords, document)

    def table_of(self, element: str) -> TableData:
        """Return the whole table of which an element is a part; raises UserFacingError when there is none."""
        found = self._elements.get([element]).get(element)
        if found is None:
            raise UserFacingError("This table is not in the workspace any more. Its file has changed: ask again.")
        table = self._catalogue.tables.get(found.document, found.table) if found.table else None
        if table is None:
            raise UserFacingError("The cells of this table are not known. Let the program read its file once more.")
        return table

    def heat_map(self, question: str, document: str, page: int) -> HeatMap | None:
        """Return how well each part of a page fits each word of a question; None if nobody looked at the page yet."""
        return self._pages.heat_map(checked_question(question), document, page)

    def document_path(self, document: str) -> str:
        """Return where a document lies on the disk, for opening it in another program."""
        record = self._catalogue.files.get(document)
        if record is None:
            raise UserFacingError("This document is not in the workspace any more.")
        return str(record.path)

    @property
    def embedder(self) -> Embedder:
        """The text model in use, loaded at its first use."""
        return self._models.embedder

    def set_settings(self, settings: Settings) -> None:
        """Store ``settings``; models take them up at their next use."""
        save_settings(settings, self._base / "settings.toml")
        with self._syncing, self._opening:
            if "_synchronizer" in self.__dict__:
                self._synchronizer.close()
            self._models.llm.close()
            self._models = make_models(settings, self._base)
            self._pages.close()
            self._pages = self._make_pages(settings)
            self.settings = settings
            elements = self.__dict__.pop("_elements", None)  # another text model may have vectors of another length
            if elements is not None:
                elements.close()
            self._pictures.close()
            self._pictures = PagePictures(make_kept_pictures(self._paths, settings, read_only=self.read_only))
            for name in ("answerer", "_retriever", "_synchronizer"):
                self.__dict__.pop(name, None)

    # Wiring

    def _make_pages(self, settings: Settings) -> PageParts:
        embedder = self._models.embedder
        return PageParts(
            self._paths, self._base, settings, self._catalogue, lambda: self._elements, embedder, self._passwords,
            self._courtesy, read_only=self.read_only,
        )  # fmt: skip

    @cached_property
    def _elements(self) -> ElementStore:
        """Opened at first use: LanceDB takes over a second to import, and much can be done without it."""
        with self._opening:
            return ElementStore(self._paths.elements_uri, self._models.embedder.dimensions, self.read_only)

    def _element_store(self) -> ElementStore:
        return self._elements

    @cached_property
    def _retriever(self) -> Retriever:
        routes = routes_over(self._elements, self._models.embedder, self.settings, lambda: self._models.llm)
        return Retriever([*routes, self._pages.route], self._shown)

    @cached_property
    def _synchronizer(self) -> Synchronizer:
        return make_synchronizer(
            self._catalogue,
            self._elements,
            self._paths,
            self.settings,
            self._models.embedder,
            self._passwords,
            self._courtesy,
            self._pages,
        )

    @cached_property
    def _unlocker(self) -> Unlocker:
        def open_pool() -> ParsePool:
            settings = self.settings
            limits = (settings.parse_seconds, settings.parse_megabytes, settings.chunk_tokens)
            return ParsePool(1, *limits, TRY_PASSWORD)

        return Unlocker(self._catalogue, self._passwords, open_pool)

    @cached_property
    def answerer(self) -> Answerer:
        """What answers, with the models of now."""
        return Answerer(
            lambda question, route, k: self.search(question, route=route, k=k),
            self._label,
            self._models.embedder,
            lambda: self._models.llm,
            self.settings,
            lambda: any(record.elements for record in self._catalogue.files.all()),
            AnswerCache(
                self._catalogue.answers,
                self._models.embedder,
                self._catalogue.files.digest,
                self.settings.cache_closeness,
                self.read_only,
            ),
            self._models.entailment,
        )

    def _condition(self, where: str | Filters | None) -> str | None:
        filters = parse_filters(where) if isinstance(where, str) else where
        if filters is None:
            return where if isinstance(where, str) else None
        return condition(filters, self._catalogue.files.all, self._catalogue.tags.of_files)

    def _shown(self, document: str) -> str | None:
        record = self._catalogue.files.get(document)
        return record.shown if record else None

    def _label(self, document: str, page: int) -> str:
        pages = self._catalogue.files.pages(document)
        return pages[page - 1].label if 0 < page <= len(pages) else ""

    def _need_writer(self) -> None:
        if self.read_only:
            raise UserFacingError(
                f"The workspace '{self.workspace}' is open for reading only here; nothing was changed."
            )
