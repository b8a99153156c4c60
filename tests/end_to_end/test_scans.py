"""Scans and pictures through a real library: first their names, then their words, each lit where it stands."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pymupdf
import pytest

from desktop_rag.core.events import LibraryEvent, SyncProgress
from desktop_rag.core.ledger import FileRow, FileState, Stage, StageState
from desktop_rag.core.types import ElementKind, Route
from desktop_rag.library import Library
from tests.fixtures.scans import drawn, paragraph, scanned_pdf

pytestmark = pytest.mark.slow

LEASE = ["The lease of the quarry ends on", "the ninth of June 1962. Its rent", "is paid in two parts each year."]
FERRY = ["The ferry carries at most eleven", "cattle and was tarred by the", "brothers Lindqvist in autumn."]
Read = tuple[Library, list[LibraryEvent], FileRow]
TEXT_STAGES = [Stage.TEXT, Stage.VECTORS]


def documents(path: Path) -> Path:
    path.mkdir()
    scanned_pdf(path / "lease.pdf", [drawn(paragraph(60, 40, LEASE))])
    drawn(paragraph(60, 40, FERRY), angle=4).save(path / "ferry.jpg", dpi=(150, 150))
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 100), "The mill has four pairs of stones.", fontsize=12)
        document.save(path / "mill.pdf")
    return path


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Read]:
    """A library that was synced without text recognition first; its events with it, and a row from in between."""
    base = tmp_path_factory.mktemp("scans")
    events: list[LibraryEvent] = []
    with Library.open("w", base=base / "home") as opened:
        opened.add_paths([str(documents(base / "documents"))])
        opened.sync(stages=TEXT_STAGES)
        before = row(opened, "lease.pdf")
        opened.sync(emit=events.append)
        yield opened, events, before


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return documents(tmp_path / "documents")


@pytest.fixture
def library(tmp_path: Path, folder: Path) -> Iterator[Library]:
    with Library.open("w", base=tmp_path / "home") as opened:
        opened.add_paths([str(folder)])
        yield opened


def row(library: Library, name: str) -> FileRow:
    return next(row for row in library.status().files if row.file.endswith(name))


def test_a_scan_waits_and_then_its_words_are_found_where_they_stand(read: Read) -> None:
    library, events, before = read
    assert (before.state, before.stages[Stage.OCR]) == (FileState.PARTLY, StageState.PENDING)
    assert "only after text recognition" in before.reason

    for name in ("lease.pdf", "ferry.jpg"):
        after = row(library, name)
        assert (after.state, after.reason) == (FileState.INDEXED, "")
        assert (after.stages[Stage.OCR], after.stages[Stage.VECTORS]) == (StageState.DONE, StageState.DONE)
    assert row(library, "mill.pdf").stages[Stage.OCR] is StageState.OFF
    progress = [event.progress for event in events if isinstance(event, SyncProgress)]
    assert ("Recognising text", "pages", 2, 2) in [(one.stage, one.unit, one.done, one.total) for one in progress]


@pytest.mark.parametrize("route", [Route.TEXT, Route.KEYWORD, Route.HYBRID])
def test_every_route_finds_a_scan(read: Read, route: Route) -> None:
    hit = read[0].search("When does the lease of the quarry end?", route=route, k=1)[0]
    assert (Path(hit.file).name, hit.element.kind, hit.element.page) == ("lease.pdf", ElementKind.SCAN, 1)


def test_an_answer_lights_the_line_of_the_scan(read: Read) -> None:
    library = read[0]

    evidence = library.ask("When does the lease of the quarry end?", use_model=False).evidence[0]

    assert "June 1962" in evidence.quote
    assert evidence.kind is ElementKind.SCAN
    assert all(55 < box.x0 < 300 and 35 < box.y0 < box.y1 < 78 for box in evidence.boxes)
    shown = library.page_picture(evidence.document, evidence.page, 1.0)
    assert (round(shown.page.width), round(shown.page.height)) == (420, 260)


def test_a_picture_file_is_shown_with_its_words_lit(read: Read) -> None:
    library = read[0]

    evidence = library.ask("Who tarred the ferry?", use_model=False).evidence[0]

    assert Path(evidence.file).name == "ferry.jpg"
    assert len(evidence.boxes) > 3  # the picture is askew: a box for each few words
    shown = library.page_picture(evidence.document, 1, 1.0)
    assert max(box.x1 for box in evidence.boxes) < shown.page.width


def test_an_edit_replaces_the_words_of_a_scan(library: Library, folder: Path) -> None:
    library.sync()
    scanned_pdf(
        folder / "lease.pdf", [drawn(paragraph(60, 40, ["The orchard was sold to the", "parish of Saint Olave."]))]
    )

    library.sync()

    assert "orchard" in library.search("orchard parish", route=Route.KEYWORD, k=1)[0].element.text
    assert not any("quarry" in hit.element.text for hit in library.search("quarry lease", route=Route.KEYWORD))


def test_a_killed_worker_costs_the_file_and_not_the_sync(library: Library) -> None:
    early = [*TEXT_STAGES, Stage.TABLES, Stage.FIGURES]
    library.sync(stages=early)  # so that the worker which is killed is one of recognition
    library.step_back()
    killer = threading.Thread(target=_kill_the_first_worker, daemon=True)
    killer.start()

    library.sync()

    killer.join()
    rows = [row(library, "lease.pdf"), row(library, "ferry.jpg")]
    assert sorted(one.stages[Stage.OCR] for one in rows) == [StageState.DONE, StageState.FAILED]
    failed = next(one for one in rows if one.stages[Stage.OCR] is StageState.FAILED)
    assert failed.state is FileState.PARTLY
    assert Path(failed.file).name in failed.reason
    assert "could not be recognised" in failed.reason


def _kill_the_first_worker() -> None:
    """Kill the first child process that steps back behind other work, as the OCR worker does."""
    deadline = time.monotonic() + 250
    while time.monotonic() < deadline:
        for child in psutil.Process().children(recursive=True):
            try:
                if child.nice() > 10 and child.cpu_times().user > 0.8:
                    os.kill(child.pid, signal.SIGKILL)
                    return
            except psutil.Error:
                continue
        time.sleep(0.02)
