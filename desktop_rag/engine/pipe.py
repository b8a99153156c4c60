"""Both ends of the pipe: a lock around sending, and receiving that ends when the other side does."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait

from desktop_rag.core.log import get_logger
from desktop_rag.engine.protocol import EngineError, Fault, FromEngine, Response, ToEngine

_log = get_logger(__name__)


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
