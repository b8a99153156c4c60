"""The model writes, and every sentence is audited as soon as it is whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace

from desktop_rag.answer.asked_form import left_out
from desktop_rag.answer.audit import Audited, audit
from desktop_rag.answer.entailment import contradicted
from desktop_rag.answer.phrases import plain_sentence
from desktop_rag.answer.prompt import Prompt, build_prompt
from desktop_rag.answer.prose import ProseReader
from desktop_rag.answer.relevance import beside_the_latest, beside_the_question
from desktop_rag.core.answers import Evidence, Sentence, Verdict
from desktop_rag.core.errors import CancelledError, ModelError
from desktop_rag.core.events import AnswerEvent, Notice, ProseStarted, SentenceAudited, Token
from desktop_rag.core.job import Job, TimedJob
from desktop_rag.core.trace import PromptPart
from desktop_rag.models.entailment import EntailmentModel
from desktop_rag.models.llm import LanguageModel

_MOST_SENTENCES = 6
"""More than that is rambling: the prompt asks for one or two."""
_ENDED = re.compile(r"[.!?…。！？:][\s\"'”’»)\]】]*(?:[\[【][\d,;\s]*[\]】][\s.]*)*\Z")
_FULL = 0.95
"""Of the tokens that it may write: a text may be counted with a few less than it was written with."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a model may write: tokens, and seconds from the moment when it begins to read."""

    tokens: int
    seconds: float


@dataclass(slots=True)
class Written:
    """What came of the writing. ``first_token`` is the clock's value in milliseconds, ``notices`` what went wrong."""

    model: str = ""
    audited: list[Audited] = field(default_factory=list)
    first_token: float | None = None
    given: tuple[str, ...] = ()
    interrupted: bool = False
    failed: bool = False
    out_of_time: bool = False
    prompt: tuple[PromptPart, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether the model wrote to the end of what it had to say."""
        return bool(self.model) and not (self.interrupted or self.failed or self.out_of_time)

    @property
    def struck(self) -> tuple[Sentence, ...]:
        """The sentences that the audit refused."""
        return tuple(one.sentence for one in self.audited if one.sentence.verdict is Verdict.UNSUPPORTED)


class Writer:
    """Writes one answer. ``clock`` gives the milliseconds since the question was asked.

    ``entailment`` looks once more at what passed the audit.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        job: Job,
        emit: Callable[[AnswerEvent], None],
        entailment: EntailmentModel | None = None,
    ) -> None:
        self._entailment = entailment
        self._clock = clock
        self._job = job
        self._emit = emit
        self._written = Written()
        self._said: set[str] = set()
        self._latest, self._whole = "", False
        self._answered = False
        """Whether a sentence has said what was asked for, in the form that was asked for."""

    def write(
        self,
        question: str,
        evidence: Sequence[Evidence],
        load: Callable[[], LanguageModel],
        limits: Limits,
        told: Callable[[LanguageModel], Sequence[str]] = lambda _: (),
        latest: str = "",
        whole: bool = False,
    ) -> Written:
        """Let the model that ``load`` returns answer from ``evidence``, and ``told`` what was said before.

        ``latest`` is what was typed, where ``question`` begins with the questions that it leans on. With ``whole`` the
        evidence is a text that is read as a whole, and whatever it says may be what is asked for.
        A model that fails or takes too long is a Notice, and a stopped job an interruption: what passed the audit until
        then stays.
        """
        self._latest, self._whole = latest, whole
        try:
            self._job.check()
            model = load()
            prompt = build_prompt(question, evidence, model, limits.tokens, told(model))
            self._stream(question, prompt, model, limits)
        except ModelError as error:
            self._say(f"{error} The quotes from the documents stand without prose.")
            self._written.failed = True
        except CancelledError:
            self._written.interrupted = True
        return self._written

    def _stream(self, question: str, prompt: Prompt, model: LanguageModel, limits: Limits) -> None:
        self._written.model, self._written.given = model.name, prompt.given
        self._written.prompt = tuple(PromptPart(message.role, message.content) for message in prompt.messages)
        if prompt.left_out:
            self._written.notices += (prompt.left_out,)
        self._emit(ProseStarted(model.name))
        within = TimedJob(self._job, limits.seconds)
        try:
            reader = ProseReader()
            pieces = model.stream(prompt.messages, max_tokens=limits.tokens, job=within)
            self._read(pieces, reader, question, prompt, within)
            self._finish(reader, question, prompt, model, limits.tokens)
        except CancelledError:
            if self._job.cancelled or not within.over:
                raise
            self._written.out_of_time = True
            self._say(
                f"{model.name} was given {limits.seconds:g} seconds and had not finished. What it had written to the "
                "end of a sentence was checked; the quotes follow. 'llm_seconds' in the settings gives it more time."
            )

    def _read(self, pieces: Iterator[str], reader: ProseReader, question: str, prompt: Prompt, job: Job) -> None:
        try:
            for piece in pieces:
                job.check()
                if self._written.first_token is None:
                    self._written.first_token = self._clock()
                sentences = reader.feed(piece)
                if not reader.thinking:
                    self._emit(Token(piece))
                self._audit(sentences, question, prompt.evidence)
                if len(self._written.audited) >= _MOST_SENTENCES:
                    return
        finally:
            if isinstance(pieces, Generator):
                pieces.close()

    def _finish(self, reader: ProseReader, question: str, prompt: Prompt, model: LanguageModel, tokens: int) -> None:
        """Audit what is left, but for a sentence that was cut off in its middle: its rest might say the opposite."""
        if len(self._written.audited) >= _MOST_SENTENCES:
            return
        rest = reader.finish()
        if rest and not _ENDED.search(rest[-1]) and model.count_tokens(reader.text) >= _FULL * tokens:
            rest.pop()
            self._written.notices += (
                f"{model.name} came to the {tokens:,} tokens that an answer may have (setting 'llm_max_tokens'). "
                "The sentence that was cut off there is left out.",
            )
        self._audit(rest, question, prompt.evidence)

    def _say(self, notice: str) -> None:
        self._written.notices += (notice,)
        self._emit(Notice(notice))

    def _audit(self, sentences: Sequence[str], question: str, evidence: Sequence[Evidence]) -> None:
        for draft in sentences:
            if draft in self._said:
                continue  # small models repeat themselves
            self._said.add(draft)
            judged = audit(draft, evidence, question)
            if not self._whole:
                judged = to_the_point(judged, evidence, question, self._latest)
                judged = self._to_the_form(judged, evidence, self._latest or question)
            judged = self._checked(judged, evidence)
            self._written.audited.append(judged)
            self._emit(SentenceAudited(judged.sentence))

    def _to_the_form(self, judged: Audited, evidence: Sequence[Evidence], question: str) -> Audited:
        """Let its quote stand for a sentence that leaves out just what is asked for, until another one has said it."""
        sentence = judged.sentence
        if self._answered or sentence.verdict is not Verdict.SUPPORTED:
            return judged
        missing = [left_out(question, plain_sentence(sentence.text), item) for item in _carriers(sentence, evidence)]
        if not missing or not all(missing):
            self._answered = True
            return judged
        reason = f"it leaves out what was asked for, {missing[0]}, which its quote has"
        return Audited(replace(sentence, verdict=Verdict.UNSUPPORTED, reason=reason), sentence.citations[0])

    def _checked(self, judged: Audited, evidence: Sequence[Evidence]) -> Audited:
        if self._entailment is None:
            return judged
        try:
            return contradicted(judged, evidence, self._entailment)
        except ModelError as error:
            self._entailment = None
            self._say(f"{error} The sentences of this answer were checked without it.")
            return judged


def to_the_point(judged: Audited, evidence: Sequence[Evidence], question: str, latest: str = "") -> Audited:
    """Return ``judged`` struck, with no quote in its place, where it is true but answers another question."""
    sentence = judged.sentence
    carriers = _carriers(sentence, evidence)
    if sentence.verdict is not Verdict.SUPPORTED or not carriers:
        return judged
    text = plain_sentence(sentence.text)
    reasons = [
        beside_the_question(text, item, evidence, question)
        or (beside_the_latest(text, item, evidence, latest) if latest and latest != question else "")
        for item in carriers
    ]
    if not all(reasons):
        return judged
    return Audited(replace(sentence, verdict=Verdict.UNSUPPORTED, reason=reasons[0]), None)


def _carriers(sentence: Sentence, evidence: Sequence[Evidence]) -> list[Evidence]:
    return [item for item in evidence if item.n in sentence.citations]
