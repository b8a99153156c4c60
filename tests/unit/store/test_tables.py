"""Whole tables in the catalogue: they come and go with their documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_rag.core.tables import TableData
from desktop_rag.store.catalogue import Catalogue
from tests.unit.store.make import source

TABLE = TableData("3", (("Name", "Höhe"), ("Alp", "2,502"), ("\ud800", "")), 1, (1, 2), "Table 1", "m")


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    with Catalogue.open(tmp_path / "catalogue.sqlite3") as opened:
        yield opened


@pytest.fixture
def document(catalogue: Catalogue, tmp_path: Path) -> str:
    folder = catalogue.folders.add(tmp_path, "shown")
    return catalogue.files.add(source(tmp_path / "a.pdf", folder.id)).document


def test_a_table_comes_back_as_it_went_in(catalogue: Catalogue, document: str) -> None:
    catalogue.tables.replace(document, [TABLE])
    assert catalogue.tables.get(document, "3") == TABLE
    assert catalogue.tables.get(document, "4") is None
    assert catalogue.tables.get("other", "3") is None


def test_what_a_later_stage_adds_leaves_the_others(catalogue: Catalogue, document: str) -> None:
    catalogue.tables.replace(document, [TABLE])
    later = replace(TABLE, id="1.0", rows=(("a",),), header_rows=0)
    catalogue.tables.add(document, [later])
    catalogue.tables.add(document, [later])  # a part that was interrupted is done again
    assert catalogue.tables.get(document, "3") == TABLE
    assert catalogue.tables.get(document, "1.0") == later


def test_a_document_that_is_read_again_or_removed_loses_its_old_tables(catalogue: Catalogue, document: str) -> None:
    catalogue.tables.replace(document, [TABLE])
    catalogue.tables.replace(document, [replace(TABLE, id="4")])
    assert catalogue.tables.get(document, "3") is None
    catalogue.files.remove([document])
    assert catalogue.tables.get(document, "4") is None


def test_only_small_tables_are_read_where_many_are_looked_through(catalogue: Catalogue, document: str) -> None:
    large = replace(TABLE, id="4", rows=tuple((f"{n:x}", str(hash((n, "row")))) for n in range(4000)))
    catalogue.tables.replace(document, [large, TABLE, replace(TABLE, id="5"), replace(TABLE, id="6")])
    assert [table.id for table in catalogue.tables.small(document, 2)] == ["3", "5"]
    assert catalogue.tables.small("other", 2) == []
