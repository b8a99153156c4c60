"""The OCR stage, as a later stage: what its workers run, and what the ledger says of the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import ModelError
from desktop_rag.core.ledger import Stage
from desktop_rag.core.log import get_logger
from desktop_rag.core.settings import Settings
from desktop_rag.ingest.ocr_packs import find_pack
from desktop_rag.ingest.ocr_stage import ENTRY
from desktop_rag.ingest.workers import ParsePool
from desktop_rag.store.files import FileRecord, PartRecord
from desktop_rag.sync.later import LaterWork

_log = get_logger(__name__)

_PAGES_AT_ONCE = 4
"""A page takes some seconds: so much is lost at most when the lid is closed."""


def recognition(settings: Settings, base: Path, courtesy: Courtesy | None = None) -> LaterWork:
    """Return the OCR stage; one worker takes as many threads as a model may, at low priority.

    It stands still while ``courtesy`` is asked for.
    Language packs lie in the data folder ``base``. One that is missing is told by ``doctor``; the model that comes
    along is used then.
    """

    def open_pool() -> ParsePool:
        return recognising_pool(settings, ENTRY, _PAGES_AT_ONCE, courtesy)

    return LaterWork(
        Stage.OCR,
        "Recognising text",
        _PAGES_AT_ONCE,
        settings.model_threads,
        open_pool,
        recognition_note,
        chosen_pack(settings, base),
    )


def recognising_pool(settings: Settings, entry: str, pages: int, courtesy: Courtesy | None) -> ParsePool:
    """Return one worker that reads words in pictures: ``entry`` runs on up to ``pages`` pages at a time."""
    return ParsePool(
        1,
        settings.ocr_page_seconds * pages,
        settings.parse_megabytes,
        settings.chunk_tokens,
        entry,
        background=True,
        courtesy=courtesy,
        setting="ocr_page_seconds",
    )


def chosen_pack(settings: Settings, base: Path) -> str:
    """Return the file of the chosen language pack; empty for none, and for one that is missing."""
    try:
        return str(find_pack(base, settings.ocr_language) or "")
    except ModelError as error:
        _log.warning("%s", error)
        return ""


def recognition_note(record: FileRecord, parts: Sequence[PartRecord]) -> str:
    """Say which pages could not be recognised, and of how many the words may be wrong; empty if all is well."""
    sentences = []
    failures = [part for part in parts if part.failure]
    if failures:
        first = failures[0].first
        last = min(first + _PAGES_AT_ONCE - 1, record.pages)
        pages = f"page {first}" if first == last else f"pages {first} to {last}"
        more = "" if len(failures) == 1 else " and of others"
        sentences.append(f"The text of {pages}{more} could not be recognised: {failures[0].failure}")
    doubtful = sum(part.doubtful for part in parts)
    if doubtful:
        which = "the only page" if record.pages == 1 else f"{doubtful} of {record.pages} pages"
        sentences.append(f"The text of {which} was recognised from pictures; some words may be wrong.")
    return " ".join(sentences)
