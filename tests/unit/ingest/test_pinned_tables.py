"""Tables of real documents whose cells were typed by hand, and the same tables in files that must be repaired."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from desktop_rag.ingest.tables import FoundTable, find_tables
from tests.fixtures.make import source_of
from tests.fixtures.pinned_tables import PINNED_TABLES, PinnedTable
from tests.fixtures.truth import HEADER, ROWS


def squeezed(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return cells without blanks: how far apart two signs must stand to have one between them is not pinned."""
    return [["".join(cell.split()) for cell in row] for row in rows]


def damage(path: Path, target: Path) -> Path:
    """Copy a sound PDF to ``target`` with the table that says where its parts are made useless."""
    raw = path.read_bytes()
    start = raw.rindex(b"startxref")
    target.write_bytes(raw[:start] + b"startxref\n7\n%%EOF\n")
    return target


def on_page(tables: Sequence[FoundTable], page: int) -> list[FoundTable]:
    return [table for table in tables if table.page == page]


def test_there_are_ten_and_half_of_them_have_no_rulings() -> None:
    assert (len(PINNED_TABLES), sum(not table.ruled for table in PINNED_TABLES)) == (10, 5)
    assert all(len(row) == len(table.header) for table in PINNED_TABLES for row in table.body)


@pytest.mark.corpus
@pytest.mark.parametrize("pinned", PINNED_TABLES, ids=lambda table: f"{table.file[:12]}-{table.page}")
def test_a_table_has_the_cells_that_a_person_sees(pinned: PinnedTable, corpus: Path) -> None:
    found = find_tables(corpus / "documents" / pinned.file, pages=[pinned.page])
    likely = [table for table in found if len(table.rows[0]) == len(pinned.header)] or list(found)
    assert likely, "no table was found on the page"
    table = max(likely, key=lambda one: len(one.rows))
    assert squeezed(table.body) == squeezed(pinned.body)
    assert squeezed([table.header]) == squeezed([pinned.header])


def test_a_file_that_must_be_repaired_gives_the_table_of_the_sound_one(tmp_path: Path) -> None:
    sound = find_tables(source_of("pdf"))
    assert [table.rows for table in sound] == [(HEADER, *ROWS)]
    assert find_tables(damage(source_of("pdf"), tmp_path / "damaged.pdf")) == sound


@pytest.mark.corpus
@pytest.mark.parametrize("name", dict.fromkeys(table.file for table in PINNED_TABLES))
def test_real_files_that_must_be_repaired_give_the_tables_of_sound_ones(
    name: str, corpus: Path, tmp_path: Path
) -> None:
    pages = [table.page for table in PINNED_TABLES if table.file == name]
    path = corpus / "documents" / name
    assert find_tables(damage(path, tmp_path / name), pages=pages) == find_tables(path, pages=pages)
