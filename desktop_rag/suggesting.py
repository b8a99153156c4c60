"""The part of an open library that suggests questions, made from what was read."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator

from desktop_rag.answer.answerer import Answerer
from desktop_rag.core.answers import Answer
from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import Route
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.suggest.candidates import Candidate, Reading, candidates
from desktop_rag.suggest.choosing import choose

_KEPT = "suggestions"
_VERSION = "1"
"""Raised when other questions would be made of the same documents."""
_DOCUMENTS = 40
"""The newest documents are looked at, and of each its first pages, elements and small tables."""
_PAGES = 12
_ELEMENTS = 200
_TABLES = 8


class Suggesting(ABC):
    """Suggested questions of one workspace; the library is one of these."""

    settings: Settings
    _catalogue: Catalogue
    _courtesy: Courtesy
    _syncing: threading.Lock

    @property
    @abstractmethod
    def read_only(self) -> bool:
        """Whether nothing may be kept."""

    @property
    @abstractmethod
    def answerer(self) -> Answerer:
        """What answers, with the models of now."""

    @abstractmethod
    def _element_store(self) -> ElementStore:
        """Return the elements, opened at first use."""

    @property
    @abstractmethod
    def _setup(self) -> str:
        """With what is searched: the model and the settings that matter."""

    def suggestions(self, *, job: Job | None = None) -> tuple[str, ...]:
        """Return a few questions that the documents answer, the newest documents first; none where none can be made.

        They are kept until the index changes. Each is asked without a model before it is returned, when nobody waits
        for an answer. Raises CancelledError when ``job`` ends, or while files are being read: their turn comes first.
        """
        state = self._index_state
        known = json.loads(self._catalogue.remembered.get(_KEPT) or "{}")
        if known.get("state") == state:
            return tuple(known["questions"])
        job = job or Job()
        questions = choose(self._candidates(job), lambda question: self._answered(question, job))
        if not self.read_only and self._index_state == state:
            self._catalogue.remembered.put(_KEPT, json.dumps({"state": state, "questions": questions}))
        return questions

    @property
    def _index_state(self) -> str:
        return f"{_VERSION} {self._catalogue.files.digest()} {self._setup}"

    def _candidates(self, job: Job) -> Iterator[list[Candidate]]:
        for record in self._catalogue.files.newest(_DOCUMENTS):
            self._give_way(job)
            yield candidates(self._reading(record))

    def _give_way(self, job: Job) -> None:
        self._courtesy.wait(job)
        if self._syncing.locked():
            raise CancelledError("files are being read")

    def _reading(self, record: FileRecord) -> Reading:
        elements = self._element_store().beginning(record.document, _PAGES, _ELEMENTS)
        tables = self._catalogue.tables.small(record.document, _TABLES)
        return Reading(record.document, record.shown, record.title, elements, tables)

    def _answered(self, question: str, job: Job) -> Answer:
        self._give_way(job)
        route = Route(self.settings.route)
        return self.answerer.answer(
            question, thread="", history=(), route=route, use_model=False, job=job, emit=lambda _: None
        )
