"""The columns of the elements' table, and the way of an Element into a row and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from desktop_rag.core.languages import language_of
from desktop_rag.core.types import BBox, Element, ElementKind, Span
from desktop_rag.store.keywords import index_text

TABLE = "elements"
FORMAT = 1
"""Raised when the columns change their meaning; data with a higher number is refused."""

FORMAT_KEY = b"desktop_rag_format"

ELEMENT_COLUMNS = (
    "id", "document", "page", "kind", "title", "heading", "text", "markdown", "content_hash", "bbox", "spans",
    "table_id", "confidence",
    "nearby", "described", "picture",
)  # fmt: skip
"""What an Element is made of; the other columns are for searching only."""

FILTER_COLUMNS = ("document", "page", "kind", "title", "heading", "text")

FIGURE_COLUMNS = ("nearby", "described", "picture", "described_by")
ADDED_COLUMNS = ("table_id", "confidence", *FIGURE_COLUMNS, "language")
"""Columns that an index of an older version lacks; they are null there, and where there is nothing to say."""

AFTER_TEXT = 1_000_000
"""The position, within its page, of the first element that a later stage adds."""

_BOX = ("x0", "y0", "x1", "y1")


def vector_type(dimensions: int) -> Any:
    """Return the Arrow type of the vector column."""
    import pyarrow as pa

    return pa.list_(pa.float32(), dimensions)


def table_schema(dimensions: int) -> Any:
    """Return the Arrow schema. ``vector`` is null until the vector stage; ``vector_model`` is its fingerprint."""
    import pyarrow as pa

    numbers = pa.float64()  # a box comes back as exactly the numbers that went in
    span = pa.struct([("start", pa.int32()), ("end", pa.int32()), *((name, numbers) for name in _BOX)])
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("document", pa.string(), nullable=False),
            pa.field("position", pa.int32(), nullable=False),
            pa.field("page", pa.int32(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("title", pa.string(), nullable=False),
            pa.field("heading", pa.list_(pa.string()), nullable=False),
            pa.field("text", pa.string(), nullable=False),
            pa.field("markdown", pa.string(), nullable=False),
            pa.field("content_hash", pa.string(), nullable=False),
            pa.field("bbox", pa.struct([(name, numbers) for name in _BOX]), nullable=False),
            pa.field("spans", pa.list_(span), nullable=False),
            pa.field("words", pa.string(), nullable=False),
            pa.field("table_id", pa.string()),
            pa.field("confidence", pa.list_(numbers)),
            *(pa.field(name, pa.string()) for name in FIGURE_COLUMNS),
            pa.field("language", pa.string()),
            pa.field("vector", vector_type(dimensions)),
            pa.field("vector_model", pa.string()),
        ],
        metadata={FORMAT_KEY: str(FORMAT).encode("ascii")},
    )


def to_rows(
    documents: Mapping[str, Sequence[Element]],
    vectors: Mapping[str, NDArray[np.float32]],
    fingerprint: str,
    dimensions: int,
    first_position: int = 0,
) -> Any:
    """Return an Arrow table with a row for each element; ``vectors`` are found by content hash.

    Raises ValueError, naming the element, for a vector that could never be found again, an id that occurs twice, or
    an element under another document's name.
    """
    import pyarrow as pa

    records: list[dict[str, object]] = []
    column: list[NDArray[np.float32] | None] = []
    for document, elements in documents.items():
        for position, element in enumerate(elements, start=first_position):
            if element.document != document:
                raise ValueError(f"element {element.id} belongs to {element.document}, not to {document}")
            vector = vectors.get(element.content_hash)
            column.append(None if vector is None else checked(vector, element.id, dimensions))
            records.append(_record(element, position))
    if len({record["id"] for record in records}) < len(records):
        raise ValueError("two elements have the same id")
    schema = table_schema(dimensions)
    rows = pa.Table.from_pylist(records, schema=pa.schema(list(schema)[:-2]))
    models = pa.array([None if vector is None else fingerprint for vector in column], pa.string())
    rows = rows.append_column(schema.field("vector"), _vector_column(column, dimensions))
    return rows.append_column(schema.field("vector_model"), models)


def vector_rows(vectors: Mapping[str, NDArray[np.float32]], fingerprint: str, dimensions: int) -> Any:
    """Return an Arrow table with id, vector and fingerprint of each element; raises ValueError as :func:`to_rows`."""
    import pyarrow as pa

    column = _vector_column([checked(vector, name, dimensions) for name, vector in vectors.items()], dimensions)
    schema = pa.schema([table_schema(dimensions).field(name) for name in ("id", "vector", "vector_model")])
    return pa.table([pa.array(list(vectors)), column, pa.array([fingerprint] * len(vectors))], schema=schema)


def described_rows(elements: Sequence[Element], fingerprint: str) -> Any:
    """Return an Arrow table with what changes of figures that a vision model has seen; their vectors are stale."""
    import pyarrow as pa

    columns = ("id", "described", "content_hash", "words", "described_by", "vector_model")
    schema = pa.schema([table_schema(1).field(name) for name in columns])
    records = [
        {
            "id": element.id,
            "described": element.described,
            "content_hash": element.content_hash,
            "words": words_of(element),
            "described_by": fingerprint,
            "vector_model": None,
        }
        for element in elements
    ]
    return pa.Table.from_pylist(records, schema=schema)


def word_rows(elements: Sequence[Element]) -> Any:
    """Return an Arrow table with the words and the language of each element, for an index that has older ones."""
    import pyarrow as pa

    schema = pa.schema([table_schema(1).field(name) for name in ("id", "words", "language")])
    records = [{"id": one.id, "words": words_of(one), "language": spoken(one)} for one in elements]
    return pa.Table.from_pylist(records, schema=schema)


def title_rows(elements: Sequence[Element], title: str, hashes: Mapping[str, str]) -> Any:
    """Return an Arrow table with what another title changes in each element; ``hashes`` are new ones by old ones."""
    import pyarrow as pa

    schema = pa.schema([table_schema(1).field(name) for name in ("id", "title", "content_hash", "words")])
    return pa.Table.from_pylist(
        [
            {
                "id": element.id,
                "title": title,
                "content_hash": hashes[element.content_hash],
                "words": words_of(replace(element, title=title)),
            }
            for element in elements
        ],
        schema=schema,
    )


def _vector_column(vectors: Sequence[NDArray[np.float32] | None], dimensions: int) -> Any:
    import pyarrow as pa

    empty = np.zeros(dimensions, dtype=np.float32)
    matrix = np.array([empty if vector is None else vector for vector in vectors], dtype=np.float32)
    missing = pa.array([vector is None for vector in vectors], pa.bool_())
    return pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), type=vector_type(dimensions), mask=missing)


def checked(vector: NDArray[np.float32], name: str, dimensions: int) -> NDArray[np.float32]:
    """Return ``vector`` as float32, or raise ValueError: LanceDB takes NaN and zero vectors and never finds them."""
    array = np.asarray(vector, dtype=np.float32)
    if array.shape != (dimensions,):
        raise ValueError(f"the vector of {name} has shape {array.shape}, not ({dimensions},)")
    length = float(np.linalg.norm(array))
    if not np.isfinite(length) or length == 0.0:
        raise ValueError(f"the vector of {name} is zero or not finite")
    return array


def to_elements(rows: Any) -> list[Element]:
    """Return the elements in an Arrow table that has :data:`ELEMENT_COLUMNS`; those that were added may be missing."""
    there = [name for name in ELEMENT_COLUMNS if name in rows.column_names]
    return [_element(row) for row in rows.select(there).to_pylist()]


def _record(element: Element, position: int) -> dict[str, object]:
    return {
        "id": element.id,
        "document": element.document,
        "position": position,
        "page": element.page,
        "kind": str(element.kind),
        "title": element.title,
        "heading": list(element.heading),
        "text": element.text,
        "markdown": element.markdown,
        "content_hash": element.content_hash,
        "bbox": _box_record(element.bbox),
        "spans": [{"start": span.start, "end": span.end, **_box_record(span.bbox)} for span in element.spans],
        "table_id": element.table or None,
        "confidence": _confidences(element.spans),
        "words": words_of(element),
        "nearby": element.nearby,
        "described": element.described,
        "picture": element.picture,
        "language": spoken(element),
    }


def _confidences(spans: Sequence[Span]) -> list[float] | None:
    """Return how sure each line is, or None where all are, as nearly everywhere."""
    return [span.confidence for span in spans] if any(span.confidence < 1.0 for span in spans) else None


def _spans(row: Mapping[str, Any]) -> Iterator[Span]:
    sure = row.get("confidence") or [1.0] * len(row["spans"])
    for span, confidence in zip(row["spans"], sure, strict=True):
        yield Span(span["start"], span["end"], _box(span), confidence)


def words_of(element: Element) -> str:
    """Return the words by which keyword search finds an element; a figure about which nothing is known has none."""
    if not element.text and not element.described:
        return ""
    text = f"{element.text}\n{element.described}\n{element.nearby}"
    return index_text(element.title, element.heading, text, spoken(element))


def spoken(element: Element) -> str:
    """Return the language that an element is in, or "": the text counts before the headings, and those before all."""
    texts = (element.text, " ".join((*element.heading, element.text)), f"{element.nearby} {element.described}")
    return next(filter(None, map(language_of, texts)), "")


def _box_record(box: BBox) -> dict[str, float]:
    return {"x0": box.x0, "y0": box.y0, "x1": box.x1, "y1": box.y1}


def _box(record: Mapping[str, float]) -> BBox:
    return BBox(record["x0"], record["y0"], record["x1"], record["y1"])


def _element(row: Mapping[str, Any]) -> Element:
    return Element(
        id=row["id"],
        document=row["document"],
        page=row["page"],
        bbox=_box(row["bbox"]),
        kind=ElementKind(row["kind"]),
        text=row["text"],
        spans=tuple(_spans(row)),
        title=row["title"],
        heading=tuple(row["heading"]),
        content_hash=row["content_hash"],
        markdown=row["markdown"],
        table=row.get("table_id") or "",
        nearby=row.get("nearby") or "",
        described=row.get("described") or "",
        picture=row.get("picture") or "",
    )
