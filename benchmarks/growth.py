"""``python -m benchmarks.growth FOLDER BASE``: the memory of a process that indexes ever more small files."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import psutil

from desktop_rag.core.ledger import Stage
from desktop_rag.core.settings import Settings
from desktop_rag.engine.environment import prepare_environment
from desktop_rag.library import Library

FEW = 500
MANY = 5_000
_QUICK = (Stage.TEXT, Stage.VECTORS)


def write_notes(folder: Path, first: int, last: int) -> None:
    """Write the notes from the ``first`` to before the ``last``."""
    for number in range(first, last):
        path = folder / f"{number % 100}" / f"note-{number}.txt"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(f"Note {number} tells of parcel {number * 7} and of its owner.\n", encoding="utf-8")


def _grow(folder: Path, base: Path) -> list[float]:
    """Return the megabytes of this process after each so many files; it tidies up as the engine does when idle."""
    process, taken = psutil.Process(), []
    with Library.open("w", base=base) as library:
        library.add_paths([str(folder)])
        for first in range(0, MANY, FEW):
            write_notes(folder, first, first + FEW)
            library.sync(stages=_QUICK)
            library.tidy()
            taken.append(process.memory_info().rss / 1e6)
    return taken


if __name__ == "__main__":
    prepare_environment(Settings().model_threads)
    print(json.dumps(_grow(Path(sys.argv[1]), Path(sys.argv[2]))), flush=True)
