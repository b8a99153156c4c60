"""Rows and columns in equal rows and columns out: counted with other means than the readers', then compared.

Where cells are merged, each file format is taken at its word on what a row is. A merged cell is one row and one column
for each that it covers: downwards its text stands in each of them (as a row must make sense by itself), to the right
only in a header. Rows without any content are no rows. Several header rows come out as one, their names joined. In web
pages, single cells over the whole width at the top are captions and come out as text; tables of navigation are left
out, like all navigation.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest
from bs4 import BeautifulSoup

from desktop_rag.core.types import Element, ElementKind
from desktop_rag.ingest.grids import Grid, parse_markdown
from desktop_rag.ingest.parse import Parsed, parse
from tests.fixtures.make import source_of

Size = tuple[int, int]
"""Rows, the header among them, and columns."""

ENCODINGS = ("utf-8-sig", "cp932", "cp1252")
MARKDOWN_ROW = re.compile(r"[> ]*\|(.*)\|\s*")
RULE = re.compile(r"[\s:|-]*-[\s:|-]*")


def csv_sizes(path: Path) -> list[Size]:
    raw = path.read_bytes()
    text = next(text for text in (decoded(raw, name) for name in ENCODINGS) if text is not None)
    separator = max(",;\t", key=text.splitlines()[0].count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(row)]
    return [(len(rows), max(map(len, rows)))]


def decoded(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


def docx_sizes(path: Path) -> list[Size]:
    return [(len(table.rows), len(table.columns)) for table in docx.Document(str(path)).tables]


def markdown_sizes(path: Path) -> list[Size]:
    sizes: list[Size] = []
    lines = path.read_text("utf-8").splitlines()
    for above, rule, at in zip(lines, lines[1:], range(1, len(lines)), strict=False):
        match = MARKDOWN_ROW.fullmatch(rule)
        if MARKDOWN_ROW.fullmatch(above) and match and RULE.fullmatch(match.group(1)):
            rows = 1
            while at + rows < len(lines) and MARKDOWN_ROW.fullmatch(lines[at + rows]):
                rows += 1
            sizes.append((rows, match.group(1).count("|") + 1))
    return sizes


def html_sizes(path: Path) -> list[Size]:
    sizes = []
    for table in BeautifulSoup(path.read_bytes(), "html.parser").find_all("table"):
        rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
        cells = [row.find_all(["td", "th"], recursive=False) for row in rows]
        while cells and len(cells[0]) == 1:
            cells.pop(0)
        if len(cells) < 2 or table.find_parent(["nav"]) or table.find_parent(attrs={"role": "navigation"}):
            continue
        names = next((n for n, row in enumerate(cells) if any(cell.name == "td" for cell in row)), len(cells))
        width = max(sum(int(cell.get("colspan", 1)) for cell in row) for row in cells)
        sizes.append((len(cells) - max(names - 1, 0), width))
    return sizes


COUNTERS: dict[str, Callable[[Path], list[Size]]] = {
    ".csv": csv_sizes,
    ".tsv": csv_sizes,
    ".docx": docx_sizes,
    ".md": markdown_sizes,
    ".html": html_sizes,
}


def elements_of(path: Path) -> Sequence[Element]:
    parsed = parse("d", path, None, 200, lambda _: None)
    assert isinstance(parsed, Parsed), parsed
    return parsed.elements


def grids_of(elements: Sequence[Element]) -> Iterator[Grid]:
    """Yield the tables of elements, in parts; one whose row began in the element before has none of its own."""
    for element in elements:
        if element.kind is ElementKind.TABLE and element.markdown:
            yield from map(parse_markdown, re.split(r"\n\n(?=\| )", element.markdown))


def put_together(parts: Sequence[Grid], sizes: Sequence[Size]) -> list[Size]:
    """Return the sizes of the tables; parts with the same header are one table as long as it lacks rows."""
    found: list[Size] = []
    header: tuple[str, ...] | None = None
    for part in parts:
        wanted = sizes[len(found) - 1][0] if 0 < len(found) <= len(sizes) else 0
        if header == part.header and found[-1][0] < wanted:
            found[-1] = (found[-1][0] + len(part.rows), found[-1][1])
        else:
            header = part.header
            found.append((len(part.rows) + any(header), len(header)))
    return found


def check(path: Path, *, least: int) -> None:
    sizes = COUNTERS[path.suffix](path)
    assert len(sizes) >= least
    assert put_together(list(grids_of(elements_of(path))), sizes) == sizes


def check_workbook(path: Path) -> None:
    """Each filled row of a sheet comes out once, in order: in a table of the columns that its rows fill, or as text."""
    elements = elements_of(path)
    for page, sheet in enumerate(openpyxl.load_workbook(path, data_only=True), start=1):
        rows = [columns for row in sheet.iter_rows() if (columns := filled(row))]
        mine = [element for element in elements if element.page == page]
        assert mine[0].text.splitlines()[0] == sheet.title
        at = -1  # the name of the sheet comes before its rows
        for grid in merged_parts(mine):
            if grid is None:
                at += 1
                continue
            size = len(grid.rows) + any(grid.header)
            assert len(set().union(*rows[at : at + size])) == len(grid.header)
            at += size
        assert at == len(rows)


def filled(row: Sequence[Any]) -> set[int]:
    return {cell.column for cell in row if cell.value is not None and str(cell.value).strip()}


def merged_parts(elements: Sequence[Element]) -> list[Grid | None]:
    """Return, in order, the tables of a sheet, and None for each line beside them."""
    found: list[Grid | None] = []
    for element in elements:
        grids = list(grids_of([element]))
        lines = element.text.splitlines() if element.kind is ElementKind.TEXT else []
        if grids:
            lines = element.text.splitlines()[: -sum(len(grid.rows) for grid in grids)]
        found += [None] * len(lines)
        for grid in grids:
            last = found[-1] if found else None
            if last is not None and any(grid.header) and last.header == grid.header:
                found[-1] = Grid(grid.header, last.rows + grid.rows)
            else:
                found.append(grid)
    return found


@pytest.mark.parametrize("name", [suffix[1:] for suffix in COUNTERS])
def test_rows_and_columns_of_each_format(name: str) -> None:
    check(source_of(name), least=1)


def test_rows_and_columns_of_a_workbook() -> None:
    check_workbook(source_of("xlsx"))


MERGED = (
    "<table><tr><th rowspan=2>Depot</th><th colspan=2>Lorries</th></tr><tr><th>in</th><th>out</th></tr>"
    "<tr><td rowspan=2>North</td><td>4</td><td>5</td></tr><tr><td>6</td><td>7</td></tr>"
    "<tr><td>South</td><td colspan=2>closed</td></tr></table>"
)


def test_merged_cells_keep_the_number_of_rows_and_columns(tmp_path: Path) -> None:
    path = tmp_path / "merged.html"
    path.write_text(f"<html><body><h1>Depots</h1>{MERGED}</body></html>")
    assert html_sizes(path) == [(4, 3)]
    check(path, least=1)
    (grid,) = grids_of(elements_of(path))
    assert grid.header == ("Depot", "Lorries in", "Lorries out")
    assert grid.rows == (("North", "4", "5"), ("North", "6", "7"), ("South", "closed", ""))


def test_a_row_longer_than_an_element_is_still_one_row(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = [["name", "story"], *([f"part {n}", f"The story of part {n}. " * 60] for n in range(1, 5))]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    elements = elements_of(path)
    assert len(elements) > len(rows)
    check(path, least=1)


@pytest.mark.corpus
@pytest.mark.parametrize("suffix", COUNTERS)
def test_rows_and_columns_of_the_document_collection(suffix: str, corpus: Path) -> None:
    for path in sorted(corpus.rglob(f"*{suffix}")):
        if path.parent != corpus and path.name != "password-protected.docx":
            check(path, least=0)


@pytest.mark.corpus
def test_rows_and_columns_of_the_workbooks_of_the_collection(corpus: Path) -> None:
    for path in sorted(corpus.rglob("*.xlsx")):
        check_workbook(path)
