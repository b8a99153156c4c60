"""The most memory that a parse worker takes: the two longest PDFs, each stage in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.documents import Documents
from benchmarks.figures import Figure
from desktop_rag.core.settings import Settings

_LIMIT_MB = 1000.0
_PAGES_AT_ONCE = 40
_LONGEST = 2


def _longest(folder: Path) -> list[tuple[int, Path]]:
    from desktop_rag.ingest.readers.pdf import PdfReader

    reader = PdfReader()
    paths = [path for path in folder.rglob("*.pdf") if path.is_file()]
    return sorted(((reader.count_pages(path, None), path) for path in paths), reverse=True)[:_LONGEST]


def measure_memory(documents: Documents, settings: Settings) -> list[Figure]:
    """Read the longest files, and find their tables, each in a process of its own, and ask what it took at most."""
    figures = []
    for pages, path in _longest(documents.folder.parent):
        for stage in ("text", "tables"):
            command = [sys.executable, "-m", "benchmarks.memory", stage, str(path), str(pages)]
            output = subprocess.run([*command, str(settings.chunk_tokens)], check=True, capture_output=True, text=True)
            megabytes = json.loads(output.stdout)["megabytes"]
            name = f"peak memory, {stage} of {pages} pages"
            figures.append(Figure(name, megabytes, _LIMIT_MB, "MB", "the most that it may take", more_is_better=False))
    return figures


def _peak_megabytes() -> float:
    """Return the most resident memory that this process had.

    Linux says it in its own words, as getrusage there begins with what the process that started this one had.
    getrusage counts kilobytes, on macOS bytes.
    """
    import resource

    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1e3
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def _main(stage: str, path: Path, pages: int, tokens: int) -> None:
    if stage == "text":
        from desktop_rag.ingest.parse import parse

        parse("document", path, None, tokens, lambda _: None)
    else:
        from desktop_rag.ingest.later import Part
        from desktop_rag.ingest.table_stage import find

        for first in range(1, pages + 1, _PAGES_AT_ONCE):
            part = Part(path.stem, first, min(first + _PAGES_AT_ONCE - 1, pages))
            find("document", path, None, tokens, lambda _: None, part)
    print(json.dumps({"megabytes": _peak_megabytes()}))


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
