"""The models of this installation as people see them: what each is for, what it needs, and what became of a trial."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from desktop_rag.core.reports import spoken_duration


class ModelKind(StrEnum):
    """What a model is for."""

    CHAT = "chat"
    """Writes answers."""
    VISION = "vision"
    """Describes figures."""
    EMBEDDING = "embedding"
    """Finds passages by their meaning."""
    PAGE = "page"
    """Looks at pages."""
    RERANKING = "reranking"
    """Looks at the first hits once more."""


class ModelState(StrEnum):
    """Where a model is."""

    COMES_ALONG = "comes_along"
    INSTALLED = "installed"
    LOST = "lost"
    """It was taken up, and its files are not where they were."""
    PARTLY = "partly"
    """Its fetching broke off, or was stopped."""
    KNOWN = "known"
    """It can be fetched."""


class Fit(StrEnum):
    """Whether a model fits into the memory of this machine."""

    NOW = "now"
    LATER = "later"
    """Once other programs are closed."""
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast a model was on this machine, e.g. 18 "tokens a second" or 2.5 "seconds a page"."""

    value: float
    unit: str

    def sentence(self) -> str:
        """Return it as people read it."""
        return f"{self.value:,.0f} {self.unit}" if self.value >= 10 else f"{self.value:.1f} {self.unit}"


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model with its sizes in bytes: ``bytes`` on the disk, ``memory`` when loaded, ``fetched`` of a broken-off one.

    Names are unique among the models of a kind. ``used`` says whether it is the one of its kind that is chosen;
    ``pulled`` whether its files are ours to delete; ``source`` is the address from which it can be fetched.
    """

    kind: ModelKind
    name: str
    state: ModelState
    used: bool
    bytes: int = 0
    memory: int = 0
    fit: Fit = Fit.NOW
    licence: str = ""
    languages: str = ""
    about: str = ""
    folder: str = ""
    speed: Speed | None = None
    fetched: int = 0
    source: str = ""
    pulled: bool = False

    @property
    def usable(self) -> bool:
        """Whether it is there to be chosen."""
        return self.state in (ModelState.COMES_ALONG, ModelState.INSTALLED)

    def as_json(self) -> dict[str, object]:
        """Return the row for other programs."""
        return {
            "kind": str(self.kind),
            "name": self.name,
            "state": str(self.state),
            "used": self.used,
            "bytes": self.bytes,
            "memory": self.memory,
            "fits": str(self.fit),
            "licence": self.licence,
            "languages": self.languages,
            "folder": self.folder,
            "speed": None if self.speed is None else {"value": round(self.speed.value, 2), "unit": self.speed.unit},
            "fetched": self.fetched,
        }


@dataclass(frozen=True, slots=True)
class Redoing:
    """What choosing a model makes the program do anew: so many units (in the plural), in seconds if that is known."""

    count: int
    unit: str
    seconds: float | None = None
    bytes: int = 0

    def sentence(self) -> str:
        """Return it as people read it, e.g. "1,600 pages, about 2 h on this machine, 130 MB"."""
        unit = self.unit.removesuffix("s") if self.count == 1 else self.unit
        parts = [f"{self.count:,} {unit}"]
        if self.seconds is not None:
            parts.append(f"{spoken_duration(self.seconds)} on this machine")
        if self.bytes:
            parts.append(f"{max(1, round(self.bytes / 1_000_000)):,} MB")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """What a model made of a question, before it is chosen.

    ``text`` is what it wrote, ``places`` what it found, the best first; ``seconds`` it took without the loading.
    """

    kind: ModelKind
    name: str
    question: str
    text: str
    places: tuple[str, ...]
    load_seconds: float
    seconds: float
    speed: Speed | None
