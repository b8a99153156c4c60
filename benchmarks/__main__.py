"""``python -m benchmarks [PART …]``: measures all parts, or those named, prints tables and keeps the figures."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.documents import Documents, find_documents
from benchmarks.figures import Figure, save, show
from desktop_rag.core.settings import Settings
from desktop_rag.engine.environment import prepare_environment

PARTS = ("reading", "embedding", "answering", "start-up", "stalls")
_TITLES = {
    "reading": "Reading",
    "embedding": "Embedding",
    "answering": "Answering",
    "start-up": "Opening the window",
    "stalls": "The window while a folder is indexed",
}


def _measure(part: str, documents: Documents, base: Path) -> list[Figure]:
    settings = Settings()
    if part == "reading":
        from benchmarks.reading import measure_reading

        return measure_reading(documents, settings)
    if part == "embedding":
        from benchmarks.embedding import measure_embedding

        return measure_embedding(documents, settings)
    if part == "answering":
        from benchmarks.answering import index, measure_answering

        seconds = index(documents, base)
        print(f"Indexed {documents.name} in {seconds:.0f} s.")
        return measure_answering(documents, base)
    from benchmarks.window import measure_stalls, measure_start_up

    measure: Callable[[], list[Figure]] = (
        (lambda: measure_start_up(base)) if part == "start-up" else (lambda: measure_stalls(documents))
    )
    return measure()


def main() -> int:
    """Run the benchmarks that the command line names; the exit code is 0 when all could be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one or more of: {', '.join(PARTS)}")
    parts = parser.parse_args().parts or list(PARTS)
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}")
    prepare_environment(Settings().model_threads)
    documents = find_documents()
    print(f"Measuring on {documents.name}: {len(documents.pdfs)} PDF files.")
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="desktop-rag-bench-") as folder:
        for part in parts:
            measured = _measure(part, documents, Path(folder))
            show(_TITLES[part], measured)
            figures.extend(measured)
    print(f"Kept in {save(figures, documents.name)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
