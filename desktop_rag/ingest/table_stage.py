"""The table stage of a file, as it runs in a worker: its tables as elements, each row said with its headers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop_rag.core.types import ReadDocument
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.parse import ParseFailure, part_failure

ENTRY = "desktop_rag.ingest.table_stage:find"


def find(
    document: str,
    path: Path,
    password: str | None,
    max_tokens: int,
    on_pages: Callable[[int], None],
    part: Part,
) -> PartRead | ParseFailure:
    """Find the tables on the pages of ``part``. A bad document is a ParseFailure, never an exception."""
    from desktop_rag.ingest.chunks import chunk
    from desktop_rag.ingest.tables import find_tables, table_blocks, table_data

    on_pages(part.last - part.first + 1)
    try:
        tables = find_tables(path, password, range(part.first, part.last + 1))
    except Exception as error:
        return part_failure(error, path, "a table")
    named = {f"{part.first}.{n}": table for n, table in enumerate(tables)}
    blocks = [block for name, table in named.items() for block in table_blocks(table, max_tokens, name)]
    blocks.sort(key=lambda block: block.page)
    elements = chunk(document, ReadDocument(part.title, (), tuple(blocks)), max_tokens)
    whole = tuple(table_data(table, name) for name, table in named.items())
    return PartRead(elements, len({element.page for element in elements}), tables=whole)
