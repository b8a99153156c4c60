"""The engine process: it owns an open library, and serves calls that arrive over a pipe until the pipe closes."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import ParamSpec, cast

from desktop_rag.core.errors import CancelledError, DesktopRagError
from desktop_rag.core.events import AnswerEvent, LedgerChanged, LibraryEvent, SyncProgress
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import FileRow, FolderRow, Stage
from desktop_rag.core.log import get_logger, log_to
from desktop_rag.core.paths import workspace_paths
from desktop_rag.core.reports import SyncSummary
from desktop_rag.core.settings import Settings
from desktop_rag.engine.background_sync import SyncRunner
from desktop_rag.engine.environment import prepare_environment
from desktop_rag.engine.faults import explain, log_fault
from desktop_rag.engine.methods import LANE_WORKERS, METHODS, Lane
from desktop_rag.engine.opened_library import OpenedLibrary, OpenLibrary, open_library
from desktop_rag.engine.pipe import Outbox, incoming, progress_sender
from desktop_rag.engine.process import EngineArguments
from desktop_rag.engine.protocol import (
    NOT_RELOCATED,
    Broadcast,
    Cancel,
    EngineError,
    EngineEvent,
    EngineReady,
    EngineRefused,
    Fault,
    Item,
    Request,
    Response,
    Shutdown,
    SyncFailed,
    SyncState,
)
from desktop_rag.engine.workspace_calls import relocate, workspace_calls

_log = get_logger(__name__)

_CLOSING_SECONDS = 3.0
"""Time for running work to notice that it shall end; whatever hangs longer is left behind."""


_P = ParamSpec("_P")


def serve(connection: Connection, arguments: EngineArguments) -> None:
    """Be the engine: open the library, serve until the window closes or dies, and leave the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-C in the terminal is for the window, which then closes us
    prepare_environment(Settings().model_threads)
    outbox = Outbox(connection)
    workspace, base = arguments.workspace, arguments.base
    opener = cast("OpenLibrary", arguments.opener or open_library)
    kind = NOT_RELOCATED
    try:
        if arguments.relocation is not None:
            relocate(arguments.relocation, base)
        kind = ""
        paths = workspace_paths(workspace, base)
        log_to(paths.log)
        _record_crashes(paths.log.with_name("engine-crash.log"))
        library = opener(workspace, base)
    except Exception as error:  # told to the window, which shows it; there is nobody else to tell
        told = explain(error, workspace_log(workspace, base), EngineError)
        outbox.send(Broadcast(EngineRefused(str(told), kind or type(told).__name__)))
        return
    host = Host(connection, outbox, library, workspace, paths.log, base)
    try:
        host.run()
    finally:
        # Native libraries keep threads that can hang or crash while the interpreter is taken apart; all is closed.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _record_crashes(path: Path) -> None:
    """Let a crash in native code leave the stacks of all threads in ``path``."""
    faulthandler.enable(path.open("a", encoding="utf-8"))


def workspace_log(workspace: str, base: Path | None) -> Path:
    """Return the log file of a workspace, also of one whose name cannot be."""
    try:
        return workspace_paths(workspace, base).log
    except DesktopRagError:
        return Path("desktop-rag.log")


@dataclass(frozen=True, slots=True)
class _Running:
    job: Job
    future: Future[None]


class Host:
    """Serves one window: each kind of call has its own few threads, so that quick ones never wait for slow ones."""

    def __init__(
        self,
        connection: Connection,
        outbox: Outbox,
        library: OpenedLibrary,
        workspace: str,
        log_file: Path,
        base: Path | None = None,
    ) -> None:
        self._connection = connection
        self._outbox = outbox
        self._library = library
        self._workspace = workspace
        self._log_file = log_file
        self._sync = SyncRunner(library.sync, self._broadcast, self._explain, tidy=library.tidy)
        self._lanes = {lane: ThreadPoolExecutor(workers, str(lane)) for lane, workers in LANE_WORKERS.items()}
        self._running: dict[int, _Running] = {}
        self._lock = threading.Lock()
        self._own: dict[str, Callable[..., object]] = {
            **workspace_calls(base, workspace, library, self._sync.held),
            "settings": lambda: library.settings,
            "routes": lambda: library.routes,
            "add_paths": self._add_paths,
            "remove_folder": self._remove_folder,
            "unlock": self._unlock,
            "set_rules": self._between_syncs(library.set_rules),
            "read_first": self._between_syncs(library.read_first),
            "retry": self._between_syncs(library.retry),
            "look_at_pages": self._between_syncs(library.look_at_pages),
            "choose_model": self._between_syncs(library.choose_model),
            "start_sync": self._start_sync,
            "pause_sync": self._pause,
            "resume_sync": self._resume,
            "stop_sync": self._sync.stop,
            "sync_state": self._sync_state,
        }

    def run(self) -> None:
        """Serve until the window asks for the end, closes its side, or dies; then close everything."""
        self._broadcast(EngineReady(self._workspace))
        for sentence in self._library.mended:
            self._broadcast(SyncFailed(sentence))
        if self._library.paused:
            self._sync.pause()
        self._sync.start()
        self._sync.request()
        self._watch()
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()
        parent = parent_process()
        try:
            for message in incoming(self._connection, parent.sentinel if parent else None):
                if isinstance(message, Shutdown):
                    break
                if isinstance(message, Cancel):
                    self._cancel(message.id)
                elif isinstance(message, Request):
                    self._accept(message)
        finally:
            self._close()

    def _accept(self, request: Request) -> None:
        lane = METHODS.get(request.method)
        if lane is None:
            fault = Fault.of(EngineError(f"The engine does not serve '{request.method}'."))
            self._outbox.send(Response(request.id, fault=fault))
            return
        job = Job(progress_sender(self._outbox, request) if lane is Lane.MODELS else None)
        with self._lock:  # the call cannot end before it is noted
            self._running[request.id] = _Running(job, self._lanes[lane].submit(self._serve, request, lane, job))

    def _serve(self, request: Request, lane: Lane, job: Job) -> None:
        try:
            response = Response(request.id, self._call(request, lane, job))
        except Exception as error:  # every failure of a call is its answer
            response = Response(request.id, fault=Fault.of(self._explain(error)))
        with self._lock:
            self._running.pop(request.id, None)
        self._outbox.send(response)

    def _call(self, request: Request, lane: Lane, job: Job) -> object:
        job.check()
        if lane is Lane.SYNC:
            return self._sync_and_wait(request, job)
        method = self._own.get(request.method) or getattr(self._library, request.method)
        extras: dict[str, object] = {}
        if lane is Lane.ASK:
            extras = {"job": job, "emit": self._item_sender(request)}
        elif lane in (Lane.MEASURE, Lane.MODELS):
            extras = {"job": job}
        value: object = method(*request.args, **request.kwargs, **extras)
        return value

    def _item_sender(self, request: Request) -> Callable[[AnswerEvent | SyncProgress], None] | None:
        return (lambda event: self._outbox.send(Item(request.id, event))) if request.streams else None

    def _sync_and_wait(self, request: Request, job: Job) -> SyncSummary:
        send = self._item_sender(request)

        def listener(event: LibraryEvent) -> None:
            if send is not None and isinstance(event, SyncProgress):
                send(event)

        wanted = request.kwargs.get("stages")
        stages = None if wanted is None else frozenset(cast("Collection[Stage]", wanted))
        future = self._sync.request(stages, listener)
        while True:
            try:
                return future.result(timeout=0.2)
            except NotYet:
                if job.cancelled:
                    self._sync.stop()

    def _watch(self) -> None:
        try:
            self._library.watch(self._start_sync)
        except Exception as error:  # without events of the disk, looking again now and then still finds everything
            log_fault(error)

    def _warm_up(self) -> None:
        try:
            self._library.warm_up()
        except Exception as error:  # the first question will say the same to the person
            log_fault(error)

    def _add_paths(self, paths: Sequence[str]) -> tuple[FolderRow, ...]:
        rows = self._library.add_paths(paths)
        with self._sync.held():  # so that the new folder takes part at once, however long the present sync would last
            self._sync.request()
        self._broadcast(LedgerChanged())
        return rows

    def _remove_folder(self, folder_id: int) -> None:
        with self._sync.held():  # the library would wait for the end of a running sync
            self._library.remove_folder(folder_id)
            self._sync.request()
        self._broadcast(LedgerChanged())

    def _unlock(self, document: str, password: str, for_others: bool = False) -> FileRow:
        row = self._library.unlock(document, password, for_others=for_others)
        self._sync.request()
        self._broadcast(LedgerChanged())
        return row

    def _between_syncs(self, change: Callable[_P, None]) -> Callable[_P, None]:
        """Return ``change`` as a call that interrupts a running sync, which then goes on by what changed."""

        def changed(*args: _P.args, **kwargs: _P.kwargs) -> None:
            with self._sync.held():
                change(*args, **kwargs)
                self._sync.request()
            self._broadcast(LedgerChanged())

        return changed

    def _pause(self) -> None:
        self._sync.pause()
        self._library.set_paused(True)

    def _resume(self) -> None:
        self._library.set_paused(False)
        self._sync.resume()

    def _start_sync(self, only: Collection[Path] | None = None) -> None:
        self._sync.request(only=only)

    def _sync_state(self) -> SyncState:
        return self._sync.state

    def _cancel(self, call: int) -> None:
        with self._lock:
            running = self._running.get(call)
            if running is None:
                return
            running.job.cancel()
            never_began = running.future.cancel()
            if never_began:
                del self._running[call]
        if never_began:
            self._outbox.send(Response(call, fault=Fault.of(CancelledError("stopped"))))

    def _broadcast(self, event: EngineEvent) -> None:
        self._outbox.send(Broadcast(event))

    def _explain(self, error: Exception) -> DesktopRagError:
        return explain(error, self._log_file, EngineError)

    def _close(self) -> None:
        _leave_after(_CLOSING_SECONDS)
        with self._lock:
            running = list(self._running.values())
        for call in running:
            call.job.cancel()
        self._sync.close()
        for lane in self._lanes.values():
            lane.shutdown(wait=True, cancel_futures=True)
        self._library.close()
        _log.info("engine closed")


def _leave_after(seconds: float) -> None:
    timer = threading.Timer(seconds, os._exit, (1,))
    timer.daemon = True
    timer.start()
