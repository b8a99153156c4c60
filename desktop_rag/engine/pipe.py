"""Both ends of the pipe: a lock around sending, and receiving that ends when the other side does."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait

from desktop_rag.core.job import Progress
from desktop_rag.core.log import get_logger
from desktop_rag.engine.protocol import EngineError, Fault, FromEngine, Item, Request, Response, ToEngine

_log = get_logger(__name__)
_BETWEEN_S = 0.1


class Outbox:
    """Sends whole messages from any thread. Once the other side is gone, messages are dropped."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def send(self, message: ToEngine | FromEngine) -> None:
        """Send ``message``; an answer that cannot be sent is replaced by the reason."""
        data = _encode(message)
        try:
            with self._lock:
                self._connection.send_bytes(data)
        except OSError:
            _log.info("the other end of the pipe is gone")


def progress_sender(outbox: Outbox, request: Request) -> Callable[[Progress], None] | None:
    """Return what tells the caller of ``request`` how far it is, at most ten times a second and at the end.

    None when the caller does not want to hear of it.
    """
    if not request.streams:
        return None
    last = 0.0

    def send(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _BETWEEN_S or progress.done == progress.total:
            last = now
            outbox.send(Item(request.id, progress))

    return send


def _encode(message: ToEngine | FromEngine) -> bytes:
    try:
        return pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # whatever a value's pickling raises: the caller must still hear something
        if not isinstance(message, Response):
            raise
        _log.error("an answer of kind %s cannot be sent: %s", type(message.value).__name__, type(error).__name__)
        fault = Fault.of(EngineError("The engine's answer could not be sent. This is a fault of the program."))
        return pickle.dumps(Response(message.id, fault=fault), protocol=pickle.HIGHEST_PROTOCOL)


def incoming(connection: Connection, other_side: int | None) -> Iterator[object]:
    """Yield messages until the pipe closes, or the process behind the sentinel ``other_side`` has died."""
    watched: list[Connection | int] = [connection] if other_side is None else [connection, other_side]
    while True:
        ready = wait(watched)
        if connection not in ready and not connection.poll():
            return  # dead, and everything that it sent has been read
        try:
            data = connection.recv_bytes()
        except (EOFError, OSError):
            return
        yield pickle.loads(data)
