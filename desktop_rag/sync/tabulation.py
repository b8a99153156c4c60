"""The table stage, as a later stage: what its workers run, and what the ledger says of the files."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.ledger import Stage
from desktop_rag.core.settings import Settings
from desktop_rag.ingest.table_stage import ENTRY
from desktop_rag.ingest.workers import ParsePool
from desktop_rag.store.files import FileRecord, PartRecord
from desktop_rag.sync.later import LaterWork

_PAGES_AT_ONCE = 40
"""Enough that a table which runs on over pages is nearly always seen whole, and a commit every few seconds."""


def tabulation(settings: Settings, courtesy: Courtesy | None = None) -> LaterWork:
    """Return the table stage: one core for each worker, at low priority.

    They stand still while ``courtesy`` is asked for.
    """

    def open_pool() -> ParsePool:
        return ParsePool(
            settings.parse_processes,
            settings.parse_seconds,
            settings.parse_megabytes,
            settings.chunk_tokens,
            ENTRY,
            background=True,
            courtesy=courtesy,
        )

    return LaterWork(Stage.TABLES, "Finding tables", _PAGES_AT_ONCE, 1, open_pool, tabulation_note)


def tabulation_note(record: FileRecord, parts: Sequence[PartRecord]) -> str:
    """Say where tables could not be looked for; empty if all is well. Their words are found as text all the same."""
    failures = [part for part in parts if part.failure]
    if not failures:
        return ""
    first = failures[0].first
    last = min(first + _PAGES_AT_ONCE - 1, record.pages)
    pages = f"page {first}" if first == last else f"pages {first} to {last}"
    more = "" if len(failures) == 1 else " and of others"
    return f"The tables of {pages}{more} were read as plain text: {failures[0].failure}"
