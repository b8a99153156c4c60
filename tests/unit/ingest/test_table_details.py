"""Small things on which cells of PDF tables depend: white lines, exponents, names far above their columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pdfplumber
import pymupdf

from desktop_rag.core.types import ElementKind, ReadDocument
from desktop_rag.ingest.chunks import chunk
from desktop_rag.ingest.grids import parse_markdown
from desktop_rag.ingest.tables import FoundTable, find_tables, table_blocks
from desktop_rag.ingest.tables.parts import Ruling
from desktop_rag.ingest.tables.source import Geometry, parts_of

ROWS = [[f"Pump {n}", f"{n}.5", f"{n * 10}", f"{n * 3}"] for n in range(1, 9)]
LEFTS = (60, 200, 300, 400)


def only(path: Path, *pages: Callable[[Any], None]) -> FoundTable:
    with pymupdf.open() as document:
        for draw in pages:
            draw(document.new_page())
        document.save(path)
    (table,) = find_tables(path)
    return table


def put(page: Any, row: list[str], y: float, size: float = 10) -> None:
    for x, cell in zip(LEFTS, row, strict=True):
        page.insert_text((x, y), cell, fontsize=size)


def ruled_list(page: Any, header: list[str], rows: list[list[str]], top: float = 100, above: float = 14) -> None:
    page.draw_line((60, top - above), (480, top - above))
    put(page, header, top)
    page.draw_line((60, top + 6), (480, top + 6))
    for n, row in enumerate(rows, start=1):
        put(page, row, top + 4 + 16 * n)
    page.draw_line((60, top + 10 + 16 * len(rows)), (480, top + 10 + 16 * len(rows)))


def rulings_of(path: Path, draw: Callable[[Any], None]) -> list[Ruling]:
    """Return the level lines that a page with a word and what ``draw`` draws has."""
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((60, 80), "Depot")
        draw(page)
        document.save(path)
    with pymupdf.open(path) as document, pdfplumber.open(path) as plumber:
        (part,) = parts_of(plumber.pages[0], Geometry.of(document[0], plumber.pages[0]), [])
        return [ruling for ruling in part.rulings if ruling.level]


def test_white_lines_part_coloured_cells_but_nothing_on_white_paper(tmp_path: Path) -> None:
    """Programs leave white strips around cells that were marked once."""

    def strip(page: Any) -> None:
        page.draw_rect(pymupdf.Rect(60, 120, 460, 121.5), color=None, fill=(1, 1, 1))

    def cells(page: Any) -> None:
        page.draw_rect(pymupdf.Rect(60, 100, 460, 120), color=None, fill=(0.2, 0.4, 0.8))
        page.draw_rect(pymupdf.Rect(60, 121.5, 460, 140), color=None, fill=(0.6, 0.7, 0.9))
        strip(page)

    assert rulings_of(tmp_path / "paper.pdf", strip) == []
    assert any(abs(ruling.at - 120.75) < 1 for ruling in rulings_of(tmp_path / "cells.pdf", cells))


def test_an_exponent_stays_with_its_number_where_the_line_above_is_nearer(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        powers = (("centimetre", "-2", 5.0), ("millimetre", "-3", 5.0), ("micrometre", "-6", 9.2))
        for n, (name, power, raised) in enumerate(powers):
            y = 100 + 14.2 * n
            put(page, [name, "1 x 10", f"{n + 4}.1", f"{n + 7}.2"], y, 12)
            x = 200 + pymupdf.get_text_length("1 x 10", fontsize=12) + 0.5
            page.insert_text((x, y - raised), power, fontsize=7)

    cells = [row[1].replace(" ", "") for row in only(tmp_path / "a.pdf", draw).rows]
    assert cells == ["1x10-2", "1x10-3", "1x10-6"]


def test_a_name_over_two_columns_may_stand_well_above_the_line_that_says_so(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((345, 91), "Week", fontsize=10)
        page.draw_line((296, 105.6), (440, 105.6))
        ruled_list(page, ["Name", "Weight", "Price", "Count"], ROWS, top=116, above=42)

    assert only(tmp_path / "a.pdf", draw).header == ("Name", "Weight", "Week Price", "Week Count")


def test_boxes_of_elements_hold_the_header_and_later_pages_have_the_caption_as_their_heading(tmp_path: Path) -> None:
    header = ["Name", "Weight", "Price", "Count"]
    rows = [[f"Pump {n}", f"{n}.5", f"{n * 10}", f"{n * 3}"] for n in range(1, 81)]

    def first(page: Any) -> None:
        page.insert_text((60, 78), "Table 1. Pumps by weight", fontsize=10)
        ruled_list(page, header, rows[:42])

    table = only(tmp_path / "a.pdf", first, lambda page: ruled_list(page, header, rows[42:], top=60))
    assert table.pages == (1, 2)
    elements = chunk("d", ReadDocument("Depots", (), table_blocks(table, 150)), 150)
    assert {element.kind for element in elements} == {ElementKind.TABLE}
    for element in elements:
        on_first = element.page == 1
        assert element.bbox.y0 < (100 if on_first else 60), "the header is in it"
        assert element.text.startswith("Table 1." if on_first else "Name: Pump")
        assert element.heading == (() if on_first else ("Table 1. Pumps by weight",))
        assert parse_markdown(element.markdown[element.markdown.index("| ") :]).header == tuple(header)
        assert all(span.bbox.y1 - span.bbox.y0 < 20 for span in element.spans), "each row is lit by itself"
