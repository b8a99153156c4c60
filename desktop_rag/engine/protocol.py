"""What travels between the window and the engine: frozen messages over a local pipe, and faults by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from desktop_rag.core import errors
from desktop_rag.core.errors import DesktopRagError, UserFacingError
from desktop_rag.core.events import AnswerEvent, LibraryEvent, SyncProgress
from desktop_rag.core.job import Progress


class EngineError(UserFacingError):
    """The engine met a bug while it served a call; the log file that the message names has the details."""


class EngineLostError(UserFacingError):
    """The engine ended before it answered a call, or there is none to take it."""


class SyncState(StrEnum):
    """What the indexing in the engine's background does."""

    IDLE = "idle"
    RUNNING = "running"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception on its way: the name of its class and its message, so that nothing unknown is unpickled."""

    name: str
    message: str

    @staticmethod
    def of(error: DesktopRagError) -> Fault:
        """Return ``error`` as a fault, named by the nearest class that the other side knows."""
        known = next(kind for kind in type(error).__mro__ if kind.__name__ in _RAISABLE)
        return Fault(known.__name__, str(error))

    def as_error(self) -> DesktopRagError:
        """Return the exception that this fault stands for."""
        return _RAISABLE.get(self.name, UserFacingError)(self.message)


_RAISABLE: Mapping[str, type[DesktopRagError]] = {
    kind.__name__: kind
    for kind in (*vars(errors).values(), EngineError, EngineLostError)
    if isinstance(kind, type) and issubclass(kind, DesktopRagError)
}


@dataclass(frozen=True, slots=True)
class Request:
    """Window to engine: call ``method``. ``streams`` asks for the :class:`Item` messages of the call.

    The arguments can be questions and passwords: they are left out of its text form, so that no log can have them.
    """

    id: int
    method: str
    args: tuple[object, ...] = field(default=(), repr=False)
    kwargs: Mapping[str, object] = field(default_factory=dict, repr=False)
    streams: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """Window to engine: end the call ``id``; it is answered all the same."""

    id: int


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Window to engine: end everything and exit."""


@dataclass(frozen=True, slots=True)
class Response:
    """Engine to window: the end of call ``id``, with its value or, if it failed, its fault."""

    id: int
    value: object = None
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """Engine to window: something that call ``id`` tells while it runs."""

    id: int
    event: AnswerEvent | SyncProgress | Progress


@dataclass(frozen=True, slots=True)
class Relocation:
    """What an engine does with a workspace before it opens it: give it ``new_name``, or move it into ``folder``."""

    name: str
    new_name: str = ""
    folder: str = ""

    @property
    def then(self) -> str:
        """The name that the workspace has afterwards."""
        return self.new_name or self.name


NOT_RELOCATED = "NotRelocated"
"""The :attr:`EngineRefused.error` of an engine that could not do its relocation; all is as it was."""


@dataclass(frozen=True, slots=True)
class EngineReady:
    """The workspace is open; told again after each restart."""

    workspace: str


@dataclass(frozen=True, slots=True)
class EngineLost:
    """The engine ended by itself. Unless ``restarting``, it stays so until :meth:`EngineClient.restart`."""

    message: str
    restarting: bool


@dataclass(frozen=True, slots=True)
class EngineRefused:
    """The workspace could not be opened, and trying again by itself would not help.

    ``error`` is the name of the class, e.g. ``WorkspaceBusyError``; :meth:`EngineClient.restart` tries again.
    """

    message: str
    error: str


@dataclass(frozen=True, slots=True)
class SyncFailed:
    """The indexing in the background came to a halt, for a reason that the message gives."""

    message: str


@dataclass(frozen=True, slots=True)
class SyncStateChanged:
    """The indexing in the background started, ended, was paused or goes on."""

    state: SyncState


EngineEvent = EngineReady | EngineLost | EngineRefused | SyncFailed | SyncStateChanged | LibraryEvent


@dataclass(frozen=True, slots=True)
class Broadcast:
    """Engine to window: something happened that no call asked for."""

    event: EngineEvent


ToEngine = Request | Cancel | Shutdown
FromEngine = Response | Item | Broadcast
