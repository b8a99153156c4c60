"""An answer and what it rests on: quotes with their places, audited sentences, conversations."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from desktop_rag.core.trace import AnswerTrace
from desktop_rag.core.types import BBox, ElementKind, Route


class Verdict(StrEnum):
    """What the audit says of a sentence: its evidence carries it, does not, or it *is* the evidence."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Evidence:
    """An exact quote from a document with its place; ``n`` is the number by which an answer cites it, from 1.

    ``boxes`` are the lines of the quote and ``bbox`` is the rectangle around them. ``context`` is the whole element,
    and ``figure`` the box of the whole figure with its caption where the quote is of one.
    ``confidence`` is how sure text recognition is of the least certain line of the quote, from 0 to 1.
    """

    n: int
    quote: str
    file: str
    document: str
    element: str
    title: str
    page: int
    page_label: str
    bbox: BBox
    boxes: tuple[BBox, ...]
    kind: ElementKind
    score: float
    heading: tuple[str, ...] = ()
    context: str = ""
    confidence: float = 1.0
    figure: BBox | None = None

    def as_json(self) -> dict[str, object]:
        """Return the evidence in the form of the JSON contract."""
        return {
            "n": self.n,
            "quote": self.quote,
            "file": self.file,
            "page": self.page,
            "bbox": self.bbox.as_list(),
            "kind": str(self.kind),
            "score": round(self.score, 6),
        }


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, the evidence numbers that it cites, the audit's verdict, and why it was struck."""

    text: str
    citations: tuple[int, ...]
    verdict: Verdict
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the sentence in the form of the JSON contract."""
        return {"text": self.text, "citations": list(self.citations), "verdict": str(self.verdict)}


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds since the question was asked; None where the step did not happen."""

    retrieve: float
    first_evidence: float | None
    first_token: float | None
    total: float

    def as_json(self) -> dict[str, float | None]:
        """Return the times in the form of the JSON contract."""
        pairs = {
            "retrieve": self.retrieve,
            "first_evidence": self.first_evidence,
            "first_token": self.first_token,
            "total": self.total,
        }
        return {name: None if value is None else round(value, 1) for name, value in pairs.items()}


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. ``sentences`` are shown; ``struck`` are the ones that the audit refused, kept for the trace.

    When ``refused``, ``text`` is the refusal itself and ``evidence`` holds the nearest places, which do not answer.
    ``given`` is what the model was told besides quotes and question; ``noted`` is what the person said to keep in mind.
    """

    question: str
    text: str
    refused: bool
    refusal_reason: str
    confidence: float
    sentences: tuple[Sentence, ...]
    struck: tuple[Sentence, ...]
    evidence: tuple[Evidence, ...]
    model: str
    cached: bool
    thread: str
    query_id: str
    timings: Timings
    route: Route
    interrupted: bool = False
    given: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    trace: AnswerTrace = field(default_factory=AnswerTrace)

    @property
    def remark(self) -> str:
        """The whole reply to a message that asks nothing; of an answer, and of a refusal, empty."""
        return "" if self.refused or self.interrupted or self.sentences or self.evidence else self.text

    @property
    def refusal(self) -> str:
        """The sentence in the place of an answer, with the reason where it does not say that itself."""
        reason = "" if self.refusal_reason in self.text else self.refusal_reason
        return " ".join(part for part in (self.text, reason) if part)

    def trace_json(self) -> dict[str, object]:
        """Return how the answer came about, in the form of the JSON contract."""
        struck = [{**sentence.as_json(), "reason": sentence.reason} for sentence in self.struck]
        return {**self.trace.as_json(), "given": list(self.given), "struck": struck}

    def as_json(self) -> dict[str, object]:
        """Return the answer in the form of the JSON contract."""
        return {
            "question": self.question,
            "answer": self.text,
            "refused": self.refused,
            "refusal_reason": self.refusal_reason,
            "confidence": round(self.confidence, 4),
            "sentences": [sentence.as_json() for sentence in self.sentences],
            "evidence": [item.as_json() for item in self.evidence],
            "model": self.model,
            "cached": self.cached,
            "thread": self.thread,
            "query_id": self.query_id,
            "timings_ms": self.timings.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a conversation and its answer; ``answer`` is None while it is being written or after a crash."""

    id: int
    thread: str
    asked_at: float
    question: str
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation, named by its first question; times are seconds since the epoch."""

    id: str
    title: str
    created_at: float
    changed_at: float
    turns: int
