"""Time to the first evidence and the first token: in a fresh process (cold), and for the questions after it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.documents import Documents
from benchmarks.figures import Figure
from desktop_rag.core.events import AnswerEvent, EvidenceFound, Token
from desktop_rag.library import Library


@dataclass(frozen=True, slots=True)
class Moments:
    """Seconds from the question to what the person sees first; None where it never came."""

    evidence: float | None
    token: float | None


class _Watch:
    """Notes when an answer's first evidence and first token arrive."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._seen: dict[type, float] = {}

    def __call__(self, event: AnswerEvent) -> None:
        self._seen.setdefault(type(event), time.perf_counter() - self._start)

    @property
    def moments(self) -> Moments:
        return Moments(self._seen.get(EvidenceFound), self._seen.get(Token))


def _ask(library: Library, question: str) -> Moments:
    watch = _Watch()
    library.ask(question, emit=watch)
    return watch.moments


def index(documents: Documents, base: Path) -> float:
    """Index the documents' folder under ``base`` and return the seconds that it took."""
    start = time.perf_counter()
    with Library.open(base=base) as library:
        library.add_paths([str(documents.folder)])
        library.sync()
    return time.perf_counter() - start


def measure_answering(documents: Documents, base: Path) -> list[Figure]:
    """Ask in a process of its own, which has loaded nothing: each question once, then the last one again."""
    command = [sys.executable, "-m", "benchmarks.answering", str(base), *documents.questions]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    moments = [Moments(**row) for row in json.loads(output)]
    cold, warm, again = moments[0], moments[1:-1], moments[-1]
    figures = []
    for name, part in (("first evidence", "evidence"), ("first token", "token")):
        first = getattr(cold, part)
        later = [value for item in warm if (value := getattr(item, part)) is not None]
        if first is None or not later:
            continue
        note = "cold: models, index and libraries are loaded" if part == "evidence" else "the model reads its prompt"
        figures.append(
            Figure(f"{name}, later question", median(later), first, "s", "the first question, cold", False, note)
        )
        if (repeated := getattr(again, part)) is not None:
            figures.append(Figure(f"{name}, same prompt again", repeated, first, "s", "the same", False))
    return figures


def _main(base: Path, questions: list[str]) -> None:
    with Library.open(base=base) as library:
        moments = [_ask(library, question) for question in (*questions, questions[-1])]
    print(json.dumps([{"evidence": item.evidence, "token": item.token} for item in moments]))


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[2:])
