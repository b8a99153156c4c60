"""A table of a PDF, from the page to an answer: its rows are found and quoted with what their numbers mean."""

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.types import ElementKind, Route
from desktop_rag.library import Library

pytestmark = pytest.mark.slow

_ROWS = (
    ("Station", "Depth (m)", "Oxygen (mg/L)"),
    ("Birch Lake", "12.4", "8.1"),
    ("Mill Pond", "3.2", "6.7"),
    ("Heron Mere", "21.9", "9.4"),
    ("Quarry Pool", "34.0", "5.5"),
)


def write_report(path: Path) -> None:
    """A page of prose and a table with hairlines between its rows."""
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 80), "The lakes were sampled on two mornings in June by volunteers.", fontsize=11)
        page.insert_text((72, 120), "Table 2. Depth and oxygen of the lakes", fontsize=10)
        for index, row in enumerate(_ROWS):
            y = 145 + 18 * index
            page.draw_line((72, y + 5), (420, y + 5), width=0.5)
            for x, cell in zip((72, 220, 330), row, strict=True):
                page.insert_text((x, y), cell, fontsize=10)
        document.save(path)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    folder = tmp_path / "documents"
    folder.mkdir()
    write_report(folder / "lakes.pdf")
    with Library.open("w", base=tmp_path / "home") as opened:
        opened.add_paths([str(folder)])
        yield opened


def test_a_row_is_found_and_quoted_with_its_headers(library: Library) -> None:
    library.sync()

    (row,) = library.status().files
    assert (row.state, row.stages[Stage.TABLES]) == (FileState.INDEXED, StageState.DONE)
    hits = library.search("oxygen at Heron Mere", route=Route.HYBRID)
    table = next(hit.element for hit in hits if hit.element.kind is ElementKind.TABLE)
    assert "| Heron Mere | 21.9 | 9.4 |" in table.markdown
    assert "Table 2. Depth and oxygen of the lakes" in table.text

    answer = library.ask("How much oxygen was measured at Heron Mere?", use_model=False)
    best = answer.evidence[0]
    assert "Heron Mere" in best.quote
    assert "Oxygen (mg/L): 9.4" in best.quote
    assert not any(item.quote == "Heron Mere 21.9 9.4" for item in answer.evidence), "the bare row says less"


def test_the_place_of_a_row_is_that_row_on_the_page(library: Library) -> None:
    library.sync()

    best = library.ask("How much oxygen was measured at Heron Mere?", use_model=False).evidence[0]

    row_y = 145 + 18 * 3
    assert best.bbox.y0 < row_y < best.bbox.y1
    assert best.bbox.y1 - best.bbox.y0 < 30
    assert best.bbox.x0 == pytest.approx(72, abs=4)


def test_text_is_found_before_tables_are_looked_for(library: Library) -> None:
    library.sync(stages=[Stage.TEXT, Stage.VECTORS])

    (row,) = library.status().files
    assert row.stages[Stage.TABLES] is StageState.PENDING
    assert row.state is FileState.INDEXED
    assert library.search("volunteers sampled the lakes")[0].element.page == 1
