"""One run of the engine as the window sees it: the process, this side of the pipe, and a thread that writes to it."""

from __future__ import annotations

import importlib
import multiprocessing
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

from desktop_rag.engine.pipe import Outbox, incoming
from desktop_rag.engine.protocol import Relocation, ToEngine

_HOST = "desktop_rag.engine.host"


@dataclass(frozen=True, slots=True)
class EngineArguments:
    """What an engine is started with. ``opener`` opens the library in its process; None means the real one.

    ``relocation`` is done before.
    """

    workspace: str
    base: Path | None = None
    opener: Callable[[str, Path | None], object] | None = None
    relocation: Relocation | None = None


def _be_engine(connection: Connection, arguments: EngineArguments) -> None:
    # By name, because the host is the other side of a process boundary: the window must never import it.
    importlib.import_module(_HOST).serve(connection, arguments)


class EngineProcess:
    """A process that is started once. :meth:`send` may be used before :meth:`start`, and never blocks."""

    def __init__(self, arguments: EngineArguments) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, self._theirs = context.Pipe(duplex=True)
        # Not a daemon: the engine has child processes. It ends by itself when our side of the pipe closes.
        self._process = context.Process(
            target=_be_engine, args=(self._theirs, arguments), name="desktop-rag engine", daemon=False
        )
        self._queue: queue.SimpleQueue[ToEngine | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="engine-writer", daemon=True)

    @property
    def pid(self) -> int | None:
        """The process id once started."""
        return self._process.pid

    def start(self) -> None:
        """Start the process. Raises OSError when the system cannot."""
        self._process.start()
        self._theirs.close()  # so that the pipe closes when the engine dies
        self._writer.start()

    def send(self, message: ToEngine) -> None:
        """Queue ``message``; it is dropped if the engine is gone."""
        self._queue.put(message)

    def messages(self) -> Iterator[object]:
        """Yield what the engine sends until it is gone."""
        return incoming(self._connection, self._process.sentinel)

    def end(self, seconds: float) -> None:
        """Give an engine that was asked to end most of ``seconds`` for it, then terminate and at last kill it.

        Unlike :meth:`reap` this can be called from any thread.
        """
        for force, patience in ((self._process.terminate, 0.7), (self._process.kill, 0.3)):
            if self._has_ended(seconds * patience):
                return
            force()
        self._has_ended(1.0)

    def _has_ended(self, seconds: float) -> bool:
        return self._process.pid is None or bool(wait([self._process.sentinel], seconds))

    def reap(self) -> str:
        """Collect a process that is at its end, by force if need be, and say how it ended. For one thread, once."""
        if self._process.pid is None:
            self._theirs.close()
            self._connection.close()
            return "it could not be started"
        self._queue.put(None)
        self._process.join(2.0)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        code = self._process.exitcode
        self._writer.join(2.0)
        self._connection.close()
        return _cause(code or 0)

    def _write(self) -> None:
        outbox = Outbox(self._connection)
        while (message := self._queue.get()) is not None:
            outbox.send(message)


def _cause(exit_code: int) -> str:
    if exit_code < 0:
        name = signal.Signals(-exit_code).name if -exit_code in signal.valid_signals() else str(-exit_code)
        hint = "; the system may have run out of memory" if name == "SIGKILL" else ""
        return f"ended by {name}{hint}"
    return f"exit code {exit_code}"
