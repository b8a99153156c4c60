"""The columns of the pages' table, and the way of a page's vectors into a row and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from desktop_rag.store.page_codes import sign_codes

TABLE = "pages"
FORMAT = 2
"""Raised when the columns change their meaning; data with a higher number is refused."""

FORMAT_KEY = b"desktop_rag_format"

Halves = NDArray[np.float16]
Cells = NDArray[np.int16]

CODES = "codes"
"""The signs of the vectors, which a search looks at first; null in rows of an older version."""

OLD_COLUMNS = ("first",)
"""What an older version had instead: means of the vectors."""

SMALL_COLUMNS = ("id", "document", "page", "model", "digest", "failure", "count")


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page as one model saw it. ``digest`` tells whether it changed since; ``failure`` is why it could not be seen.

    ``vectors`` has shape (n, dimensions), ``cells`` (rows, columns) as in ``PageVectors``. Both are empty for a page
    with nothing to see.
    """

    document: str
    page: int
    model: str
    digest: str
    vectors: Halves
    cells: Cells
    failure: str = ""

    @property
    def id(self) -> str:
        """The key of the row."""
        return page_id(self.document, self.page, self.model)


@dataclass(frozen=True, slots=True)
class PageState:
    """What is known of a page without its vectors; ``count`` is how many it has."""

    document: str
    page: int
    digest: str
    failure: str
    count: int


@dataclass(frozen=True, slots=True)
class PageExtent:
    """Of a document: how many different pages are stored, and the highest page number among them."""

    count: int
    last: int


def page_id(document: str, page: int, model: str) -> str:
    """Return the key of a page's row."""
    return f"{document}:{page}:{model}"


def table_schema() -> Any:
    """Return the Arrow schema. Arrays are stored as the bytes of little-endian float16, int16 and uint64.

    Vectors are not compressed: that saved a twelfth of their room and made them twice as slow to read.
    """
    import pyarrow as pa

    texts = [pa.field(name, pa.string(), nullable=False) for name in ("id", "document", "model", "digest", "failure")]
    numbers = [
        pa.field(name, pa.int32(), nullable=False) for name in ("page", "count", "dimensions", "rows", "columns")
    ]
    cells = pa.field("cells", pa.binary(), nullable=False)
    vectors = pa.field("vectors", pa.binary(), nullable=False, metadata={"lance-encoding:compression": "none"})
    codes = pa.field(CODES, pa.binary())
    return pa.schema([*texts, *numbers, cells, vectors, codes], metadata={FORMAT_KEY: str(FORMAT).encode("ascii")})


def to_rows(pages: Sequence[StoredPage]) -> Any:
    """Return an Arrow table with a row for each page."""
    import pyarrow as pa

    return pa.Table.from_pylist([_record(page) for page in pages], schema=table_schema())


def to_page(row: Mapping[str, Any]) -> StoredPage:
    """Return the page of a row that has all columns."""
    return StoredPage(
        document=row["document"],
        page=row["page"],
        model=row["model"],
        digest=row["digest"],
        vectors=to_vectors(row),
        cells=np.frombuffer(row["cells"], "<i2").reshape(row["rows"], row["columns"]),
        failure=row["failure"],
    )


def to_vectors(row: Mapping[str, Any]) -> Halves:
    """Return the vectors of a row that has ``dimensions`` and ``vectors``."""
    shape = (-1, row["dimensions"]) if row["dimensions"] else (0, 0)
    return np.frombuffer(row["vectors"], "<f2").reshape(shape)


def code_rows(codes: Mapping[str, bytes]) -> Any:
    """Return an Arrow table with the codes of pages by their ids, for rows of an older version."""
    import pyarrow as pa

    schema = pa.schema([table_schema().field(name) for name in ("id", CODES)])
    return pa.table([pa.array(list(codes)), pa.array(list(codes.values()), pa.binary())], schema=schema)


def _record(page: StoredPage) -> dict[str, object]:
    rows, columns = page.cells.shape if page.cells.size else (0, 0)
    return {
        "id": page.id,
        "document": page.document,
        "page": page.page,
        "model": page.model,
        "digest": page.digest,
        "failure": page.failure,
        "count": len(page.vectors),
        "dimensions": page.vectors.shape[1] if page.vectors.size else 0,
        "rows": rows,
        "columns": columns,
        "cells": page.cells.astype("<i2").tobytes(),
        "vectors": page.vectors.astype("<f2").tobytes(),
        CODES: sign_codes(page.vectors).tobytes(),
    }
