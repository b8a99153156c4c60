"""The signs of all pages' vectors: kept in step with what is stored, and made for an index of an older version."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa
import pytest

from desktop_rag.store.page_codes import CodedPages, sign_codes
from desktop_rag.store.page_schema import StoredPage, table_schema, to_rows
from desktop_rag.store.pages import PageStore

CELLS = np.array([[0, 1, 2]], dtype=np.int16)
NO_CELLS = np.zeros((0, 0), np.int16)


def page(document: str, number: int, model: str = "m", salt: int = 0) -> StoredPage:
    seed = np.random.default_rng([number, salt, *document.encode()])
    vectors = seed.normal(size=(3 + number % 2, 70)).astype(np.float16)
    return StoredPage(document, number, model, "d", vectors, CELLS)


def codes_by_page(coded: CodedPages | None) -> dict[tuple[str, int], list[list[int]]]:
    assert coded is not None
    places = zip(coded.documents, coded.pages, coded.starts[:-1], coded.starts[1:], strict=True)
    return {(document, int(number)): coded.codes[:, low:high].T.tolist() for document, number, low, high in places}


def expected(*pages: StoredPage) -> dict[tuple[str, int], list[list[int]]]:
    return {(one.document, one.page): sign_codes(one.vectors).tolist() for one in pages}


@pytest.fixture
def old(tmp_path: Path) -> str:
    """An index of an older version, which has means of vectors and no codes."""
    uri = str(tmp_path)
    rows = to_rows([page("a", 1), page("a", 2), page("b", 1, model="other"), empty()])
    means = pa.array([b"mean"] * len(rows), pa.binary())
    fields = [field.remove_metadata() for field in table_schema() if field.name != "codes"]
    schema = pa.schema([*fields, pa.field("first", pa.binary(), nullable=False)], metadata=table_schema().metadata)
    table = rows.drop_columns(["codes"]).append_column(schema.field("first"), means)
    lancedb.connect(uri).create_table("pages", data=table, schema=schema)
    return uri


def empty() -> StoredPage:
    return StoredPage("a", 3, "m", "d", np.zeros((0, 0), np.float16), NO_CELLS)


def test_the_codes_follow_what_is_stored(tmp_path: Path) -> None:
    store, reader = PageStore(str(tmp_path)), PageStore(str(tmp_path), read_only=True)
    assert reader.codes("m") is None
    store.put([page("a", 1), page("a", 2), page("b", 1), page("b", 1, model="other"), empty()])
    first = reader.codes("m")
    assert codes_by_page(first) == expected(page("a", 1), page("a", 2), page("b", 1))
    assert reader.codes("m", first) is first

    store.put([page("a", 2, salt=1), page("c", 1)])
    second = reader.codes("m", first)
    assert codes_by_page(second) == expected(page("a", 1), page("a", 2, salt=1), page("b", 1), page("c", 1))

    store.remove(["a"])
    third = reader.codes("m", second)
    assert codes_by_page(third) == expected(page("b", 1), page("c", 1))

    store.optimize()
    store.remove(["c"])
    assert codes_by_page(reader.codes("m", third)) == expected(page("b", 1))
    store.remove(["b"])
    assert codes_by_page(reader.codes("m", third)) == {}
    assert codes_by_page(reader.codes("nobody")) == {}


def test_vectors_are_stored_as_they_are_and_not_packed(tmp_path: Path) -> None:
    store = PageStore(str(tmp_path))
    pages = [StoredPage("a", n, "m", "d", np.full((2000, 64), n, np.float16), CELLS) for n in range(1, 9)]
    store.put(pages)
    stored = sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file())
    assert stored > sum(page.vectors.nbytes for page in pages)


def test_a_reader_makes_the_codes_that_an_older_index_lacks(old: str) -> None:
    assert codes_by_page(PageStore(old, read_only=True).codes("m")) == expected(page("a", 1), page("a", 2))


def test_an_older_index_is_written_on_and_completed_when_it_is_tidied(old: str) -> None:
    store, reader = PageStore(old), PageStore(old, read_only=True)
    before = reader.codes("m")

    store.put([page("a", 2, salt=1), page("c", 1)])
    assert codes_by_page(store.codes("m")) == expected(page("a", 1), page("a", 2, salt=1), page("c", 1))
    store.optimize()

    table = lancedb.connect(old).open_table("pages")
    assert "first" not in table.schema.names
    assert table.count_rows("codes IS NULL AND count > 0") == 0
    assert codes_by_page(reader.codes("m", before)) == expected(page("a", 1), page("a", 2, salt=1), page("c", 1))
    assert codes_by_page(reader.codes("other")) == expected(page("b", 1))
    kept = reader.get("a", 1, "m")
    assert kept is not None
    assert (kept.vectors == page("a", 1).vectors).all()


@pytest.mark.filterwarnings("ignore:optimize")
def test_old_versions_go_although_nothing_was_written_by_this_process(tmp_path: Path) -> None:
    first = PageStore(str(tmp_path))
    for number in range(1, 5):
        first.put([page("a", number)])
    first.close()

    second = PageStore(str(tmp_path))
    second.optimize(timedelta(0))

    assert len(list((tmp_path / "pages.lance" / "data").iterdir())) == 1
    assert len(codes_by_page(second.codes("m"))) == 4
