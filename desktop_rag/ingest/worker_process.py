"""The inside of a parse worker: takes one file after the other from its pipe, and never outlives its parent."""

from __future__ import annotations

import ctypes
import faulthandler
import importlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TextIO

import psutil

from desktop_rag.core.ledger import FileState
from desktop_rag.ingest.later import Part
from desktop_rag.ingest.parse import ParseFailure

PAGES_IN_LIMIT = 100
"""The time limit of a file is for so many pages; more pages get proportionally more."""

PATIENCE = 10
"""How many times its limit background work may take by the clock, as others may hold the cores, or have it stopped."""

_GRACE_SECONDS = 10.0
_PR_SET_PDEATHSIG = 1
_NICE = 15


@dataclass(frozen=True, slots=True)
class Task:
    """A file to read; the worker ends itself some time after ``seconds`` should nobody be left to end it.

    As for the parent, ``seconds`` are for the first 100 pages. With a ``part`` it is a later stage's work on that part.
    """

    document: str
    path: Path
    passwords: tuple[str, ...] = field(repr=False)
    max_tokens: int
    seconds: float
    part: Part | None = None


@dataclass(frozen=True, slots=True)
class PageCount:
    """Said before the long part: how many pages the file has, so that the parent can allow time for them."""

    pages: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has its imports done: the clock of the next file may run."""


def serve(connection: Connection, entry: str, background: bool = False) -> None:
    """Run in the worker: answer every :class:`Task` with what ``entry`` ("module:function") makes of it.

    An entry may be a class: one is made, and called for each task. In the ``background``, other work goes first.
    """
    _end_with_parent()
    if background:
        _step_back()
    parse = _load(entry)
    connection.send(Ready())
    with open(os.devnull, "w") as nowhere:
        while True:
            try:
                task: Task = connection.recv()
            except (EOFError, OSError):
                return
            seconds = task.seconds * (PATIENCE if background else 1)
            _end_after(seconds, nowhere)
            on_pages = _page_counter(connection, seconds, nowhere)
            part = () if task.part is None else (task.part,)
            document, path, tokens = task.document, task.path, task.max_tokens
            result = parse(document, path, None, tokens, on_pages, *part)
            for password in task.passwords:
                if not _is_shut(result):
                    break
                result = parse(document, path, password, tokens, on_pages, *part)
            faulthandler.cancel_dump_traceback_later()
            connection.send(result)


def _is_shut(result: object) -> bool:
    return isinstance(result, ParseFailure) and result.state is FileState.NEEDS_PASSWORD


def _end_after(seconds: float, nowhere: TextIO) -> None:
    """Set a timer that lives in C: it ends this process even while a library holds the interpreter's lock."""
    faulthandler.dump_traceback_later(2 * seconds + _GRACE_SECONDS, exit=True, file=nowhere)


def _page_counter(connection: Connection, seconds: float, nowhere: TextIO) -> Callable[[int], None]:
    def tell(pages: int) -> None:
        _end_after(seconds * max(1.0, pages / PAGES_IN_LIMIT), nowhere)
        connection.send(PageCount(pages))

    return tell


def _load(entry: str) -> Callable[..., Any]:
    module, _, name = entry.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    if entry.startswith("desktop_rag."):
        importlib.import_module("desktop_rag.ingest.readers")
        importlib.import_module("desktop_rag.ingest.chunks")
    return function() if isinstance(function, type) else function


def _step_back() -> None:
    """Give this process a low claim on the cores, so that whoever waits for an answer hardly notices it."""
    psutil.Process().nice(getattr(psutil, "IDLE_PRIORITY_CLASS", _NICE))


def _end_with_parent() -> None:
    """Leave when the parent is gone, killed ones included. The kernel sees to it on Linux, a thread elsewhere."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_leave_after, args=(parent.sentinel,), daemon=True).start()


def _leave_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
