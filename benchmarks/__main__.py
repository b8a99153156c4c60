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

PARTS = (
    "reading", "converters", "tables", "recognition", "memory", "embedding", "answering", "model-host", "background",
    "page-stage", "start-up", "stalls", "in-step", "file-view",
)  # fmt: skip
_TITLES = {
    "reading": "Reading",
    "converters": "Reading beside other converters",
    "tables": "Tables of PDFs",
    "recognition": "Text recognition",
    "memory": "Memory of a parse worker",
    "background": "Answering while later stages run",
    "page-stage": "Searching while pages are looked at",
    "embedding": "Embedding",
    "answering": "Answering",
    "model-host": "The chat model",
    "start-up": "Opening the window",
    "in-step": "In step with the disk",
    "file-view": "The list of files",
    "stalls": "The window while a folder is indexed",
}


def _measure(part: str, documents: Documents, base: Path) -> list[Figure]:
    settings = Settings()
    if part == "reading":
        from benchmarks.reading import measure_reading

        return measure_reading(documents, settings)
    if part == "converters":
        from benchmarks.converters import measure_files, measure_pages

        return [*measure_pages(documents, settings, _folder(base, part)), *measure_files(documents, settings)]
    if part == "tables":
        from benchmarks.tables import measure_tables

        return measure_tables(documents, settings)
    if part == "recognition":
        from benchmarks.recognition import measure_recognition

        return measure_recognition(documents, _folder(base, part))
    if part == "memory":
        from benchmarks.memory import measure_memory

        return measure_memory(documents, settings)
    if part == "embedding":
        from benchmarks.embedding import measure_embedding

        return measure_embedding(documents, settings)
    if part == "answering":
        from benchmarks.answering import index, measure_answering

        seconds = index(documents, base)
        print(f"Indexed {documents.name} in {seconds:.0f} s.")
        return measure_answering(documents, base)
    if part == "model-host":
        from benchmarks.model_host import measure_model_host

        return measure_model_host(_folder(base, part))
    if part == "background":
        from benchmarks.background import measure_background

        return measure_background(documents, _folder(base, part))
    return _measure_program(part, documents, base)


def _measure_program(part: str, documents: Documents, base: Path) -> list[Figure]:
    """Measure the parts that are about the program at work rather than about what it makes of documents."""
    if part == "page-stage":
        from benchmarks.page_stage import measure_page_stage

        return measure_page_stage(documents, _folder(base, part))
    if part == "in-step":
        from benchmarks.in_step import measure_in_step

        return measure_in_step(_folder(base, part))
    if part == "file-view":
        from benchmarks.file_view import measure_file_view

        return measure_file_view(_folder(base, part))
    from benchmarks.window import measure_stalls, measure_start_up

    measure: Callable[[], list[Figure]] = (
        (lambda: measure_start_up(base)) if part == "start-up" else (lambda: measure_stalls(documents))
    )
    return measure()


def _folder(base: Path, part: str) -> Path:
    """Return a new folder for what a part writes."""
    folder = base / part
    folder.mkdir()
    return folder


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
