"""A pool of processes that read files and can be killed: a file that hangs, crashes or eats memory costs one worker.

concurrent.futures cannot end a running task, so this is a small pool of its own: one thread here for each worker
process, a pipe between them, and a look at the clock and at the worker's memory ten times a second. Memory is watched
from outside (resident size) rather than limited from inside: address-space limits exist on some platforms only, count
memory that is reserved but never used, and make libraries fail in ways that nobody can explain to a user.
"""

from __future__ import annotations

import multiprocessing
import queue
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import cast

import psutil

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.ledger import FileState
from desktop_rag.core.log import get_logger
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.parse import Parsed, ParseFailure
from desktop_rag.ingest.worker_process import PAGES_IN_LIMIT, PATIENCE, PageCount, Ready, Task, serve

__all__ = ["ParseFailure", "ParsePool", "Parsed"]

_LOG = get_logger(__name__)
_ENTRY = "desktop_rag.ingest.parse:parse"
_LOOK_SECONDS = 0.1
_START_SECONDS = 60.0
_MEGABYTE = 1 << 20
_IDLE_SECONDS = 60.0
"""After so long without work, workers end and give back their memory, but for one."""

Outcome = Parsed | PartRead | ParseFailure


@dataclass(frozen=True, slots=True)
class Limits:
    """What a worker may take for one task: ``seconds`` of time and ``megabytes`` of resident memory.

    ``setting`` names the setting of the time limit, for the reason that people read.
    """

    seconds: float
    megabytes: int
    setting: str = "parse_seconds"


@dataclass(frozen=True, slots=True)
class _Order:
    document: str
    path: Path
    passwords: tuple[str, ...] = field(repr=False)
    part: Part | None
    future: Future[Outcome]


@dataclass(frozen=True, slots=True)
class _Start:
    """Asks for a worker to be started."""


class ParsePool:
    """Reads files in ``processes`` worker processes, each file with a limit of time and memory.

    ``seconds`` is for a file's first 100 pages; more pages get proportionally more. ``megabytes`` is the resident
    memory of a worker. ``entry`` ("module:function") names what a worker runs; tests put their own there. Work in the
    ``background`` has ``seconds`` on a core, and leaves the cores to everything else if ``courtesy`` steps back.
    While ``courtesy`` is asked for, its workers are stopped where they are. ``setting`` names the setting that the
    limit comes from.
    """

    def __init__(
        self,
        processes: int,
        seconds: float,
        megabytes: int,
        max_tokens: int,
        entry: str = _ENTRY,
        *,
        background: bool = False,
        courtesy: Courtesy | None = None,
        setting: str = "parse_seconds",
    ) -> None:
        self._orders: queue.SimpleQueue[_Order | _Start | None] = queue.SimpleQueue()
        self._closed = threading.Event()
        limits = Limits(seconds, megabytes, setting)
        work = _Work(entry, max_tokens, background, courtesy or Courtesy())
        self._slots = [_Slot(self._closed, limits, work) for _ in range(max(1, processes))]
        self._threads = [
            threading.Thread(target=self._run, args=(slot,), name="parse-pool", daemon=True) for slot in self._slots
        ]
        for thread in self._threads:
            thread.start()

    @property
    def processes(self) -> int:
        """How many files are read at once."""
        return len(self._slots)

    def submit(self, document: str, path: Path, passwords: tuple[str, ...] = ()) -> Future[Parsed | ParseFailure]:
        """Queue a file; the future's result is never an exception. After :meth:`close` the future is cancelled.

        A locked file is tried with one of ``passwords`` after the other; they reach the worker through its pipe.
        """
        return cast("Future[Parsed | ParseFailure]", self._queued(document, path, passwords, None))

    def submit_part(
        self, document: str, path: Path, part: Part, passwords: tuple[str, ...] = ()
    ) -> Future[PartRead | ParseFailure]:
        """Queue a later stage's work on a part of a file, as :meth:`submit`; ``entry`` must be that stage's."""
        return cast("Future[PartRead | ParseFailure]", self._queued(document, path, passwords, part))

    def warm_up(self) -> None:
        """Start a worker, if none runs, so that the next file does not wait for it."""
        if not self._closed.is_set():
            self._orders.put(_Start())

    def _queued(self, document: str, path: Path, passwords: tuple[str, ...], part: Part | None) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        if self._closed.is_set():
            future.cancel()
        else:
            self._orders.put(_Order(document, path, passwords, part, future))
        return future

    def close(self) -> None:
        """Kill what still runs and cancel what waits; returns when no worker is left. Closing twice does no harm."""
        self._closed.set()
        for _ in self._threads:
            self._orders.put(None)
        for thread in self._threads:
            thread.join()
        while not self._orders.empty():
            order = self._orders.get()
            if isinstance(order, _Order):
                order.future.cancel()

    def _run(self, slot: _Slot) -> None:
        while not self._closed.is_set():
            try:
                order = self._orders.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                if slot is not self._slots[0]:  # one stays, for the next file that is saved
                    slot.stop()
                continue
            if order is None:
                break
            if isinstance(order, _Start):
                slot.start()
            elif self._closed.is_set():
                order.future.cancel()
            elif order.future.set_running_or_notify_cancel():
                order.future.set_result(_read(slot, order))
        slot.stop()


@dataclass(frozen=True, slots=True)
class _Work:
    entry: str
    max_tokens: int
    background: bool
    courtesy: Courtesy

    @property
    def steps_back(self) -> bool:
        return self.background and self.courtesy.steps_back


class _Slot:
    """One worker process, started when needed and replaced when it was killed; used by one thread only."""

    def __init__(self, closed: threading.Event, limits: Limits, work: _Work) -> None:
        self._closed = closed
        self._limits = limits
        self._work = work
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._watched: psutil.Process | None = None
        self._stopped = False

    def read(self, order: _Order) -> Outcome:
        """Have the worker read a file; whatever happens to the worker becomes a failure of that file."""
        name = order.path.name
        try:
            connection = self._started()
        except (EOFError, OSError, psutil.Error):
            self.stop()
            return _failed(f"{name} was not read: the process that reads files did not start. Start the program again.")
        try:
            tokens, seconds = self._work.max_tokens, self._limits.seconds
            task = Task(order.document, order.path, order.passwords, tokens, seconds, order.part)
            connection.send(task)
            outcome = self._awaited(connection, name)
        except (EOFError, OSError, psutil.Error):
            self.stop()
            outcome = _failed(
                f"{name} crashed the program that reads it. The file is probably damaged: get a fresh copy."
            )
        if isinstance(outcome, ParseFailure) and not outcome.reader:
            _LOG.info("document %s was not read", order.document)
        if self._process is not None and (not self._process.is_alive() or self._used() > self._limits.megabytes / 2):
            self.stop()
        return outcome

    def start(self) -> None:
        """Start the worker, if there is none; should that fail, the next file will say so."""
        try:
            self._started()
        except (EOFError, OSError, psutil.Error):
            self.stop()

    def stop(self) -> None:
        """Kill the worker, if there is one, and wait for its end."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = self._watched = None
        self._stopped = False

    def _started(self) -> Connection:
        if self._connection is not None and self._process is not None and self._process.is_alive():
            return self._connection
        self.stop()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._connection = ours
        self._process = context.Process(
            target=serve, args=(theirs, self._work.entry, self._work.steps_back), daemon=True
        )
        self._process.start()
        theirs.close()
        self._watched = psutil.Process(self._process.pid)
        if not ours.poll(_START_SECONDS) or not isinstance(ours.recv(), Ready):
            raise EOFError
        return ours

    def _awaited(self, connection: Connection, name: str) -> Outcome:
        """Wait for the outcome of the file that was sent, and end the worker when it breaks a limit."""
        began, worked = time.monotonic(), self._worked()
        allowed = self._limits.seconds
        while True:
            if connection.poll(_LOOK_SECONDS):
                message = connection.recv()
                if not isinstance(message, PageCount):
                    self._stand_still(False)  # the next task must find it awake
                    outcome: Outcome = message
                    return outcome
                allowed = self._limits.seconds * max(1.0, message.pages / PAGES_IN_LIMIT)
            self._stand_still(self._work.courtesy.asked)
            elapsed = time.monotonic() - began
            if self._work.background:
                elapsed = max(self._worked() - worked, elapsed / PATIENCE)
            broken = self._broken(name, elapsed, allowed)
            if broken is not None:
                self.stop()
                return broken

    def _stand_still(self, asked: bool) -> None:
        """Stop the worker in the middle of its work, or let it go on."""
        if asked != self._stopped and self._watched is not None:
            (self._watched.suspend if asked else self._watched.resume)()
            self._stopped = asked

    def _broken(self, name: str, elapsed: float, allowed: float) -> ParseFailure | None:
        if self._closed.is_set():
            return _failed(f"{name} was not read: the program was closed.")
        if elapsed > allowed:
            return _failed(
                f"{name} took longer than the limit of {allowed:.0f} seconds and was given up. It is not tried again "
                f"until it changes; the limit is the setting {self._limits.setting}."
            )
        if self._used() > self._limits.megabytes:
            return _failed(
                f"{name} needed more memory than the limit of {self._limits.megabytes} MB and was given up. It is not "
                "tried again until it changes; the limit is the setting parse_megabytes."
            )
        return None

    def _worked(self) -> float:
        """Seconds that the worker has had on a core; 0 when it is gone."""
        try:
            return sum(self._watched.cpu_times()[:2]) if self._watched is not None else 0.0
        except psutil.Error:
            return 0.0

    def _used(self) -> float:
        """Resident memory of the worker in megabytes; 0 when it is gone."""
        try:
            return float(self._watched.memory_info().rss) / _MEGABYTE if self._watched is not None else 0.0
        except psutil.Error:
            return 0.0


def _read(slot: _Slot, order: _Order) -> Outcome:
    """Return what came of a file. A bug of ours is a failure of that file too: a sync that waits must never hang."""
    try:
        return slot.read(order)
    except Exception:
        _LOG.exception("document %s: the pool failed", order.document)
        slot.stop()
        return _failed(f"{order.path.name} could not be read: the program hit an unexpected fault. The log says more.")


def _failed(reason: str) -> ParseFailure:
    return ParseFailure(FileState.FAILED, reason, "")
