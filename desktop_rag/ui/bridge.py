"""Between the engine's client and the widgets: whatever the client says arrives in the window's thread, in order.

What is to be done with an answer waits here, in the window's thread, under a number; the client's threads get only the
number. If they had the functions, and with them the widgets, the last one to let go of a widget could be one of them,
and a widget that ends anywhere but in the window's thread stops or crashes the program.
"""

from __future__ import annotations

import concurrent.futures
import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal

from desktop_rag.core.errors import CancelledError, UserFacingError
from desktop_rag.core.log import get_logger
from desktop_rag.engine.protocol import Relocation

_LOG = get_logger(__name__)

Failed = Callable[["Failure"], None]


class Call(Protocol):
    """A call on its way, as the engine's client gives it."""

    @property
    def future(self) -> concurrent.futures.Future[Any]:
        """Where the answer will be."""

    def cancel(self) -> None:
        """Ask for the end of the work."""


class Client(Protocol):
    """What the window needs of the engine's client; its callbacks come from the client's own thread."""

    def start(self) -> None:
        """Start the engine."""

    def close(self) -> None:
        """End the engine."""

    def restart(self) -> None:
        """Start it again after it gave up."""

    def call(self, method: str, *args: Any, on_item: Callable[[Any], None] | None = None, **kwargs: Any) -> Call:
        """Ask the engine for something."""


ClientFactory = Callable[[str, Callable[[Any], None], Relocation | None], Client]
"""Makes the client of a workspace, given its name, what takes its events, and what is to be done before it opens."""


class Failure:
    """Why a call gave no answer: ``stopped`` when somebody asked for its end, else ``message`` is for the person."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.stopped = isinstance(error, CancelledError | concurrent.futures.CancelledError)
        self.message = str(error) if isinstance(error, UserFacingError) else ""


class _Part(Enum):
    """What a letter brings."""

    ITEM = auto()
    RESULT = auto()
    FAILURE = auto()


@dataclass(frozen=True, slots=True)
class _Letter:
    to: int
    part: _Part
    value: Any


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Who waits for letters; all three run in the window's thread."""

    item: Callable[[Any], object] | None = None
    done: Callable[[Any], object] | None = None
    failed: Failed | None = None


class _Mailbox(QObject):
    """Takes letters from any thread. It knows nobody, and lives as long as the application."""

    posted = Signal(object)

    def post(self, letter: _Letter) -> None:
        """Put a letter in."""
        try:
            self.posted.emit(letter)
        except RuntimeError:
            _LOG.info("an engine message came after the window had gone")


class Bridge(QObject):
    """Calls the engine without ever waiting for it; answers and events come back through one queued signal."""

    told = Signal(object)
    """An EngineEvent."""

    def __init__(self, factory: ClientFactory, workspace: str) -> None:
        super().__init__()
        self._factory = factory
        self._closing: list[threading.Thread] = []
        self._numbers = itertools.count(1)
        self._waiting: dict[int, _Waiting] = {}
        self._mailbox = _Mailbox(QCoreApplication.instance())
        self._mailbox.posted.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self.workspace = workspace
        self._client: Client | None = None

    def open(self, workspace: str, relocation: Relocation | None = None) -> None:
        """Leave the present workspace, if any, and start the engine of another one, which does ``relocation`` first."""
        self._leave()
        self.workspace = workspace
        number = self._await(_Waiting(item=self.told.emit))
        self._client = self._factory(workspace, _sender(self._mailbox, number), relocation)
        self._client.start()

    def restart(self) -> None:
        """Start the engine again after it gave up."""
        if self._client is not None:
            self._client.restart()

    def close(self) -> None:
        """End the engine; whatever it still says goes nowhere."""
        self._leave()
        for thread in self._closing:
            thread.join(timeout=10)

    def call(
        self,
        method: str,
        *args: Any,
        done: Callable[[Any], None] | None = None,
        failed: Failed | None = None,
        item: Callable[[Any], None] | None = None,
        convert: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> Call | None:
        """Call ``method`` of the library in the engine; None when there is no engine to call.

        ``done`` and ``failed`` and ``item`` run in the window's thread; ``convert`` turns the answer into something
        else before, in the client's thread, so that decoding a picture does not hold up the window. It must be a plain
        function that knows no widget and calls nothing of Qt.
        """
        if self._client is None:
            return None
        number = self._await(_Waiting(item, done, failed))
        on_item = _sender(self._mailbox, number) if item is not None else None
        try:
            call = self._client.call(method, *args, on_item=on_item, **kwargs)
        except UserFacingError as error:
            self._mailbox.post(_Letter(number, _Part.FAILURE, Failure(error)))
            return None
        call.future.add_done_callback(_finisher(self._mailbox, number, convert))
        return call

    def _await(self, waiting: _Waiting) -> int:
        number = next(self._numbers)
        self._waiting[number] = waiting
        return number

    def _take(self, letter: _Letter) -> None:
        """Hand a letter to whom it is for; one to a call of an engine that was left is for nobody."""
        if letter.part is _Part.ITEM:
            waiting = self._waiting.get(letter.to)
            if waiting is not None and waiting.item is not None:
                waiting.item(letter.value)
            return
        waiting = self._waiting.pop(letter.to, None)
        if waiting is None:
            return
        if letter.part is _Part.FAILURE:
            (waiting.failed or _log_failure)(letter.value)
        elif waiting.done is not None:
            waiting.done(letter.value)

    def _leave(self) -> None:
        self._waiting.clear()
        client, self._client = self._client, None
        if client is not None:
            thread = threading.Thread(target=client.close, name="engine-close", daemon=True)
            thread.start()
            self._closing.append(thread)


def _sender(mailbox: _Mailbox, number: int) -> Callable[[Any], None]:
    """Return what posts a part of an answer, or an event; for the client's threads."""
    return lambda value: mailbox.post(_Letter(number, _Part.ITEM, value))


def _finisher(
    mailbox: _Mailbox, number: int, convert: Callable[[Any], Any] | None
) -> Callable[[concurrent.futures.Future[Any]], None]:
    """Return what posts the end of a call; for the client's threads."""

    def finish(future: concurrent.futures.Future[Any]) -> None:
        try:
            result = future.result()
            result = convert(result) if convert is not None else result
        except (Exception, concurrent.futures.CancelledError) as error:
            mailbox.post(_Letter(number, _Part.FAILURE, Failure(error)))
            return
        mailbox.post(_Letter(number, _Part.RESULT, result))

    return finish


def _log_failure(failure: Failure) -> None:
    if not failure.stopped:
        _LOG.warning("a call to the engine failed: %s", type(failure.error).__name__)
