"""A table of each kind of file, from the disk to the CSV that another program opens: every cell, merged ones filled."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import docx
import pymupdf
import pytest
from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Inches

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import ElementKind, Route
from desktop_rag.library import Library

pytestmark = pytest.mark.slow

ROWS = [
    ["Kiln", "Fuel", "Peak °C"],
    ["Ostrow", "beech, dry", "1,180"],
    ["Ostrow", 'gas "town"', "1,260"],
    ["Vela", "oil", ""],
]
"""The first column of the second and third row is one merged cell where the format knows those."""

LONG = [["No", "Reading"], *([f"R{n}", f"{n * 7 % 101} units of the long list"] for n in range(1, 400))]


def write_all(folder: Path) -> None:
    folder.mkdir()
    _word(folder / "kilns.docx")
    _workbook(folder / "kilns.xlsx")
    _slide(folder / "kilns.pptx")
    with (folder / "kilns.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(ROWS)
    with (folder / "long.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(LONG)
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS[3:])
    (folder / "kilns.html").write_text(
        "<html><body><h1>Kilns</h1><table><tr><th>Kiln</th><th>Fuel</th><th>Peak °C</th></tr>"
        "<tr><td rowspan=2>Ostrow</td><td>beech, dry</td><td>1,180</td></tr>"
        f'<tr><td>gas "town"</td><td>1,260</td></tr>{cells}</table></body></html>',
        encoding="utf-8",
    )
    lines = ["| " + " | ".join(row) + " |" for row in ROWS]
    (folder / "kilns.md").write_text(
        "\n".join(["# Kilns", "", lines[0], "|---|---|---|", *lines[1:]]), encoding="utf-8"
    )
    _pdf(folder / "kilns.pdf")


def _word(path: Path) -> None:
    document = docx.Document()
    table = document.add_table(rows=len(ROWS), cols=3)
    for at, row in enumerate(ROWS):
        for column, text in enumerate(row):
            table.cell(at, column).text = "" if (at, column) == (2, 0) else text
    table.cell(1, 0).merge(table.cell(2, 0))
    document.save(str(path))


def _workbook(path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in ROWS:
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    book.save(path)


def _slide(path: Path) -> None:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    table = slide.shapes.add_table(len(ROWS), 3, Inches(1), Inches(1), Inches(7), Inches(2)).table
    for at, row in enumerate(ROWS):
        for column, text in enumerate(row):
            table.cell(at, column).text = "" if (at, column) == (2, 0) else text
    table.cell(1, 0).merge(table.cell(2, 0))
    show.save(str(path))


def _pdf(path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        edges, top, height = [72, 200, 330, 460], 120, 22
        for at, row in enumerate(ROWS):
            for column, text in enumerate(row):
                if (at, column) != (2, 0):
                    page.insert_text((edges[column] + 5, top + at * height + 15), text, fontsize=11)
        for at in range(len(ROWS) + 1):
            left = edges[1] if at == 2 else edges[0]  # no line between the two parts of the merged cell
            page.draw_line((left, top + at * height), (edges[-1], top + at * height))
        for edge in edges:
            page.draw_line((edge, top), (edge, top + len(ROWS) * height))
        document.save(path)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    base = tmp_path_factory.mktemp("tables")
    write_all(base / "documents")
    with Library.open("w", base=base / "home") as opened:
        opened.add_paths([str(base / "documents")])
        opened.sync(stages=[Stage.TEXT, Stage.TABLES])
        yield opened


def copied(library: Library, name: str, words: str) -> list[list[str]]:
    """Return the cells of the table of ``name`` that ``words`` find, as a program reads them from the clipboard."""
    hits = library.search(words, route=Route.KEYWORD, k=30, where="kind = 'table'")
    element = next(hit.element for hit in hits if Path(hit.file).name == name)
    assert element.kind is ElementKind.TABLE
    return list(csv.reader(io.StringIO(library.table_of(element.id).as_csv(), newline="")))


@pytest.mark.parametrize("kind", ["docx", "xlsx", "pptx", "csv", "html", "md", "pdf"])
def test_every_cell_of_the_table_comes_out(library: Library, kind: str) -> None:
    assert copied(library, f"kilns.{kind}", "Ostrow beech") == ROWS


def test_a_row_in_the_middle_of_a_long_table_gives_all_of_it(library: Library) -> None:
    assert copied(library, "long.csv", "R222") == LONG


def test_text_has_no_table_and_says_so(library: Library) -> None:
    with pytest.raises(UserFacingError, match="not in the workspace any more"):
        library.table_of("nothing")
