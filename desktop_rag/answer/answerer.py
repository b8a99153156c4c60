"""The read path: question, retrieval, evidence at once, then prose that holds, or a refusal that says why."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from desktop_rag.answer.audit import RULES_VERSION
from desktop_rag.answer.cache import AnswerCache, Asked
from desktop_rag.answer.citations import QuoteRules, choose
from desktop_rag.answer.compose import bearing, shown_sentences, text_of
from desktop_rag.answer.memory import earlier_turns, explained, notes_for
from desktop_rag.answer.prompt import PROMPT_VERSION
from desktop_rag.answer.refusal import RefusalRules, Signals, judge, load_rules, read_signals, refusal_text
from desktop_rag.answer.searched import as_searched
from desktop_rag.answer.writer import Limits, Writer, Written
from desktop_rag.core.answers import Answer, Evidence, Timings, Turn
from desktop_rag.core.events import AnswerEvent, EvidenceFound
from desktop_rag.core.job import Job
from desktop_rag.core.log import get_logger
from desktop_rag.core.memories import Memory, Statement
from desktop_rag.core.settings import Settings
from desktop_rag.core.trace import AnswerTrace, Step
from desktop_rag.core.types import Hit, Route
from desktop_rag.models.embedder import Embedder
from desktop_rag.models.entailment import EntailmentModel
from desktop_rag.models.llm import LanguageModel
from desktop_rag.retrieve.clock import clocked
from desktop_rag.retrieve.retriever import checked_question

_LOG = get_logger(__name__)
_VERSION = f"{PROMPT_VERSION}, audit {RULES_VERSION}, {QuoteRules()}"
HITS = 20
"""Elements that are searched for; the quotes come out of them."""
_NEAREST = 3
READ_QUOTES = 4
"""Quotes that the model reads: it takes longer over each than over all else, and the answer is in the first ones."""
NOTHING_INDEXED = (
    "Nothing is indexed yet, so there is nothing to answer from. Add a folder with documents, wait until they are "
    "read, and ask again."
)


@dataclass(frozen=True, slots=True)
class Query:
    """A question on its way: as typed, as searched, with its terms
    explained, what goes into the answer unchanged, and what was said before.
    """

    question: str
    searched: str
    thread: str
    route: Route
    query_id: str
    started: float
    explained: str
    notes: tuple[str, ...] = ()
    history: Sequence[Turn] = ()

    def ms(self) -> float:
        """Return the milliseconds since it was asked."""
        return (time.perf_counter() - self.started) * 1000

    def told(self, model: LanguageModel) -> tuple[str, ...]:
        """Return what the model is told besides quotes: earlier turns, and what is kept in mind."""
        earlier = earlier_turns(self.question, self.history, model.count_tokens)
        return (*earlier, *(f"The reader said: {note}" for note in self.notes))


class Answerer:
    """Answers questions from what ``find`` returns.

    ``page_label`` gives the printed label of a document's page, ``model`` loads the language model when it is needed.
    ``indexed`` tells whether there is anything to search; without it, no hits are taken for an empty index.
    ``entailment`` is one more check of what is written.
    """

    def __init__(
        self,
        find: Callable[[str, Route, int], Sequence[Hit]],
        page_label: Callable[[str, int], str],
        embedder: Embedder,
        model: Callable[[], LanguageModel],
        settings: Settings,
        indexed: Callable[[], bool] | None = None,
        cache: AnswerCache | None = None,
        entailment: EntailmentModel | None = None,
    ) -> None:
        self._find = find
        self._page_label = page_label
        self._embedder = embedder
        self._model = model
        self._settings = settings
        self._indexed = indexed
        self._cache = cache
        self._entailment = entailment

    def among(self, find: Callable[[str, Route, int], Sequence[Hit]]) -> Answerer:
        """Return an answerer that answers from what ``find`` returns, a part of the documents, and keeps nothing."""
        given = (self._page_label, self._embedder, self._model, self._settings, self._indexed)
        return Answerer(find, *given, entailment=self._entailment)

    def written_by(self, model: LanguageModel) -> Answerer:
        """Return an answerer whose prose ``model`` writes, and which keeps nothing."""
        return Answerer(self._find, self._page_label, self._embedder, lambda: model, self._settings, self._indexed)

    def signals(self, question: str, hits: Sequence[Hit]) -> Signals | None:
        """Return what would decide whether ``question`` is answered from ``hits``; None where there is no quote."""
        choice = choose(question, hits, self._embedder, self._page_label, self._settings.evidence)
        return read_signals(question, choice) if choice.evidence else None

    def answer(
        self,
        question: str,
        *,
        thread: str,
        history: Sequence[Turn],
        route: Route,
        use_model: bool,
        job: Job,
        emit: Callable[[AnswerEvent], None],
        fresh: bool = False,
        memories: Sequence[Memory] = (),
    ) -> Answer:
        """Answer ``question``; evidence, tokens and verdicts are emitted as they come.

        Without ``use_model`` the quotes are the answer. Unless ``fresh``, an answer that was written before to the same
        question, from the same documents in the same way, is given again and says so. A job that is cancelled while
        the model writes gives an interrupted answer with what had passed the audit; before that, CancelledError is
        raised. Raises UserFacingError for an empty or far too long question.
        """
        started = time.perf_counter()
        question = checked_question(question)
        searched = as_searched(question, history, memories)
        asked = Query(
            question=question,
            searched=searched,
            thread=thread,
            route=route,
            query_id=uuid.uuid4().hex,
            started=started,
            explained=explained(searched, memories),
            notes=notes_for(question, memories),
            history=history,
        )
        job.check()
        key = self._key(asked) if use_model else None
        known = self._known(asked, key, emit) if key is not None and not fresh else None
        if known is not None:
            return known
        answer, whole = self._from_documents(asked, use_model, job, emit)
        if whole and key is not None and self._cache is not None:
            self._cache.keep(key, answer)
        return answer

    def noted(self, question: str, statements: Sequence[Statement], *, thread: str, route: Route) -> Answer:
        """Return the reply to a message that asks nothing: that it is kept in mind. No document says it."""
        kept = " ".join(f"“{statement.text}”" for statement in statements)
        answer = self.remarked(question, f"Kept in mind: {kept}", thread=thread, route=route)
        return replace(answer, noted=tuple(statement.text for statement in statements))

    def remarked(self, question: str, text: str, *, thread: str, route: Route) -> Answer:
        """Return ``text`` as the reply to a message that asks nothing."""
        return Answer(
            question=question,
            text=text,
            refused=False,
            refusal_reason="",
            confidence=1.0,
            sentences=(),
            struck=(),
            evidence=(),
            model="",
            cached=False,
            thread=thread,
            query_id=uuid.uuid4().hex,
            timings=Timings(0.0, None, None, 0.0),
            route=route,
        )

    @cached_property
    def _refusal_rules(self) -> RefusalRules:
        return load_rules(self._settings.refusal_model)

    def _key(self, asked: Query) -> Asked | None:
        if self._cache is None or not self._settings.keep_answers:
            return None
        version = f"{_VERSION}, {self._refusal_rules}"
        return self._cache.asked(asked.searched, asked.route, self._settings, self._model().name, version, asked.notes)

    def _known(self, asked: Query, key: Asked, emit: Callable[[AnswerEvent], None]) -> Answer | None:
        kept = self._cache.find(key) if self._cache is not None else None
        if kept is None:
            return None
        emit(EvidenceFound(kept.evidence))
        _LOG.info("query %s is answered from memory after %.0f ms", asked.query_id, asked.ms())
        return replace(
            kept,
            question=asked.question,
            cached=True,
            thread=asked.thread,
            query_id=asked.query_id,
            timings=Timings(0.0, asked.ms(), None, asked.ms()),
        )

    def _from_documents(
        self, asked: Query, use_model: bool, job: Job, emit: Callable[[AnswerEvent], None]
    ) -> tuple[Answer, bool]:
        """Return the answer, and whether it is one that was searched for and written to the end."""
        with clocked() as clock:
            hits = self._find(asked.searched, asked.route, HITS)
        job.check()
        answer, written = self._from_hits(asked, hits, use_model, job, emit)
        steps = tuple(Step(name, ms) for name, ms in clock.ms.items())
        trace = AnswerTrace(asked.searched, steps, written.prompt, (*clock.notes, *written.notices))
        return replace(answer, trace=trace), written.whole and not clock.notes

    def _from_hits(
        self, asked: Query, hits: Sequence[Hit], use_model: bool, job: Job, emit: Callable[[AnswerEvent], None]
    ) -> tuple[Answer, Written]:
        retrieved = asked.ms()
        choice = choose(asked.searched, hits, self._embedder, self._page_label, self._settings.evidence)
        if not choice.evidence:
            return self._nothing_found(asked, retrieved), Written()
        judgement = judge(asked.explained, choice, self._refusal_rules)
        evidence = choice.evidence[:_NEAREST] if judgement.reason else choice.evidence
        emit(EvidenceFound(evidence))
        shown_at = asked.ms()
        if judgement.reason:
            return _refusal(asked, judgement.reason, judgement.confidence, evidence, retrieved, shown_at), Written()
        limits = Limits(self._settings.llm_max_tokens, self._settings.llm_seconds)
        writer = Writer(asked.ms, job, emit, self._entailment)
        read = bearing(evidence)[:READ_QUOTES]
        written = Written()
        if use_model:
            written = writer.write(asked.searched, read, self._model, limits, asked.told, asked.question)
        return from_written(asked, written, judgement.confidence, evidence, retrieved, shown_at), written

    def _nothing_found(self, asked: Query, retrieved: float) -> Answer:
        if self._indexed is not None and self._indexed():
            return _refusal(asked, "no place was found that speaks of it", 0.0, (), retrieved, None)
        timings = Timings(retrieved, None, None, asked.ms())
        return _refused(asked, NOTHING_INDEXED, "nothing is indexed", 0.0, (), timings)


def _refusal(
    asked: Query,
    reason: str,
    confidence: float,
    evidence: tuple[Evidence, ...],
    retrieved: float,
    shown_at: float | None,
) -> Answer:
    timings = Timings(retrieved, shown_at, None, asked.ms())
    return _refused(asked, refusal_text(reason), reason, confidence, evidence, timings)


def _refused(
    asked: Query, text: str, reason: str, confidence: float, evidence: tuple[Evidence, ...], timings: Timings
) -> Answer:
    _LOG.info("query %s refused after %.0f ms, %d nearest places", asked.query_id, timings.total, len(evidence))
    return Answer(
        question=asked.question,
        text=text,
        refused=True,
        refusal_reason=reason,
        confidence=confidence,
        sentences=(),
        struck=(),
        evidence=evidence,
        model="",
        cached=False,
        thread=asked.thread,
        query_id=asked.query_id,
        timings=timings,
        route=asked.route,
    )


def from_written(
    asked: Query,
    written: Written,
    confidence: float,
    evidence: tuple[Evidence, ...],
    retrieved: float,
    shown_at: float,
) -> Answer:
    """Return the answer that is made of what the model wrote and of the evidence that is shown."""
    sentences = shown_sentences(written.audited, evidence, written.out_of_time)
    struck = written.struck
    _LOG.info("query %s: %d sentences shown, %d struck", asked.query_id, len(sentences), len(struck))
    return Answer(
        question=asked.question,
        text=text_of(sentences),
        refused=False,
        refusal_reason="",
        confidence=confidence,
        sentences=sentences,
        struck=struck,
        evidence=evidence,
        model=written.model,
        cached=False,
        thread=asked.thread,
        query_id=asked.query_id,
        timings=Timings(retrieved, shown_at, written.first_token, asked.ms()),
        route=asked.route,
        interrupted=written.interrupted,
        given=written.given,
    )
