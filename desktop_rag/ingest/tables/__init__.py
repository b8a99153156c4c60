"""Tables of PDF files: found by their rulings or by the columns of their words, with the place of every cell."""

from __future__ import annotations

from desktop_rag.ingest.tables.finder import find_tables
from desktop_rag.ingest.tables.found import FoundTable, RowPlace
from desktop_rag.ingest.tables.output import table_blocks, table_data

__all__ = ["FoundTable", "RowPlace", "find_tables", "table_blocks", "table_data"]
