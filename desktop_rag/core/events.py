"""What an answer in the making and an open library tell their listeners, in the order in which it happens."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_rag.core.answers import Answer, Evidence, Sentence
from desktop_rag.core.job import Progress


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """The quotes that bear on the question, before any prose is written."""

    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class ProseStarted:
    """The language model begins to write. ``model`` is its display name."""

    model: str


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of prose as the model writes it; not audited yet, so it is shown as a draft."""

    text: str


@dataclass(frozen=True, slots=True)
class SentenceAudited:
    """A whole sentence has its verdict; a struck one (``unsupported``) leaves the draft."""

    sentence: Sentence


@dataclass(frozen=True, slots=True)
class AnswerDone:
    """The answer as it was stored. The last event of a question."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the person asking that is no failure, e.g. why no model writes: the quotes still stand."""

    text: str


AnswerEvent = EvidenceFound | ProseStarted | Token | SentenceAudited | AnswerDone | Notice


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """How far the indexing is, with the rate so far and the time left (None while nobody can know)."""

    progress: Progress
    units_per_minute: float | None
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class LedgerChanged:
    """Files changed their state: whoever shows the ledger asks for it again."""


@dataclass(frozen=True, slots=True)
class SyncDone:
    """A sync came to its end; ``failed`` counts the files that could not be read.

    ``waiting_for_power`` files wait with some of their stages while the computer runs on its battery.
    """

    indexed: int
    failed: int
    waiting_for_power: int = 0


LibraryEvent = SyncProgress | LedgerChanged | SyncDone
