"""The part of an open library that is about its models: which there are, which are chosen, and what they look at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from desktop_rag.answer.answerer import Answerer
from desktop_rag.core.answers import Answer
from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.events import AnswerEvent
from desktop_rag.core.filters import Filters
from desktop_rag.core.job import Job
from desktop_rag.core.model_rows import ModelKind, ModelRow, ModelTrial, Redoing
from desktop_rag.core.reports import ModelInfo, PageEstimate
from desktop_rag.core.settings import Settings, load_settings
from desktop_rag.core.types import BBox, Hit, PagePicture, Route
from desktop_rag.models.llm import LanguageModel
from desktop_rag.models.model_manager import NONE, ModelManager
from desktop_rag.page_wiring import PageParts
from desktop_rag.retrieve.retriever import checked_question
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.trials import Documents, Trials
from desktop_rag.wiring import Models


class Shelving(ABC):
    """The models of one installation as one workspace uses them; the library is one of these."""

    settings: Settings
    _base: Path
    _catalogue: Catalogue
    _courtesy: Courtesy
    _models: Models
    _pages: PageParts

    @property
    @abstractmethod
    def answerer(self) -> Answerer:
        """What answers, with the models of now."""

    @abstractmethod
    def search(
        self, query: str, *, route: Route | None = None, k: int = 10, where: str | Filters | None = None
    ) -> tuple[Hit, ...]:
        """Return ranked hits."""

    @abstractmethod
    def page_picture(self, document: str, page: int, scale: float, clip: BBox | None = None) -> PagePicture:
        """Return a picture of a page, or of its part ``clip``, at ``scale`` pixels per point."""

    @abstractmethod
    def set_settings(self, settings: Settings) -> None:
        """Store ``settings``; models take them up at their next use."""

    @abstractmethod
    def _need_writer(self) -> None:
        """Raise UserFacingError when the workspace is open for reading only."""

    @abstractmethod
    def _element_store(self) -> ElementStore:
        """Return what holds the passages."""

    def model_info(self) -> ModelInfo:
        """Return the names of the models in use, without loading them."""
        return ModelInfo(self._models.llm.name, self._models.llm.file_bytes, self._models.embedder.name)

    def models(self) -> tuple[ModelRow, ...]:
        """Return all models by kind: what comes along, what is installed, what can be fetched. Loads none."""
        return self._manager.rows(self.settings)

    def add_model(self, path: str, name: str = "", *, job: Job | None = None) -> ModelRow:
        """Take up a model from a file or folder, which stays where it is. Raises ModelError saying what is wrong."""
        (job or Job()).check()
        return self._manager.add(Path(path), name)

    def pull_model(self, name: str, *, job: Job | None = None) -> ModelRow:
        """Fetch a known model over the network; ``job`` hears of the bytes and can stop it. What broke off goes on."""
        return self._manager.pull(name, job or Job())

    def verify_model(self, name: str, *, job: Job | None = None) -> ModelRow:
        """Read all files of an installed model again. Raises ModelError when they are not as they were."""
        (job or Job()).check()
        self._manager.shelf.verify(name)
        return self._manager.row(name, self.settings)

    def remove_model(self, name: str) -> None:
        """Forget a model that is not in use; what was fetched of it is deleted, files of the user's own stay."""
        self._manager.remove(name, self.settings)

    def choose_model(self, name: str, kind: ModelKind) -> None:
        """Use a model from now on; the next sync does again what follows from it, see :meth:`redoing`.

        The settings are read anew: another window may have chosen a model of another kind meanwhile.
        """
        self._need_writer()
        self.set_settings(self._manager.chosen(load_settings(self._base / "settings.toml"), name, kind))

    def redoing(self, name: str, kind: ModelKind) -> Redoing | None:
        """Return what choosing a model makes the next syncs do anew; None when that is nothing."""
        row = self._manager.row(name, self.settings, kind)
        records = self._catalogue.files.all()
        if row.used:
            return None
        if kind is ModelKind.EMBEDDING:
            passages = sum(record.elements for record in records)
            seconds = passages / row.speed.value if row.speed else None
            return Redoing(passages, "passages", seconds) if passages else None
        if kind is ModelKind.PAGE:
            made = self._pages.cost_of(name)
            return Redoing(made.pages, "pages", made.seconds, made.bytes) if made.pages else None
        if kind is ModelKind.VISION and name != NONE:
            figures = len(self._element_store().undescribed(""))
            return Redoing(figures, "figures") if figures else None
        return None

    def try_model(self, name: str, kind: ModelKind, question: str, *, job: Job | None = None) -> ModelTrial:
        """Return what a model makes of ``question`` and how fast it is, before it is chosen; nothing else changes."""
        row = self._manager.row(name, self.settings, kind)
        documents = Documents(self._find, self._answered_by, self.page_picture, self._models.embedder)
        with self._courtesy.answering():
            return Trials(self._manager, self.settings, documents).run(row, checked_question(question), job or Job())

    def look_at_pages(self, folder_id: int, looks: bool) -> None:
        """Choose whether the pages of a folder's files shall be looked at; the next sync does it."""
        self._need_writer()
        self._catalogue.folders.set_looks(folder_id, looks)

    def page_estimate(self, folder_id: int | None = None) -> PageEstimate:
        """Return what looking at the pages that wait will cost on this machine.

        With a folder: at all of its pages that nobody looked at yet, whether they are wanted or not.
        """
        return self._pages.estimate(folder_id)

    @cached_property
    def _manager(self) -> ModelManager:
        return ModelManager(self._base)

    def _find(self, question: str, route: Route, k: int) -> tuple[Hit, ...]:
        return self.search(question, route=route, k=k)

    def _answered_by(
        self, question: str, model: LanguageModel, job: Job, emit: Callable[[AnswerEvent], None]
    ) -> Answer:
        return self.answerer.written_by(model).answer(
            question, thread="", history=(), route=Route(self.settings.route), use_model=True, job=job, emit=emit,
        )  # fmt: skip
