"""The window's side of the engine: calls by name, events, cancel, and a new engine when one dies. No Qt in here."""

from __future__ import annotations

import atexit
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desktop_rag.core.events import AnswerEvent, SyncProgress
from desktop_rag.core.log import get_logger
from desktop_rag.engine.process import EngineArguments, EngineProcess
from desktop_rag.engine.protocol import (
    Broadcast,
    Cancel,
    EngineEvent,
    EngineLost,
    EngineLostError,
    EngineReady,
    EngineRefused,
    Item,
    Relocation,
    Request,
    Response,
    Shutdown,
)
from desktop_rag.engine.restarts import RestartPolicy

_log = get_logger(__name__)

OnItem = Callable[[AnswerEvent | SyncProgress], None]

_CLOSED = "The engine has been closed."
_RESTARTING = (
    "The engine stopped unexpectedly ({cause}) and is being started again. Everything indexed so far and every chat is "
    "kept; a question that was being answered has to be asked again."
)
_GIVEN_UP = (
    "The engine stopped several times within a minute (the last time: {cause}), so it is not started again by itself. "
    "Nothing that was indexed is lost. Start it again; if it keeps stopping, look into the log or run 'desktop-rag "
    "doctor'."
)


@dataclass(frozen=True, slots=True)
class Call:
    """A call on its way. ``future`` ends with its value or its error; its callbacks run in the reader thread."""

    id: int
    future: Future[Any]
    cancel: Callable[[], None]
    """Ask for the end of the call, which then usually fails with CancelledError."""


@dataclass(frozen=True, slots=True)
class _Pending:
    future: Future[Any]
    on_item: OnItem | None


class EngineClient:
    """Starts an engine for ``workspace`` and keeps one running. ``on_event`` is called from the reader thread.

    ``opener`` (for tests) opens the library in the engine's process; it must be a function of an importable module.
    ``relocation`` is done before the workspace is opened for the first time.
    """

    def __init__(
        self,
        workspace: str,
        base: Path | None,
        on_event: Callable[[EngineEvent], None],
        *,
        opener: Callable[[str, Path | None], object] | None = None,
        relocation: Relocation | None = None,
    ) -> None:
        self._arguments = EngineArguments(workspace, base, opener, relocation)
        self._on_event = on_event
        self._policy = RestartPolicy()
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        self._engine: EngineProcess | None = None
        self._unusable = "The engine has not been started."
        self._closing = threading.Event()
        self._wanted = threading.Event()
        self._reader = threading.Thread(target=self._run, name="engine-reader", daemon=True)

    @property
    def engine_pid(self) -> int | None:
        """The process id of the engine, if there is one."""
        with self._lock:
            return self._engine.pid if self._engine else None

    def start(self) -> None:
        """Start the engine; returns at once. Calls may follow immediately."""
        atexit.register(self.close)  # before multiprocessing's own exit, which would wait for the engine for ever
        self._replace(EngineProcess(self._arguments), "")
        self._reader.start()

    def restart(self) -> None:
        """Try again after an :class:`EngineRefused` or an :class:`EngineLost` that was not restarted."""
        self._wanted.set()

    def call(self, method: str, *args: object, on_item: OnItem | None = None, **kwargs: object) -> Call:
        """Call ``method`` of the library in the engine; never blocks.

        The future fails with what the library raised, with EngineError for a bug in it, and with EngineLostError when
        the engine is gone or dies. ``on_item`` gets what the call streams, in the reader thread, before its end.
        """
        number = next(self._ids)
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # only the engine ends a call
        with self._lock:
            engine, unusable = self._engine, self._unusable
            if engine is not None:
                self._pending[number] = _Pending(future, on_item)
                engine.send(Request(number, method, args, kwargs, streams=on_item is not None))
        if engine is None:
            future.set_exception(EngineLostError(unusable))
        return Call(number, future, lambda: self._cancel(number))

    def close(self, seconds: float = 5.0) -> None:
        """End the engine: ask it, then terminate it, then kill it, so that it is gone after about ``seconds``."""
        self._closing.set()
        self._wanted.set()
        atexit.unregister(self.close)
        with self._lock:
            engine = self._engine
        if engine is not None:
            engine.send(Shutdown())
            engine.end(seconds)
        if self._reader.is_alive() and threading.current_thread() is not self._reader:
            self._reader.join(2.0)

    def _cancel(self, number: int) -> None:
        with self._lock:
            if self._engine is not None and number in self._pending:
                self._engine.send(Cancel(number))

    def _run(self) -> None:
        """Run one engine after the other; the reader thread."""
        while (engine := self._engine) is not None:
            refusal = self._serve(engine)
            cause = engine.reap()
            if self._closing.is_set():
                self._replace(None, _CLOSED)
            elif refusal is not None:
                self._wait_for_person(refusal)
            else:
                self._recover(cause)

    def _serve(self, engine: EngineProcess) -> EngineRefused | None:
        """Read from ``engine`` until it is gone; return its refusal if it refused to open the workspace."""
        refusal = None
        try:
            if not self._closing.is_set():
                engine.start()
                for message in engine.messages():
                    if isinstance(message, Broadcast) and isinstance(message.event, EngineRefused):
                        refusal = message.event
                    else:
                        self._deliver(message)
        except Exception:  # not started, or a message that cannot be read: either way this engine is of no use
            _log.exception("the connection to the engine broke")
        return refusal

    def _recover(self, cause: str) -> None:
        delay = self._policy.delay_after_death(time.monotonic())
        if delay is None:
            self._wait_for_person(EngineLost(_GIVEN_UP.format(cause=cause), restarting=False))
            return
        message = _RESTARTING.format(cause=cause)
        self._replace(EngineProcess(self._arguments), message)
        self._tell(EngineLost(message, restarting=True))
        self._closing.wait(delay)

    def _wait_for_person(self, event: EngineLost | EngineRefused) -> None:
        self._wanted.clear()
        self._replace(None, event.message)
        self._tell(event)
        if not self._closing.is_set():
            self._wanted.wait()
        if not self._closing.is_set():
            self._policy.forget()
            self._replace(EngineProcess(self._arguments), event.message)

    def _replace(self, successor: EngineProcess | None, message: str) -> None:
        """Send calls to ``successor`` from now on; those that went to its predecessor fail with ``message``."""
        with self._lock:
            self._engine, self._unusable = successor, message
            lost, self._pending = self._pending, {}
        for pending in lost.values():
            pending.future.set_exception(EngineLostError(message))

    def _deliver(self, message: object) -> None:
        if isinstance(message, Broadcast):
            if isinstance(message.event, EngineReady):
                self._arguments = replace(self._arguments, relocation=None)
            self._tell(message.event)
        elif isinstance(message, Item):
            with self._lock:
                waiting = self._pending.get(message.id)
            if waiting is not None and waiting.on_item is not None:
                _guarded(waiting.on_item, message.event)
        elif isinstance(message, Response):
            with self._lock:
                waiting = self._pending.pop(message.id, None)
            if waiting is not None and message.fault is not None:
                waiting.future.set_exception(message.fault.as_error())
            elif waiting is not None:
                waiting.future.set_result(message.value)

    def _tell(self, event: EngineEvent) -> None:
        _guarded(self._on_event, event)


def _guarded(callback: Callable[[Any], None], event: object) -> None:
    """Call a listener; its faults must not end the reader thread."""
    try:
        callback(event)
    except Exception:
        _log.exception("a listener failed on %s", type(event).__name__)
