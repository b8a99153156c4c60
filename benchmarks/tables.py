"""Tables of PDFs: the time of the stage over all pages, and how many tables that people counted are found."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.documents import ROOT, Documents
from benchmarks.figures import Figure
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import BBox

_TRUTH = ROOT / "benchmarks" / "truth" / "tables.json"
_SAME = 0.5
"""A found table is the counted one when they share this much of the area that both cover together."""
_PAGES_AT_ONCE = 40
_MOST_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Counted:
    """A table that a person counted; ``rows`` are the fewest and the most that can be right, header lines included."""

    bbox: BBox
    rows: tuple[int, int]
    columns: frozenset[int]


@dataclass(frozen=True, slots=True)
class Seen:
    """A table, or the part of it on one page, that a program found."""

    bbox: BBox
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Score:
    """How a program did: tables counted, found, found rightly, and rightly with their rows and columns."""

    counted: int
    found: int
    right: int
    whole: int
    seconds_a_page: float


Pages = dict[int, list[Counted]]
Finder = Callable[[Path, Sequence[int]], dict[int, list[Seen]]]


def read_truth(folder: Path) -> dict[Path, Pages]:
    """Return the counted tables of each page of the files in ``folder``; pages without any are in it, too."""
    truth = json.loads(_TRUTH.read_text(encoding="utf-8"))
    found: dict[Path, Pages] = {}
    for row in truth["tables"]:
        fewest, most = row["rows"]
        table = Counted(BBox(*row["bbox"]), (fewest, most + row["header_lines"]), frozenset(row["columns"]))
        found.setdefault(folder / row["file"], {}).setdefault(row["page"], []).append(table)
    for name, numbers in truth["pages_without"].items():
        for number in numbers:
            found.setdefault(folder / name, {}).setdefault(number, [])
    return {path: pages for path, pages in found.items() if path.is_file()}


def _by_us(path: Path, pages: Sequence[int]) -> dict[int, list[Seen]]:
    from desktop_rag.ingest.tables import find_tables

    found: dict[int, list[Seen]] = {}
    for table in find_tables(path, None, pages):
        for page in table.pages:
            boxes = [place.bbox for place in table.places if place.page == page]
            found.setdefault(page, []).append(Seen(BBox.around(boxes), len(boxes), len(table.rows[0])))
    return found


def _by_pdfplumber(path: Path, pages: Sequence[int]) -> dict[int, list[Seen]]:
    import pdfplumber

    found: dict[int, list[Seen]] = {}
    with pdfplumber.open(path, pages=list(pages)) as document:
        for page in document.pages:
            for table in page.find_tables():
                columns = max(len(row.cells) for row in table.rows)
                found.setdefault(page.page_number, []).append(Seen(BBox(*table.bbox), len(table.rows), columns))
    return found


def _by_pymupdf(path: Path, pages: Sequence[int]) -> dict[int, list[Seen]]:
    import pymupdf

    found: dict[int, list[Seen]] = {}
    with pymupdf.open(path) as document:
        for number in pages:
            page: Any = document[number - 1]
            for table in page.find_tables().tables:
                found.setdefault(number, []).append(Seen(BBox(*table.bbox), table.row_count, table.col_count))
    return found


def _share(first: BBox, second: BBox) -> float:
    width = min(first.x1, second.x1) - max(first.x0, second.x0)
    height = min(first.y1, second.y1) - max(first.y0, second.y0)
    both = max(0.0, width) * max(0.0, height)
    return both / (_area(first) + _area(second) - both) if both else 0.0


def _area(box: BBox) -> float:
    return (box.x1 - box.x0) * (box.y1 - box.y0)


def _pairs(counted: Sequence[Counted], seen: Sequence[Seen]) -> Iterable[tuple[Counted, Seen]]:
    """Pair each counted table with the found one that covers it best, each at most once."""
    left = list(seen)
    for table in counted:
        best = max(left, key=lambda one: _share(one.bbox, table.bbox), default=None)
        if best is not None and _share(best.bbox, table.bbox) >= _SAME:
            left.remove(best)
            yield table, best


def score(finder: Finder, truth: dict[Path, Pages]) -> Score:
    """Let ``finder`` look at the pages of ``truth`` and count what it did."""
    counted = found = right = whole = pages = 0
    seconds = 0.0
    for path, expected in truth.items():
        start = time.perf_counter()
        seen = finder(path, sorted(expected))
        seconds += time.perf_counter() - start
        for number, tables in expected.items():
            pairs = list(_pairs(tables, seen.get(number, [])))
            pages, counted, found = pages + 1, counted + len(tables), found + len(seen.get(number, []))
            right += len(pairs)
            whole += sum(a.rows[0] <= b.rows <= a.rows[1] and b.columns in a.columns for a, b in pairs)
    return Score(counted, found, right, whole, seconds / max(pages, 1))


def _stage_seconds(documents: Documents, settings: Settings) -> float:
    """Run the table stage over all pages, in the pieces in which it is done, and return its seconds a page."""
    import pymupdf

    from desktop_rag.ingest.later import Part
    from desktop_rag.ingest.table_stage import find

    pages, start = 0, time.perf_counter()
    for path in documents.pdfs:
        with pymupdf.open(path) as document:
            count = document.page_count
        for first in range(1, count + 1, _PAGES_AT_ONCE):
            part = Part(path.stem, first, min(first + _PAGES_AT_ONCE - 1, count))
            find(path.stem, path, None, settings.chunk_tokens, lambda _: None, part)
        pages += count
    return (time.perf_counter() - start) / max(pages, 1)


def measure_tables(documents: Documents, settings: Settings) -> list[Figure]:
    """Time the stage on all PDFs; on the pages that people counted, compare what three programs find."""
    limit = "the most that it may take"
    figures = [
        Figure(
            "table stage on all PDF pages", _stage_seconds(documents, settings), _MOST_SECONDS, "s/page", limit,
            more_is_better=False,
        )
    ]  # fmt: skip
    truth = read_truth(documents.folder)
    if not truth:
        print("Tables were not counted for these documents: what is found is left out.")
        return figures
    ours = score(_by_us, truth)
    pages = sum(map(len, truth.values()))
    note = f"{ours.counted} tables on {pages} pages, counted by hand"
    for name, finder in (("pdfplumber's defaults", _by_pdfplumber), ("PyMuPDF's find_tables", _by_pymupdf)):
        figures.extend(_compared(ours, score(finder, truth), name, note))
    return figures


def _compared(ours: Score, other: Score, name: str, note: str) -> list[Figure]:
    return [
        Figure("tables found (recall)", ours.right / ours.counted, other.right / other.counted, "share", name,
               note=note),
        Figure("found tables that are tables (precision)", ours.right / max(ours.found, 1),
               other.right / max(other.found, 1), "share", name, note=note),
        Figure("tables found with their rows and columns", ours.whole / ours.counted, other.whole / other.counted,
               "share", name, note=note),
        Figure("finding tables on those pages", ours.seconds_a_page, other.seconds_a_page, "s/page", name,
               more_is_better=False, note=note),
    ]  # fmt: skip
