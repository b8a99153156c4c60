"""What later stages in the background cost the person who asks: the same questions, with and without them running."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path
from statistics import median

import psutil

from benchmarks.documents import Documents
from benchmarks.figures import Figure
from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import Stage
from desktop_rag.library import Library

_QUICK = (Stage.TEXT, Stage.VECTORS)
_LATER = (Stage.OCR, Stage.TABLES)
_ROUNDS = 2
_START_SECONDS = 120.0


class _Background:
    """Runs the later stages in a thread until it is told to stop."""

    def __init__(self, library: Library) -> None:
        self._job = Job()
        self._thread = threading.Thread(target=self._run, args=(library,), daemon=True)
        self._thread.start()
        self.began = self._wait_for_work()

    def _run(self, library: Library) -> None:
        with contextlib.suppress(CancelledError):
            library.sync(stages=_LATER, job=self._job)

    def _wait_for_work(self) -> bool:
        """Wait until a worker has had some seconds on a core, so that it is past its imports."""
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end and self.running:
            children = psutil.Process().children(recursive=True)
            if any(sum(child.cpu_times()[:2]) > 3 for child in children):
                return True
            time.sleep(0.1)
        return False

    @property
    def running(self) -> bool:
        """Whether there is still work."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the work and wait for it."""
        self._job.cancel()
        self._thread.join()


def _ask_all(library: Library, questions: tuple[str, ...]) -> list[float]:
    seconds = []
    for question in questions:
        start = time.perf_counter()
        library.ask(question, fresh=True)
        seconds.append(time.perf_counter() - start)
        time.sleep(1.0)  # a person reads: the background takes its cores again
    return seconds


def measure_background(documents: Documents, base: Path) -> list[Figure]:
    """Ask with the cores free and with later stages running, in turns, and compare each question with itself."""
    with Library.open(base=base) as library:
        library.add_paths([str(documents.folder)])
        library.sync(stages=_QUICK)
        _ask_all(library, documents.questions)  # models load
        alone: list[list[float]] = []
        beside: list[list[float]] = []
        for _ in range(_ROUNDS):
            alone.append(_ask_all(library, documents.questions))
            background = _Background(library)
            if not background.began:
                print("The later stages ended too soon: what they cost an answer is left out.")
                return []
            beside.append(_ask_all(library, documents.questions))
            background.stop()
    own = median(min(times) for times in zip(*beside, strict=True))
    other = median(min(times) for times in zip(*alone, strict=True))
    note = "retrieval and the whole answer of the model; workers stand still meanwhile"
    return [Figure("an answer while later stages run", own, other, "s", "the same with the cores free", False, note)]
