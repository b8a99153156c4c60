"""What the library reports of its work: summaries of a sync, results side by side, checks of the installation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from desktop_rag.core.ledger import FileRow
from desktop_rag.core.types import Hit, Route


@dataclass(frozen=True, slots=True)
class SyncSummary:
    """What a sync did, in files; ``failed`` are the files that are not, or only partly, indexed now, with reasons.

    ``unsettled`` files were being written while it looked: another sync must follow soon. ``waiting_for_power`` files
    wait, with some of their stages, until the computer does not run on its battery any more.
    """

    added: int
    replaced: int
    moved: int
    removed: int
    unchanged: int
    failed: tuple[FileRow, ...]
    seconds: float
    unsettled: int = 0
    waiting_for_power: int = 0


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
        return f"{self.pages:,} pages, {spoken_duration(self.seconds)} on this machine, {size:,} MB"


def spoken_duration(seconds: float) -> str:
    """Return a time as people say it, no more exact than anyone can know: "about 2 h"."""
    if seconds < 90:
        return "about a minute" if seconds > 20 else "less than a minute"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {round(seconds / 3600)} h"


@dataclass(frozen=True, slots=True)
class DiskUse:
    """The room that a workspace takes, in bytes: ``index`` is LanceDB's (0 where it lies elsewhere)."""

    catalogue: int
    index: int
    print_views: int
    attachments: int
    logs: int
    other: int
    pictures: int = 0

    @property
    def usual(self) -> dict[str, int]:
        """The bytes of the parts that every workspace has, by the names that people read."""
        return {
            "catalogue": self.catalogue,
            "index": self.index,
            "print views": self.print_views,
            "page pictures": self.pictures,
            "logs": self.logs,
        }

    @property
    def total(self) -> int:
        """The bytes of all parts."""
        made = self.catalogue + self.index + self.print_views + self.pictures
        return made + self.attachments + self.logs + self.other

    def as_json(self) -> dict[str, int]:
        """Return the parts in bytes, by name."""
        return {
            "catalogue": self.catalogue,
            "index": self.index,
            "print_views": self.print_views,
            "pictures": self.pictures,
            "attachments": self.attachments,
            "logs": self.logs,
            "other": self.other,
            "total": self.total,
        }


@dataclass(frozen=True, slots=True)
class WorkspaceRow:
    """A workspace as people see it: its folder, the address of an index elsewhere, its size, whether it is there."""

    name: str
    folder: str
    index: str
    use: DiskUse
    reachable: bool = True

    def as_json(self) -> dict[str, object]:
        """Return the row in the form of the JSON contract."""
        return {
            "name": self.name,
            "folder": self.folder,
            "index": self.index,
            "bytes": self.use.as_json(),
            "reachable": self.reachable,
        }


@dataclass(frozen=True, slots=True)
class Consistency:
    """Where the parts of a workspace disagree, in documents.

    ``orphans`` have elements but no entry in the ledger; of ``lost`` ones elements are missing, ``surplus`` ones have
    more than the ledger says. ``stray_views`` are print views of no document, ``missing_views`` the reverse,
    ``stray_pictures`` page pictures of no document.
    ``stray_pages`` have page vectors but no entry in the ledger, or vectors of pages that they do not have;
    ``missing_pages`` were looked at, says the ledger, and lack vectors of pages. ``stray_vectors`` are cached vectors
    of texts that are not in the index any more.
    """

    orphans: int
    lost: int
    surplus: int
    stray_views: int
    missing_views: int
    stray_pictures: int
    stray_pages: int
    missing_pages: int
    stray_vectors: int

    @property
    def sound(self) -> bool:
        """Whether nothing needs to be mended; cached vectors only wait for the next tidying."""
        wrong = (self.orphans, self.lost, self.surplus, self.stray_views, self.missing_views)
        return not any((*wrong, self.stray_pictures, self.stray_pages, self.missing_pages))


class PlannedAction(StrEnum):
    """What a sync would do with a file."""

    ADD = "add"
    REPLACE = "replace"
    MOVE = "move"
    REMOVE = "remove"
    LEAVE_OUT = "leave_out"
    CANNOT_OPEN = "cannot_open"


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One file and what a sync would do with it; ``detail`` says why, or where a moved file was before."""

    action: PlannedAction
    file: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PlannedSync:
    """What a sync would do now. ``offline`` folders would be left as they are."""

    steps: tuple[PlannedStep, ...]
    unchanged: int
    offline: tuple[str, ...]

    def count(self, action: PlannedAction) -> int:
        """Return how many files one thing would be done with."""
        return sum(step.action is action for step in self.steps)

    def as_json(self) -> dict[str, object]:
        """Return the plan in the form of the JSON contract."""
        return {
            "steps": [{"action": str(step.action), "file": step.file, "detail": step.detail} for step in self.steps],
            "unchanged": self.unchanged,
            "offline": list(self.offline),
        }
