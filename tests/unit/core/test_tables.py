"""Whole tables as texts that other programs read back, cell by cell."""

from __future__ import annotations

import csv
import io
import json

from desktop_rag.core.tables import TableData
from desktop_rag.ingest.grids import parse_markdown

PRICES = TableData(
    "7",
    (("Pump", "Price"), ("", "2023"), ('Well, "deep"', "1,250.00"), ("two\nlines", "a|b"), ("", "=2+3"), ("水", "")),
    2,
    (3, 4),
    "Table 2. Prices",
    "euros",
)


def test_every_cell_comes_back_from_csv() -> None:
    assert tuple(map(tuple, csv.reader(io.StringIO(PRICES.as_csv(), newline="")))) == PRICES.rows


def test_markdown_has_the_caption_and_one_header_row() -> None:
    lead, table = PRICES.as_markdown().split("\n\n", 1)
    assert lead == "Table 2. Prices (euros)"
    grid = parse_markdown(table)
    assert grid.header == ("Pump", "Price 2023")
    assert grid.rows == PRICES.rows[2:]


def test_a_table_without_header_or_caption() -> None:
    table = TableData("1", (("a", "b"), ("c", "d")), 0)
    assert table.header == ("", "")
    assert parse_markdown(table.as_markdown()).rows == table.rows


def test_json_is_read_back() -> None:
    assert TableData.from_json("7", json.loads(json.dumps(PRICES.as_json()))) == PRICES
