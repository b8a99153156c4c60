"""The figure stage, as a later stage: what its workers run, and what the ledger says of the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.ledger import Stage
from desktop_rag.core.settings import Settings
from desktop_rag.ingest.figure_stage import ENTRY
from desktop_rag.ingest.workers import ParsePool
from desktop_rag.store.files import FileRecord, PartRecord
from desktop_rag.sync.later import LaterWork
from desktop_rag.sync.recognition import recognising_pool

_PAGES_AT_ONCE = 8
"""A page has some pictures, each of which takes seconds to read: so much is lost at most when the lid is closed."""


def illustration(
    settings: Settings, print_views: Path, described: bool, pack: str = "", courtesy: Courtesy | None = None
) -> LaterWork:
    """Return the figure stage; one worker takes as many threads as a model may, at low priority.

    Documents without pages of their own are looked at in their print view, where their pictures stand. Where figures
    are to be ``described``, the stage is done only when they are. ``pack`` is a language pack of text recognition.
    It stands still while ``courtesy`` is asked for.
    """

    def open_pool() -> ParsePool:
        return recognising_pool(settings, ENTRY, _PAGES_AT_ONCE, courtesy)

    def source(record: FileRecord) -> Path:
        view = print_views / f"{record.document}.pdf"
        return view if view.exists() else record.path

    return LaterWork(
        Stage.FIGURES,
        "Looking at figures",
        _PAGES_AT_ONCE,
        settings.model_threads,
        open_pool,
        illustration_note,
        pack,
        source,
        with_known=True,
        goes_on=described,
    )


def illustration_note(record: FileRecord, parts: Sequence[PartRecord]) -> str:
    """Say where figures could not be looked for; empty if all is well."""
    failures = [part for part in parts if part.failure]
    if not failures:
        return ""
    first = failures[0].first
    last = min(first + _PAGES_AT_ONCE - 1, record.pages)
    pages = f"page {first}" if first == last else f"pages {first} to {last}"
    more = "" if len(failures) == 1 else " and of others"
    return f"The figures of {pages}{more} could not be looked at: {failures[0].failure}"
