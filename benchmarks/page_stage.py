"""What looking at pages in the background costs the person who searches: the same questions with and without it."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.documents import Documents
from benchmarks.figures import Figure
from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import Route
from desktop_rag.library import Library

_ROUTES = (Route.HYBRID, Route.PAGE)
_ROUNDS = 8
_FIRST_PAGES = 150
"""Looked at before the first question, so that there is something to find."""

_PAUSE_SECONDS = 0.4
"""A person reads, and the background takes its cores again."""


class _Looking:
    """Looks at pages in a thread until it is told to stop; ``seconds`` and ``pages`` say how fast that went."""

    def __init__(self, library: Library) -> None:
        self.pages = 0
        self._job = Job(self._count)
        self._started = time.monotonic()
        self._thread = threading.Thread(target=self._run, args=(library,), daemon=True)
        self._thread.start()

    def _run(self, library: Library) -> None:
        with contextlib.suppress(CancelledError):
            library.sync(stages=[Stage.PAGES], job=self._job)

    def _count(self, progress: Progress) -> None:
        if progress.unit == "pages":
            self.pages += 1

    def wait_for(self, pages: int) -> bool:
        """Return whether so many pages came before the work ended."""
        while self.running and self.pages < pages:
            time.sleep(0.05)
        return self.running

    @property
    def running(self) -> bool:
        """Whether there is still work."""
        return self._thread.is_alive()

    def stop(self) -> float:
        """End the work, wait for it, and return how many pages came in a second."""
        seconds = time.monotonic() - self._started
        self._job.cancel()
        self._thread.join()
        return self.pages / seconds


def measure_page_stage(documents: Documents, base: Path) -> list[Figure]:
    """Index the documents without their pages, then measure."""
    with Library.open(base=base) as library:
        library.add_paths([str(documents.folder)])
        library.sync(stages=[Stage.TEXT, Stage.VECTORS])
        return measure_open(library, documents.questions)


def measure_open(library: Library, questions: tuple[str, ...]) -> list[Figure]:
    """Search with the cores free and while pages are looked at, in turns; pages must be waiting."""
    library.step_back()  # as in the engine behind the window
    first = _Looking(library)
    first.wait_for(_FIRST_PAGES)
    first.stop()
    wordings = (f"{question} ({number})" for number in itertools.count() for question in questions)
    _ask(library, wordings, len(questions))  # models load
    alone: dict[Route, list[float]] = {route: [] for route in _ROUTES}
    beside: dict[Route, list[float]] = {route: [] for route in _ROUTES}
    rates = []
    for _ in range(_ROUNDS):
        _add(alone, _ask(library, wordings, len(questions)))
        looking = _Looking(library)
        if not looking.wait_for(3):
            print("All pages were seen too soon: the rounds that are left are not measured.")
            break
        times = _ask(library, wordings, len(questions))
        if looking.running:
            _add(beside, times)
        rates.append(looking.stop())
    if not beside[Route.PAGE]:
        return []
    note = f"{len(beside[Route.PAGE])} questions each way; {np.mean(rates):.1f} pages a second were looked at"
    return [
        Figure(
            f"{name} of `{route}` while pages are looked at",
            float(np.percentile(beside[route], share)),
            float(np.percentile(alone[route], share)),
            "ms",
            "the same with the cores free",
            False,
            note,
        )
        for route in _ROUTES
        for name, share in (("median", 50), ("95 %", 95))
    ]


def _ask(library: Library, wordings: Iterator[str], count: int) -> dict[Route, list[float]]:
    """Ask each time in other words: the vectors of a question are kept for a while."""
    times: dict[Route, list[float]] = {route: [] for route in _ROUTES}
    for question in itertools.islice(wordings, count):
        for route in _ROUTES:
            started = time.perf_counter()
            library.search(question, route=route)
            times[route].append((time.perf_counter() - started) * 1000)
            time.sleep(_PAUSE_SECONDS)
    return times


def _add(times: dict[Route, list[float]], more: dict[Route, list[float]]) -> None:
    for route, some in more.items():
        times[route] += some
