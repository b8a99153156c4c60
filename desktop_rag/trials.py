"""Trying a model before it is chosen: what it makes of a question, and how fast it is on this machine.

Each kind of model does what it would do if it were chosen, on the best places that are found now; nothing is kept.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from desktop_rag.core.answers import Answer
from desktop_rag.core.errors import ModelError, UserFacingError
from desktop_rag.core.events import AnswerEvent, Token
from desktop_rag.core.job import Job
from desktop_rag.core.model_rows import ModelKind, ModelRow, ModelTrial, Speed
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import BBox, Hit, PagePicture, Route
from desktop_rag.models.cross_encoder import CrossEncoderReranker
from desktop_rag.models.late_interaction import LATE_INTERACTION, LateInteraction
from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.llm import LanguageModel
from desktop_rag.models.model_manager import NONE, WORDS, ModelManager
from desktop_rag.models.page_embedder import PageContent
from desktop_rag.models.query_likelihood import QUERY_LIKELIHOOD, QueryLikelihood
from desktop_rag.models.reranker import Reranker
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.models.vision import LlamaCaptioner, VisionFiles
from desktop_rag.retrieve.maxsim import maxsim

_PASSAGES, _RERANKED, _PAGES, _SHOWN = 50, 20, 3, 5
_SCALE = 2.0
"""Pixels per point of a page or figure that is looked at."""

_T = TypeVar("_T")
Answering = Callable[[str, LanguageModel, Job, Callable[[AnswerEvent], None]], Answer]


@dataclass(frozen=True, slots=True)
class Documents:
    """What a trial needs of the open workspace: ``find`` takes a question, a route and a number of hits."""

    find: Callable[[str, Route, int], Sequence[Hit]]
    answer: Answering
    picture: Callable[[str, int, float, BBox | None], PagePicture]
    embedder: SentenceTransformerEmbedder


@dataclass(frozen=True, slots=True)
class _Outcome:
    load_seconds: float
    seconds: float
    text: str = ""
    places: tuple[str, ...] = ()
    speed: Speed | None = None


class Trials:
    """Tries models on the documents of a workspace; what was measured is remembered."""

    def __init__(self, manager: ModelManager, settings: Settings, documents: Documents) -> None:
        self._manager = manager
        self._settings = settings
        self._documents = documents

    def run(self, row: ModelRow, question: str, job: Job) -> ModelTrial:
        """Return what the model of ``row`` makes of ``question``.

        Raises ModelError when the model is not there or cannot be loaded, UserFacingError when the documents have
        nothing to try it on, and CancelledError when ``job`` ends.
        """
        if row.name in (NONE, WORDS):
            raise UserFacingError("This is no model of its own: there is nothing to try. Ask a question instead.")
        if not row.usable:
            raise ModelError(f"'{row.name}' is not installed, so it cannot be tried. Fetch or add it first.")
        tries = {
            ModelKind.CHAT: self._chat,
            ModelKind.VISION: self._vision,
            ModelKind.EMBEDDING: self._embedding,
            ModelKind.PAGE: self._page,
            ModelKind.RERANKING: self._reranking,
        }
        made = tries[row.kind](row, question, job)
        if made.speed is not None:
            self._manager.speeds.put(row.kind, row.name, made.speed)
        return ModelTrial(
            row.kind, row.name, question, made.text, made.places, made.load_seconds, made.seconds, made.speed
        )

    def _chat(self, row: ModelRow, question: str, job: Job) -> _Outcome:
        model = self._chat_model(row.folder)
        came: list[float] = []

        def note(event: AnswerEvent) -> None:
            if isinstance(event, Token):
                came.append(time.perf_counter())

        try:
            loading, _ = _timed(lambda: model.count_tokens(question))
            seconds, answer = _timed(lambda: self._documents.answer(question, model, job, note))
        finally:
            model.close()
        job.check()
        cited = {n for sentence in answer.sentences for n in sentence.citations}
        quoted = [item for item in answer.evidence if item.n in cited]
        places = tuple(f"[{item.n}] {_place(item.file, item.page, item.quote)}" for item in quoted)
        span = came[-1] - came[0] if len(came) > 1 else 0.0
        speed = Speed((len(came) - 1) / span, "tokens a second") if span > 0 else None
        return _Outcome(loading, seconds, answer.text, places[:_SHOWN], speed)

    def _vision(self, row: ModelRow, question: str, job: Job) -> _Outcome:
        one = self._manager.shelf.get(row.name)
        files = VisionFiles(Path(one.path), Path(one.folder) / one.projector)
        files.check()
        hits = self._documents.find(question, Route.FIGURE, 1)
        box = hits[0].element.bbox if hits else None
        hit = hits[0] if hits else self._found(question, 1)[0]
        picture = self._documents.picture(hit.element.document, hit.element.page, _SCALE, box)
        job.check()
        model = LlamaCaptioner(files, self._settings.model_threads, self._settings.llm_gpu_layers)
        try:
            seconds, text = _timed(lambda: model.describe(picture.png))
        finally:
            model.close()
        place = _place(hit.file, hit.element.page, hit.element.text)
        return _Outcome(0.0, seconds, text, (place,), Speed(seconds, "seconds a figure, with loading"))

    def _embedding(self, row: ModelRow, question: str, job: Job) -> _Outcome:
        hits = self._found(question, _PASSAGES)
        path = Path(row.folder) if row.folder else None
        model = SentenceTransformerEmbedder(path, self._settings.model_threads)
        loading, asked = _timed(lambda: model.embed([question, question])[0])  # two: the number format is chosen, too
        job.check()
        seconds, vectors = _timed(lambda: model.embed([hit.element.search_text for hit in hits]))
        speed = Speed(len(hits) / max(seconds, 1e-6), "passages a second")
        return _Outcome(loading, seconds, "", _ranked(hits, vectors @ asked), speed)

    def _chat_model(self, folder: str) -> LlamaModel:
        settings = self._settings
        path = Path(folder) if folder else None
        return LlamaModel(path, settings.llm_context, settings.model_threads, settings.llm_gpu_layers)

    def _reranking(self, row: ModelRow, question: str, job: Job) -> _Outcome:
        with closing(self._chat_model(self._settings.llm_path)) as chat:  # loaded only by what needs it
            return self._reranked(row, question, job, chat)

    def _reranked(self, row: ModelRow, question: str, job: Job, chat: LlamaModel) -> _Outcome:
        hits = self._found(question, _RERANKED)
        model: Reranker
        if row.name == LATE_INTERACTION:
            model = LateInteraction(self._documents.embedder)
        elif row.name == QUERY_LIKELIHOOD:
            model = QueryLikelihood(lambda: chat)
        else:
            model = CrossEncoderReranker(Path(row.folder))
        texts = [hit.element.search_text for hit in hits]
        loading, _ = _timed(lambda: model.scores(question, texts[:1]))
        job.check()
        seconds, scores = _timed(lambda: model.scores(question, texts))
        speed = Speed(len(hits) / max(seconds, 1e-6), "passages a second")
        return _Outcome(loading, seconds, "", _ranked(hits, scores), speed)

    def _page(self, row: ModelRow, question: str, job: Job) -> _Outcome:
        from PIL import Image

        model = self._manager.shelf.embedder(row.name, self._settings.model_threads)
        hits = self._found(question, _PASSAGES)
        places = {(hit.element.document, hit.element.page): hit for hit in reversed(hits)}
        chosen = list(reversed(list(places.values())))[:_PAGES]
        try:
            loading, query = _timed(lambda: model.encode_query(question))
            seconds, seen = 0.0, []
            for hit in chosen:
                job.check()
                drawn = self._documents.picture(hit.element.document, hit.element.page, _SCALE, None)
                with Image.open(io.BytesIO(drawn.png)) as opened:
                    picture = opened.convert("RGB")
                content = PageContent(hit.element.page, drawn.page.width, drawn.page.height, "", picture=picture)
                took, made = _timed(partial(model.encode_page, content))
                seconds += took
                seen.append(made.vectors.astype(np.float16))
        finally:
            model.close()
        self._manager.note_pages(model.fingerprint, len(seen), seconds, sum(one.nbytes for one in seen))
        speed = Speed(seconds / len(seen), "seconds a page")
        return _Outcome(loading, seconds, "", _ranked(chosen, maxsim(query.vectors, seen)), speed)

    def _found(self, question: str, most: int) -> Sequence[Hit]:
        hits = self._documents.find(question, Route.BEST, most)
        if not hits:
            raise UserFacingError(
                "Nothing was found to try the model on. Add a folder or the samples, or ask of something else."
            )
        return hits


def _timed(do: Callable[[], _T]) -> tuple[float, _T]:
    started = time.perf_counter()
    made = do()
    return time.perf_counter() - started, made


def _ranked(hits: Sequence[Hit], scores: np.ndarray) -> tuple[str, ...]:
    order = np.argsort(-np.asarray(scores, dtype=np.float32), kind="stable")[:_SHOWN]
    found = [hits[int(index)] for index in order]
    return tuple(_place(hit.file, hit.element.page, hit.element.text) for hit in found)


def _place(file: str, page: int, text: str) -> str:
    words = " ".join(text.split())
    short = words if len(words) <= 120 else f"{words[:120].rsplit(' ', 1)[0]} …"
    return f"{file.replace(chr(92), '/').rsplit('/', 1)[-1]}, p. {page}: {short}"
