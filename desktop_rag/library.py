"""An open knowledge base: the one façade that the command line and the engine call."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType

from desktop_rag.answer.answerer import Answerer
from desktop_rag.answer.cache import AnswerCache
from desktop_rag.conversing import Conversing
from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.evaluation import OwnQuestion, OwnRun
from desktop_rag.core.events import LibraryEvent
from desktop_rag.core.filters import Filters, parse_filters
from desktop_rag.core.heat import HeatMap
from desktop_rag.core.job import Job
from desktop_rag.core.log import get_logger, log_to
from desktop_rag.core.outline import Section
from desktop_rag.core.passwords import Passwords
from desktop_rag.core.paths import DEFAULT_WORKSPACE, WorkspacePaths, home, workspace_paths
from desktop_rag.core.reports import Check, ModelInfo, PageEstimate, RouteResult, SyncSummary
from desktop_rag.core.settings import Settings, load_settings, save_settings
from desktop_rag.core.tables import TableData
from desktop_rag.core.types import (
    BBox,
    Element,
    FileRow,
    FileState,
    FolderRow,
    FolderState,
    Hit,
    Ledger,
    PagePicture,
    Route,
    Stage,
)
from desktop_rag.doctor import check_installation
from desktop_rag.evaluate.own import run_own
from desktop_rag.ingest.page_pictures import PagePictures
from desktop_rag.ingest.unlocking import ENTRY as TRY_PASSWORD
from desktop_rag.ingest.workers import ParsePool
from desktop_rag.models.embedder import Embedder
from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.page_wiring import PageParts
from desktop_rag.retrieve.filtering import condition
from desktop_rag.retrieve.outline import outline, section_elements
from desktop_rag.retrieve.retriever import Retriever, checked_question
from desktop_rag.retrieve.wiring import routes_over
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.store.lock import WriterLock
from desktop_rag.sync.describing import vision_files
from desktop_rag.sync.reading import STAGES_OF_THIS_VERSION, TextStage
from desktop_rag.sync.rows import as_row
from desktop_rag.sync.rules import is_inside
from desktop_rag.sync.scanner import Scanner
from desktop_rag.sync.stages import Shared, later_stages
from desktop_rag.sync.synchronizer import Stages, Synchronizer
from desktop_rag.sync.unlocking import Unlocker
from desktop_rag.sync.vectors import VectorStage
from desktop_rag.sync.watcher import Watcher

_log = get_logger(__name__)
_READY = (FileState.INDEXED, FileState.PARTLY, FileState.UNSUPPORTED, FileState.IGNORED)


@dataclass(frozen=True, slots=True)
class _Models:
    embedder: SentenceTransformerEmbedder
    llm: LlamaModel


class Library(Conversing):
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
        self._pictures = PagePictures()
        self._passwords = Passwords()
        self._courtesy = Courtesy()
        self._watcher: Watcher | None = None
        self._models = _make_models(settings, base)
        self._pages = self._make_pages(settings)
        self.settings = settings

    @staticmethod
    def open(workspace: str = DEFAULT_WORKSPACE, *, base: Path | None = None, read_only: bool = False) -> Library:
        """Open ``workspace`` under ``base`` (default: the data folder), creating it when it is new.

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
            return Library(paths, base, Catalogue.open(paths.catalogue, read_only), settings, lock)
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    def close(self) -> None:
        """Give back models, files and the writer's lock."""
        if self._watcher is not None:
            self._watcher.stop()
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

    # Folders and their files

    def add_paths(self, paths: Sequence[str]) -> tuple[FolderRow, ...]:
        """Watch folders, or single files; one that is watched already, itself or by a folder above it, stays as it is.

        Raises UserFacingError when a path does not exist or cannot be read; then none is added.
        """
        self._need_writer()
        for shown in paths:
            _check_readable(shown)
        for shown in paths:
            path = Path(shown).resolve()
            watched = [folder for folder in self._catalogue.folders.all() if not folder.is_file]
            if not any(is_inside(path, folder.path) for folder in watched):
                self._catalogue.folders.add(path, shown)
        self._watch_roots()
        return self.folders()

    def remove_folder(self, folder_id: int) -> None:
        """Stop watching a folder and take its documents out of the index; nothing on the disk is touched."""
        self._need_writer()
        with self._syncing:
            records = self._catalogue.files.all(folder_id)
            self._synchronizer.forget(records)
            self._catalogue.folders.remove(folder_id)
        self._watch_roots()

    def watch(self, due: Callable[[], None]) -> None:
        """Call ``due``, from a thread of its own, whenever something changed in a watched folder and is quiet again."""
        self._need_writer()
        self._watcher = Watcher(due)
        self._watcher.start()
        self._watch_roots()

    def folders(self) -> tuple[FolderRow, ...]:
        """Return the watched folders with the number of their files that are known and that are ready."""
        return self._folder_rows(self._catalogue.files.all())

    def status(self) -> Ledger:
        """Return the whole ledger."""
        records = self._catalogue.files.all()
        folders = self._catalogue.folders.all()
        offline = {folder.id for folder in folders if folder.state is FolderState.OFFLINE}
        rows = tuple(as_row(record, offline=record.folder_id in offline) for record in records)
        return Ledger(self.workspace, self._folder_rows(records), rows)

    def sync(
        self,
        *,
        stages: Collection[Stage] | None = None,
        job: Job | None = None,
        emit: Callable[[LibraryEvent], None] | None = None,
    ) -> SyncSummary:
        """Bring the index in step with the disk; returns when it is. A second call waits for the first.

        Raises CancelledError when ``job`` ends; what was done by then stays.
        """
        self._need_writer()
        with self._syncing:
            return self._synchronizer.run(
                stages if stages is not None else STAGES_OF_THIS_VERSION, job or Job(), emit or (lambda _: None)
            )

    # Locked files

    def locked(self) -> tuple[FileRow, ...]:
        """Return the files of which more can be read once their password is known."""
        return self._unlocker.locked()

    def unlock(self, document: str, password: str, *, for_others: bool = False) -> FileRow:
        """Take the password of a locked file; the next sync reads it. It is kept until this library is closed.

        With ``for_others`` it is tried on every locked file. Raises NeedsPasswordError when it does not open the file.
        """
        self._need_writer()
        return self._unlocker.unlock(document, password, for_others)

    def take_passwords(self, passwords: Sequence[str]) -> None:
        """Have the next syncs try ``passwords`` on every locked file; they are kept until this library is closed."""
        self._need_writer()
        self._unlocker.take(passwords)

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
        return self._retriever.compare(query, routes, k, self._condition(where))

    def outline(self, document: str) -> tuple[Section, ...]:
        """Return the headings of a document as a tree; empty when it has none."""
        return outline(self._elements.of_document(document))

    def section(self, document: str, path: Sequence[str] = ()) -> tuple[Element, ...]:
        """Return what stands under a heading of the outline, in reading order; the whole document without ``path``."""
        return section_elements(self._elements.of_document(document), path)

    # The workspace's own questions

    def mark_right_page(self, question: str, document: str, page: int) -> OwnQuestion:
        """Keep that ``page`` of ``document`` answers ``question``, for measuring how well this workspace is searched.

        Raises UserFacingError for an empty question, or a document or page that is not there.
        """
        self._need_writer()
        record = self._catalogue.files.get(document)
        if record is None or not 1 <= page <= max(1, record.pages):
            raise UserFacingError(f"Page {page} of this document is not in the workspace. Search again, then mark it.")
        return self._catalogue.own.mark(checked_question(question), document, record.shown, page)

    def own_questions(self) -> tuple[OwnQuestion, ...]:
        """Return the marked pages with their questions."""
        return self._catalogue.own.all()

    def remove_own_question(self, question_id: int) -> None:
        """Forget a mark; raises UserFacingError when there is none of that number."""
        self._need_writer()
        if not self._catalogue.own.remove(question_id):
            raise UserFacingError(f"There is no question number {question_id}. List them: desktop-rag questions list")

    def run_own_questions(self, routes: Sequence[Route] | None = None, *, job: Job | None = None) -> OwnRun:
        """Ask the own questions by each of ``routes`` (default: all that are ready), and keep what came of it."""
        setup = (
            f"{self._models.embedder.name}, route {self.settings.route}, reranker {self.settings.reranker or 'none'}"
        )
        run = run_own(self.search, self.own_questions(), self._shown, routes or self.routes, setup, job or Job())
        return run if self.read_only else self._catalogue.own.keep_run(run)

    def own_runs(self) -> tuple[OwnRun, ...]:
        """Return the kept runs of the own questions, the latest first."""
        return self._catalogue.own.runs()

    def warm_up(self) -> None:
        """Load what every question needs (the text model, the index), so that the first one does not wait for it."""
        self._retriever.search("warm up", Route.HYBRID, 1)

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
        return self._pictures.render(path, page, scale, label, clip, passwords)

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

    def look_at_pages(self, folder_id: int, looks: bool) -> None:
        """Choose whether the pages of a folder's files shall be looked at; the next sync does it."""
        self._need_writer()
        self._catalogue.folders.set_looks(folder_id, looks)

    def page_estimate(self) -> PageEstimate:
        """Return what looking at the pages that wait will cost on this machine."""
        return self._pages.estimate()

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

    def model_info(self) -> ModelInfo:
        """Return the names of the models in use, without loading them."""
        return ModelInfo(self._models.llm.name, self._models.llm.file_bytes, self._models.embedder.name)

    def set_settings(self, settings: Settings) -> None:
        """Store ``settings``; models take them up at their next use."""
        save_settings(settings, self._base / "settings.toml")
        with self._opening:
            self._models.llm.close()
            self._models = _make_models(settings, self._base)
            self._pages.close()
            self._pages = self._make_pages(settings)
            self.settings = settings
            for name in ("answerer", "_retriever", "_synchronizer"):
                self.__dict__.pop(name, None)

    def doctor(self) -> tuple[Check, ...]:
        """Look over the installation and this workspace."""
        return check_installation(
            self._paths,
            self._base,
            self._models.embedder,
            self._models.llm,
            vision_files(self.settings),
            self.settings.ocr_language,
        )

    # Wiring

    def _watch_roots(self) -> None:
        if self._watcher is not None:
            self._watcher.watch(folder.path for folder in self._catalogue.folders.all())

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
            return ElementStore(str(self._paths.elements), self._models.embedder.dimensions, self.read_only)

    @cached_property
    def _retriever(self) -> Retriever:
        routes = routes_over(self._elements, self._models.embedder, self.settings)
        return Retriever([*routes, self._pages.route], self._shown)

    @cached_property
    def _synchronizer(self) -> Synchronizer:
        settings, models = self.settings, self._models
        scanner = Scanner(settings.largest_file_megabytes * 1_000_000)
        text = TextStage(
            self._catalogue,
            self._elements,
            models.embedder,
            self._paths.print_views,
            lambda: ParsePool(
                settings.parse_processes, settings.parse_seconds, settings.parse_megabytes, settings.chunk_tokens
            ),
            self._paths.attachments,
            self._passwords,
        )
        vectors = VectorStage(self._catalogue, self._elements, models.embedder)
        shared = Shared(self._catalogue, self._elements, models.embedder, self._passwords, self._courtesy)
        later = later_stages(settings, self._base, self._paths.print_views, shared)
        stages = Stages(text, vectors, later, self._pages.stage)
        return Synchronizer(self._catalogue, self._elements, scanner, stages, self._pages.store)

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
        )

    def _condition(self, where: str | Filters | None) -> str | None:
        filters = parse_filters(where) if isinstance(where, str) else where
        if filters is None:
            return where if isinstance(where, str) else None
        return condition(filters, self._catalogue.files.all)

    def _shown(self, document: str) -> str | None:
        record = self._catalogue.files.get(document)
        return record.shown if record else None

    def _label(self, document: str, page: int) -> str:
        pages = self._catalogue.files.pages(document)
        return pages[page - 1].label if 0 < page <= len(pages) else ""

    def _folder_rows(self, records: Sequence[FileRecord]) -> tuple[FolderRow, ...]:
        known: dict[int, int] = {}
        ready: dict[int, int] = {}
        for record in records:
            known[record.folder_id] = known.get(record.folder_id, 0) + 1
            ready[record.folder_id] = ready.get(record.folder_id, 0) + (record.state in _READY)
        return tuple(
            FolderRow(
                folder.id, folder.shown, folder.state, known.get(folder.id, 0), ready.get(folder.id, 0), folder.looks
            )
            for folder in self._catalogue.folders.all()
        )

    def _need_writer(self) -> None:
        if self.read_only:
            raise UserFacingError(
                f"The workspace '{self.workspace}' is open for reading only here; nothing was changed."
            )


def _make_models(settings: Settings, base: Path) -> _Models:
    llm = Path(settings.llm_path).expanduser() if settings.llm_path else None
    return _Models(
        SentenceTransformerEmbedder(None, settings.model_threads, base / "text_model.json"),
        LlamaModel(llm, settings.llm_context, settings.model_threads, settings.llm_gpu_layers),
    )


def _check_readable(shown: str) -> None:
    path = Path(shown)
    if not path.exists():
        raise UserFacingError(f"'{shown}' does not exist. Check the spelling, or whether its disk is connected.")
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise UserFacingError(f"'{shown}' cannot be read. Check its permissions.")
