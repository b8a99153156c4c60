"""How cheap it is to stay in step: looking at unchanged files, a rename, an edit, a saved file, memory over many."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import pymupdf

from benchmarks.figures import Figure
from benchmarks.growth import FEW, MANY, write_notes
from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.types import Route
from desktop_rag.engine.client import Call, EngineClient
from desktop_rag.library import Library
from desktop_rag.models.embedder import Vectors
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder

_UNCHANGED = 10_000
_PAGES = 400
_ROUNDS = 5
_LOOKS = 15
_QUICK = (Stage.TEXT, Stage.VECTORS)


def measure_in_step(base: Path) -> list[Figure]:
    """Return the figures; each part has a folder and a workspace of its own."""
    figures: list[Figure] = []
    for part in (_reconcile, _large_pdf, _saved_file, _memory):
        with tempfile.TemporaryDirectory(prefix="desktop-rag-bench-") as folder:
            figures += part(Path(folder), base / part.__name__)
    return figures


def _walk(folder: Path) -> int:
    """Look at every file as simply as can be: os.scandir and stat."""
    seen, waiting = 0, [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    entry.stat()
                    seen += 1
    return seen


def _reconcile(folder: Path, base: Path) -> list[Figure]:
    write_notes(folder, 0, _UNCHANGED)
    with Library.open("w", base=base) as library:
        library.add_paths([str(folder)])
        library.sync(stages=[])
        _call_all_done(library)
        library.sync()
        figures = []
        for clock, kind in ((time.process_time, "processor time"), (time.perf_counter, "by the clock")):
            ours, plain = [], []
            for _ in range(_LOOKS):
                plain.append(_seconds(clock, lambda: _walk(folder)))
                ours.append(_seconds(clock, library.sync))
            name = f"looking at {_UNCHANGED:,} unchanged files, {kind}, the best of {_LOOKS}"
            other = "a walk with os.scandir and stat"
            figures.append(Figure(name, min(ours), min(plain), "s", other, more_is_better=False))
    return figures


def _call_all_done(library: Library) -> None:
    """Let the ledger say that all files are indexed: what a look costs does not depend on what is in the index."""
    catalogue = library._catalogue
    with catalogue.transaction():
        for record in catalogue.files.all():
            done = dict.fromkeys(Stage, StageState.DONE)
            catalogue.files.update(record.document, state=FileState.INDEXED, stages=done)


def _write_pdf(path: Path, changed: int | None = None) -> None:
    with pymupdf.open() as document:
        for number in range(_PAGES):
            said = "This paragraph was written anew." if number == changed else f"Parcel {number * 13} belongs to them."
            document.new_page().insert_text((72, 100), f"Page {number} of the register. {said}", fontsize=12)
        document.save(path)


def _large_pdf(folder: Path, base: Path) -> list[Figure]:
    path = folder / "register.pdf"
    _write_pdf(path)
    with Library.open("w", base=base) as library:
        library.add_paths([str(folder)])
        library.sync(stages=_QUICK)
        counted = _count_embedded()
        all_of_it = next(row.elements for row in library.status().files)
        path.rename(folder / "moved.pdf")
        library.sync(stages=_QUICK)
        renamed = sum(counted)
        _write_pdf(folder / "moved.pdf", changed=200)
        library.sync(stages=_QUICK)
        edited = sum(counted) - renamed
    other = "all passages of it"
    return [
        Figure(f"embedded after renaming a PDF of {_PAGES} pages", renamed, all_of_it, "passages", other, False),
        Figure("embedded after changing one paragraph of it", edited, all_of_it, "passages", other, False),
    ]


def _count_embedded() -> list[int]:
    """Return a list that grows by the number of texts whenever the text model is asked for vectors."""
    counted: list[int] = []
    embed = SentenceTransformerEmbedder.embed

    def noted(self: SentenceTransformerEmbedder, texts: Sequence[str]) -> Vectors:
        counted.append(len(texts))
        return embed(self, texts)

    SentenceTransformerEmbedder.embed = noted
    return counted


def _saved_file(folder: Path, base: Path) -> list[Figure]:
    write_notes(folder, 0, 50)
    client = EngineClient("w", base, lambda _: None)
    client.start()
    try:
        client.call("add_paths", [str(folder)]).future.result(120)
        client.call("sync").future.result(300)
        time.sleep(10)  # idle
        by_word, by_meaning = [], []
        for number in range(_ROUNDS):
            path = folder / f"saved-{number}.txt"
            word = f"quokka{number}"
            started = time.perf_counter()
            path.write_text(f"The {word} lives on an island and eats leaves.\n", encoding="utf-8")
            ask = partial(client.call, "search", word, k=3)
            by_word.append(_until(partial(ask, route=Route.KEYWORD), word, started))
            by_meaning.append(_until(partial(ask, route=Route.TEXT), word, started))
            time.sleep(3)
    finally:
        client.close()
    return [
        Figure("until a saved file is found by a word", median(by_word), 2.0, "s", "the aim", False),
        Figure("until it is found by its meaning", median(by_meaning), 5.0, "s", "the aim", False),
    ]


def _memory(folder: Path, base: Path) -> list[Figure]:
    """Measure in a process of its own: what the other parts left in this one would count, too."""
    command = [sys.executable, "-m", "benchmarks.growth", str(folder), str(base)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    first, *later = json.loads(output.splitlines()[-1])
    note = f"after each {FEW:,} files: {', '.join(f'{one:,.0f}' for one in (first, *later))}"
    name = f"most memory from {FEW:,} to {MANY:,} files"
    return [Figure(name, max(later), first, "MB", f"memory after the first {FEW:,}", False, note)]


def _until(search: Callable[[], Call], word: str, started: float) -> float:
    while time.perf_counter() - started < 60:
        hits = search().future.result(30)
        if any(word in hit.element.text for hit in hits):
            return time.perf_counter() - started
        time.sleep(0.02)
    raise RuntimeError("the saved file was not found within a minute")


def _seconds(clock: Callable[[], float], do: Callable[[], object]) -> float:
    """Both only look at what the system has in memory, so that the best of some is what they cost."""
    started = clock()
    do()
    return clock() - started
