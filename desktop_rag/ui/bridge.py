"""Between the engine's client and the widgets: whatever the client says arrives in the window's thread, in order."""

from __future__ import annotations

import concurrent.futures
import threading
from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt, Signal

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


class Bridge(QObject):
    """Calls the engine without ever waiting for it; answers and events come back through one queued signal."""

    told = Signal(object)
    """An EngineEvent."""
    _posted = Signal(object)

    def __init__(self, factory: ClientFactory, workspace: str) -> None:
        super().__init__()
        self._factory = factory
        self._generation = 0
        self._closing: list[threading.Thread] = []
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)
        self.workspace = workspace
        self._client: Client | None = None

    def open(self, workspace: str, relocation: Relocation | None = None) -> None:
        """Leave the present workspace, if any, and start the engine of another one, which does ``relocation`` first."""
        self._leave()
        self.workspace = workspace
        generation = self._generation
        self._client = self._factory(workspace, lambda event: self._post(generation, self.told.emit, event), relocation)
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
        else before, in the client's thread, so that decoding a picture does not hold up the window.
        """
        if self._client is None:
            return None
        generation = self._generation

        def on_item(value: Any) -> None:
            if item is not None:
                self._post(generation, item, value)

        def on_end(future: concurrent.futures.Future[Any]) -> None:
            self._end(future, generation, done, failed, convert)

        try:
            call = self._client.call(method, *args, on_item=on_item if item is not None else None, **kwargs)
        except UserFacingError as error:
            self._post(generation, failed or self._log_failure, Failure(error))
            return None
        call.future.add_done_callback(on_end)
        return call

    def _end(
        self,
        future: concurrent.futures.Future[Any],
        generation: int,
        done: Callable[[Any], None] | None,
        failed: Failed | None,
        convert: Callable[[Any], Any] | None,
    ) -> None:
        try:
            result = future.result()
            result = convert(result) if convert is not None else result
        except (Exception, concurrent.futures.CancelledError) as error:
            self._post(generation, failed or self._log_failure, Failure(error))
            return
        if done is not None:
            self._post(generation, done, result)

    def _post(self, generation: int, function: Callable[[Any], object], value: Any) -> None:
        try:
            self._posted.emit((generation, function, value))
        except RuntimeError:
            _LOG.info("an engine message came after the window had gone")

    def _run(self, posted: tuple[int, Callable[[Any], object], Any]) -> None:
        generation, function, value = posted
        if generation == self._generation:
            function(value)

    def _log_failure(self, failure: Failure) -> None:
        if not failure.stopped:
            _LOG.warning("a call to the engine failed: %s", type(failure.error).__name__)

    def _leave(self) -> None:
        self._generation += 1
        client, self._client = self._client, None
        if client is not None:
            thread = threading.Thread(target=client.close, name="engine-close", daemon=True)
            thread.start()
            self._closing.append(thread)
