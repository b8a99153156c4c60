"""Pages a second: from a PDF file to chunks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from pathlib import Path
from statistics import median

from benchmarks import tutorial
from benchmarks.documents import Documents
from benchmarks.figures import Figure
from desktop_rag.core.errors import ReadError
from desktop_rag.core.settings import Settings
from desktop_rag.ingest.chunks import chunk
from desktop_rag.ingest.readers import find_reader
from desktop_rag.ingest.workers import Parsed, ParsePool

_ROUNDS = 3


def _by_us(paths: Sequence[Path], max_tokens: int) -> int:
    pages = 0
    for path in paths:
        try:
            document = find_reader(path).read(path, None)
        except ReadError:
            continue
        chunk(path.stem, document, max_tokens)
        pages += len(document.pages)
    return pages


def _by_our_workers(pool: ParsePool, paths: Sequence[Path]) -> int:
    futures = [pool.submit(path.stem, path) for path in paths]
    wait(futures)
    results = [future.result() for future in futures]
    return sum(len(result.pages) for result in results if isinstance(result, Parsed))


def _by_tutorial(paths: Sequence[Path]) -> int:
    pages = 0
    for path in paths:
        texts = tutorial.read_pages(path)
        list(tutorial.cut(texts))
        pages += len(texts)
    return pages


def _rate(work: Callable[[], int]) -> float:
    start = time.perf_counter()
    return work() / (time.perf_counter() - start)


def measure_reading(documents: Documents, settings: Settings) -> list[Figure]:
    """Read all PDFs in turns: by our reader, by our worker processes, and by the tutorial's."""
    paths = documents.pdfs
    megabytes = settings.parse_megabytes
    pool = ParsePool(settings.parse_processes, settings.parse_seconds, megabytes, settings.chunk_tokens)
    ours, workers, theirs = [], [], []
    try:
        _by_our_workers(pool, paths[:2])  # the processes start and import
        _by_us(paths[:1], settings.chunk_tokens)
        for _ in range(_ROUNDS):
            theirs.append(_rate(lambda: _by_tutorial(paths)))
            ours.append(_rate(lambda: _by_us(paths, settings.chunk_tokens)))
            workers.append(_rate(lambda: _by_our_workers(pool, paths)))
    finally:
        pool.close()
    plain = "get_text() and 1,000-character chunks, one process"
    note = "ours also finds columns, headings and the place of each line"
    count = settings.parse_processes
    return [
        Figure("reading PDFs in one process", median(ours), median(theirs), "pages/s", plain, note=note),
        Figure(f"reading PDFs in {count} worker(s)", median(workers), median(theirs), "pages/s", plain, note=note),
    ]
