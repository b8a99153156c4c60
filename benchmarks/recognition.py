"""Text recognition beside tesseract's: time and wrong characters on the same page pictures, two threads each."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.documents import ROOT, Documents
from benchmarks.figures import Figure

_TRUTH = ROOT / "benchmarks" / "truth" / "scans.json"
_SAMPLES = ROOT / "assets" / "samples"
_DRAWN = "annual-report-2024.pdf"
_THREADS = 2
_ROUNDS = 3
_ALIKE = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-"})


@dataclass(frozen=True, slots=True)
class PageTruth:
    """The picture of a page, blue-green-red, its pixels per point, and the lines that stand on it."""

    picture: Any
    scale: float
    width: float
    height: float
    lines: tuple[str, ...]


def _pages(documents: Documents) -> Iterator[PageTruth]:
    """Yield scans that people transcribed, and pages drawn from a text layer, which then is the truth."""
    import pymupdf

    from desktop_rag.ingest.ocr_stage import page_picture

    for row in json.loads(_TRUTH.read_text(encoding="utf-8"))["pages"]:
        path = next((p for p in (documents.folder / row["file"], _SAMPLES / row["file"]) if p.is_file()), None)
        if path is not None:
            with pymupdf.open(path) as document:
                page = document[row["page"] - 1]
                yield PageTruth(*page_picture(page), page.rect.width, page.rect.height, tuple(row["lines"]))
    with pymupdf.open(_SAMPLES / _DRAWN) as document:
        for page in document.pages(1):
            text = [line.strip() for line in page.get_text().splitlines() if line.strip()]
            yield PageTruth(*page_picture(page), page.rect.width, page.rect.height, tuple(text))


def _by_us(recogniser: Any, page: PageTruth) -> str:
    from desktop_rag.ingest.ocr_layout import lay_out, place

    lines = [place(line, page.scale) for line in recogniser.recognise(page.picture)]
    return "\n".join(paragraph.text for paragraph in lay_out(lines, page.width, page.height))


def _by_tesseract(picture: Path) -> str:
    command = ["tesseract", str(picture), "stdout", "-l", "eng", "--dpi", "200"]
    environment = {**os.environ, "OMP_THREAD_LIMIT": str(_THREADS)}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def wrong_characters(lines: Sequence[str], read: str) -> int:
    """Return the characters of ``lines`` that were read wrongly or not at all, wherever a line stands in ``read``.

    For each line, the edit distance to the part of ``read`` that is most like it (Sellers 1980); kinds of blanks,
    quotation marks and dashes are one.
    """
    text = _plain(read)
    return sum(_distance(_plain(line), text) for line in lines)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.translate(_ALIKE)).strip()


def _distance(line: str, text: str) -> int:
    if line in text:
        return 0
    row = [0] * (len(text) + 1)
    for number, char in enumerate(line, start=1):
        before, row[0] = row[0], number
        for at, other in enumerate(text, start=1):
            here = row[at]
            row[at] = min(before + (char != other), here + 1, row[at - 1] + 1)
            before = here
    return min(row)


def measure_recognition(documents: Documents, folder: Path) -> list[Figure]:
    """Read the same pictures in turns; pictures for tesseract are written to ``folder`` before the clock runs."""
    from PIL import Image

    from desktop_rag.ingest.ocr_rapid import RapidRecogniser

    if shutil.which("tesseract") is None:
        print("tesseract is not installed: the comparison with it is left out.")
        return []
    recogniser = RapidRecogniser(_THREADS, engine="")
    pages = list(_pages(documents))
    ours: list[float] = []
    theirs: list[float] = []
    wrong = [0, 0]
    _by_us(recogniser, pages[0])  # loads the models
    for number, page in enumerate(pages):
        path = folder / f"page-{number}.ppm"
        Image.fromarray(page.picture[:, :, ::-1]).save(path)
        rounds: list[tuple[float, float]] = []
        for _ in range(_ROUNDS):
            start = time.perf_counter()
            own = _by_us(recogniser, page)
            middle = time.perf_counter()
            other = _by_tesseract(path)
            rounds.append((middle - start, time.perf_counter() - middle))
        ours.append(median(own_time for own_time, _ in rounds))
        theirs.append(median(other_time for _, other_time in rounds))
        wrong[0] += wrong_characters(page.lines, own)
        wrong[1] += wrong_characters(page.lines, other)
    total = sum(len(line) for page in pages for line in page.lines)
    name, note = f"tesseract, {_THREADS} threads", f"{len(pages)} pages at 200 dpi; ours is {recogniser.name}"
    return [
        Figure("recognising a page", sum(ours) / len(pages), sum(theirs) / len(pages), "s", name, False, note),
        Figure(f"wrong characters of {total:,}", wrong[0], wrong[1], "characters", name, False, note),
    ]
