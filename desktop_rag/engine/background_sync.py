"""The indexing in the engine's background: one sync at a time, asked for by anyone, paused and stopped by people."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from desktop_rag.core.errors import CancelledError, DesktopRagError
from desktop_rag.core.events import LedgerChanged, LibraryEvent, SyncDone, SyncProgress
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import Stage
from desktop_rag.core.reports import SyncSummary
from desktop_rag.engine.protocol import EngineEvent, SyncFailed, SyncState, SyncStateChanged

RESCAN_SECONDS = 600.0
"""File system events are hints that can be missed; looking again now and then is the truth."""

_SETTLING_SECONDS = 1.0
"""Until another look at files that were being written."""

_TIDY_SECONDS = 30.0
"""After a sync, until tidying: longer than old versions of the index are kept for those who read them."""

_POWER_SECONDS = 60.0
"""Until another look whether the computer is off its battery."""

Listener = Callable[[LibraryEvent], None]


class Syncing(Protocol):
    """The sync of an open library."""

    def __call__(
        self,
        *,
        stages: Collection[Stage] | None,
        job: Job | None,
        emit: Listener | None,
        only: Collection[Path] | None,
    ) -> SyncSummary:
        """Bring the index in step with the disk."""


@dataclass(frozen=True, slots=True)
class _Ticket:
    stages: frozenset[Stage] | None
    listener: Listener | None
    only: frozenset[Path] | None = None
    done: Future[SyncSummary] = field(default_factory=Future)


class SyncRunner:
    """Runs syncs in a thread of its own. Asking while one runs makes another one follow, for what came meanwhile."""

    def __init__(
        self,
        sync: Syncing,
        broadcast: Callable[[EngineEvent], None],
        explain: Callable[[Exception], DesktopRagError],
        rescan_seconds: float = RESCAN_SECONDS,
        tidy: Callable[[], None] | None = None,
        ended: Callable[[SyncSummary], None] = lambda _: None,
    ) -> None:
        """``tidy`` is called when nothing was asked for in a while after a sync; ``ended`` after each that was done."""
        self._sync = sync
        self._broadcast = broadcast
        self._explain = explain
        self._rescan_seconds = rescan_seconds
        self._changed = threading.Condition()
        self._waiting: list[_Ticket] = []
        self._job: Job | None = None
        self._paused = False
        self._closing = False
        self._tidy = tidy
        self._ended = ended
        self._untidy = False
        self._holds = 0
        self._rest_s = rescan_seconds
        self._told = SyncState.IDLE
        self._thread = threading.Thread(target=self._loop, name="sync", daemon=True)

    def start(self) -> None:
        """Start the thread; nothing is indexed before the first :meth:`request`."""
        self._thread.start()

    @property
    def state(self) -> SyncState:
        """What a person is told: paused even when there would be nothing to do."""
        with self._changed:
            if self._paused:
                return SyncState.PAUSED
            return SyncState.RUNNING if self._job is not None or self._waiting else SyncState.IDLE

    def request(
        self,
        stages: Collection[Stage] | None = None,
        listener: Listener | None = None,
        only: Collection[Path] | None = None,
    ) -> Future[SyncSummary]:
        """Ask for a sync; the future ends with it. ``listener`` hears its events besides the broadcast.

        With ``only``, nothing but the watched folders that hold one of these paths needs to be looked at.
        """
        ticket = _Ticket(
            None if stages is None else frozenset(stages), listener, None if only is None else frozenset(only)
        )
        with self._changed:
            if self._closing:
                ticket.done.set_exception(CancelledError("the engine is closing"))
            else:
                self._waiting.append(ticket)
                if self._job is not None:
                    self._job.give_way()
                self._changed.notify_all()
        return ticket.done

    def pause(self) -> None:
        """Let the running sync, and those to come, wait at their next step."""
        with self._changed:
            self._paused = True
            if self._job is not None:
                self._job.pause()
        self._tell_state()

    def resume(self) -> None:
        """Go on after :meth:`pause`."""
        with self._changed:
            self._paused = False
            if self._job is not None:
                self._job.resume()
        self._tell_state()

    def stop(self) -> None:
        """End the running sync and forget those that wait; what was indexed stays."""
        with self._changed:
            waiting, self._waiting = self._waiting, []
            if self._job is not None:
                self._job.cancel()
        self._tell_state()
        for ticket in waiting:
            ticket.done.set_exception(CancelledError("stopped"))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let no sync run inside: a running one ends at its next step, and begins anew afterwards with fresh eyes."""
        with self._changed:
            self._holds += 1
            if self._job is not None:
                self._job.cancel()
        try:
            yield
        finally:
            with self._changed:
                self._holds -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Stop for good and wait for the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self.stop()
        if self._thread.is_alive():
            self._thread.join()

    def _loop(self) -> None:
        while (tickets := self._next()) is not None:
            if not tickets:
                self._tidy_up()
                continue
            self._tell_state()
            self._run(tickets)
            with self._changed:
                self._job = None
            self._tell_state()

    def _tidy_up(self) -> None:
        self._untidy = False
        try:
            if self._tidy is not None:
                self._tidy()
        except Exception as error:  # what could not be tidied now is no trouble to anybody
            self._explain(error)

    def _next(self) -> list[_Ticket] | None:
        """Wait for tickets and make their job; an empty list asks for tidying, None means the end."""
        with self._changed:
            while not self._closing and (self._holds or not self._waiting):
                rests = min(self._rest_s, _TIDY_SECONDS) if self._untidy else self._rest_s
                timely = self._changed.wait(rests)
                if timely or self._waiting or self._paused or self._holds:
                    continue
                if rests < self._rest_s:
                    return []
                self._waiting.append(_Ticket(None, None))
            if self._closing:
                return None
            tickets, self._waiting = self._waiting, []
            self._job = Job()
            if self._paused:
                self._job.pause()
            return tickets

    def _run(self, tickets: list[_Ticket]) -> None:
        listeners = [ticket.listener for ticket in tickets if ticket.listener is not None]
        calm = CalmEvents([self._broadcast, *listeners])
        self._rest_s = self._rescan_seconds
        try:
            summary = self._sync(stages=_all_stages(tickets), job=self._job, emit=calm, only=_all_places(tickets))
        except Exception as error:  # the thread must outlive whatever a sync may raise
            calm.end(None)
            self._fail(tickets, self._explain(error))
        else:
            calm.end(summary)
            self._rest_s, self._untidy = self._time_to_rest(summary), True
            self._ended(summary)
            for ticket in tickets:
                ticket.done.set_result(summary)

    def _time_to_rest(self, summary: SyncSummary) -> float:
        """Return after how many seconds to look again, if nobody asks before."""
        if summary.unsettled:
            return min(_SETTLING_SECONDS, self._rescan_seconds)
        if summary.waiting_for_power:
            return min(_POWER_SECONDS, self._rescan_seconds)
        return self._rescan_seconds

    def _fail(self, tickets: list[_Ticket], fault: DesktopRagError) -> None:
        if isinstance(fault, CancelledError):
            with self._changed:
                if self._holds and not self._closing:
                    self._waiting = tickets + self._waiting
                    return
        else:
            self._broadcast(SyncFailed(str(fault)))
        for ticket in tickets:
            ticket.done.set_exception(fault)

    def _tell_state(self) -> None:
        with self._changed:  # told inside, so that news arrive in the order in which they became true
            state = self.state
            if state != self._told:
                self._told = state
                self._broadcast(SyncStateChanged(state))


def _all_stages(tickets: list[_Ticket]) -> frozenset[Stage] | None:
    stages: frozenset[Stage] = frozenset()
    for ticket in tickets:
        if ticket.stages is None:
            return None
        stages |= ticket.stages
    return stages


def _all_places(tickets: list[_Ticket]) -> frozenset[Path] | None:
    places: frozenset[Path] = frozenset()
    for ticket in tickets:
        if ticket.only is None:
            return None
        places |= ticket.only
    return places


class CalmEvents:
    """Passes a sync's events on, but progress and ledger news not more often than a person can see."""

    def __init__(self, listeners: list[Callable[[LibraryEvent], None]], seconds: float = 0.1) -> None:
        self._listeners = listeners
        self._seconds = seconds
        self._progress_at = self._ledger_at = float("-inf")
        self._stage = ""
        self._ledger_waits = False
        self._done = False
        self._lock = threading.Lock()

    def __call__(self, event: LibraryEvent) -> None:
        """Take an event from any thread."""
        with self._lock:
            due = self._due(event)
        for one in due:
            self._tell(one)

    def end(self, summary: SyncSummary | None) -> None:
        """Tell what was held back; after a sync that did not say so itself, that it is done."""
        if self._ledger_waits:
            self._tell(LedgerChanged())
        if summary is not None and not self._done:
            self._tell(SyncDone(summary.added + summary.replaced, len(summary.failed)))

    def _due(self, event: LibraryEvent) -> list[LibraryEvent]:
        now = time.monotonic()
        due: list[LibraryEvent] = []
        if isinstance(event, LedgerChanged):
            self._ledger_waits = True
        elif isinstance(event, SyncDone):
            self._done = True
            due.append(event)
        elif self._is_news(event, now):
            due.append(event)
            self._progress_at, self._stage = now, event.progress.stage
        if self._ledger_waits and (self._done or now - self._ledger_at >= 3 * self._seconds):
            self._ledger_waits, self._ledger_at = False, now
            due.insert(0, LedgerChanged())
        return due

    def _is_news(self, event: SyncProgress, now: float) -> bool:
        progress = event.progress
        finished = progress.done >= progress.total
        return finished or progress.stage != self._stage or now - self._progress_at >= self._seconds

    def _tell(self, event: LibraryEvent) -> None:
        for listener in self._listeners:
            listener(event)
