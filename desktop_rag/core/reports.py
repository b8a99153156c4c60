"""What the library reports of its work: summaries of a sync, results side by side, checks of the installation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from desktop_rag.core.types import FileRow, Hit, Route


@dataclass(frozen=True, slots=True)
class SyncSummary:
    """What a sync did, in files; ``failed`` are the files that are not, or only partly, indexed now, with reasons."""

    added: int
    replaced: int
    moved: int
    removed: int
    unchanged: int
    failed: tuple[FileRow, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class RouteResult:
    """What one route found, the milliseconds that it took, and how many of them each of its steps took."""

    route: Route
    hits: tuple[Hit, ...]
    ms: float
    stages: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The models in use: display names, and the size of the chat model's file in bytes (0 when there is none)."""

    llm_name: str
    llm_bytes: int
    embedder_name: str


@dataclass(frozen=True, slots=True)
class Check:
    """One line of ``doctor``: what was looked at, whether it is well, what was found, and the remedy if it is not."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class PageEstimate:
    """What looking at the pages that wait will cost on this machine, with the model of that name."""

    model: str
    pages: int
    seconds: float
    bytes: int

    def sentence(self) -> str:
        """Return it as people read it, e.g. "1,600 pages, about 2 h on this machine, 130 MB"."""
        size = max(1, round(self.bytes / 1_000_000))
        return f"{self.pages:,} pages, {_duration(self.seconds)} on this machine, {size:,} MB"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return "about a minute" if seconds > 20 else "less than a minute"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {round(seconds / 3600)} h"
