"""A look over the installation: versions, models, places and free memory, with a remedy for what is wrong."""

from __future__ import annotations

import platform
import shutil
import sqlite3
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import psutil

from desktop_rag.core.errors import ModelError
from desktop_rag.core.paths import WorkspacePaths
from desktop_rag.core.reports import Check, Consistency
from desktop_rag.core.settings import OCR_LANGUAGES
from desktop_rag.ingest.ocr_packs import check_pack, find_pack
from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.memory import require_memory
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.models.vision import VisionFiles
from desktop_rag.store.disk_use import disk_use

_PACKAGES = (
    "PySide6-Essentials", "lancedb", "llama-cpp-python", "pdfplumber", "pymupdf", "sentence-transformers", "torch",
    "watchdog",
)  # fmt: skip
_LEAST_DISK = 1_000_000_000
_LEAST_MEMORY = 1_500_000_000


def check_installation(
    paths: WorkspacePaths,
    base: Path,
    embedder: SentenceTransformerEmbedder,
    llm: LlamaModel,
    vision: VisionFiles | None,
    ocr_language: str = "",
) -> tuple[Check, ...]:
    """Return one line per thing that was looked at; loads no model and changes nothing."""
    return (
        Check("Desktop RAG", True, f"{metadata.version('desktop-rag')} on Python {platform.python_version()}"),
        *_packages(),
        Check("SQLite", True, sqlite3.sqlite_version),
        _text_model(embedder),
        _chat_model(llm),
        _recognition(base, ocr_language),
        _vision_model(vision),
        _folder(base),
        _disk(base),
        _memory(),
        _workspace(paths),
    )


def check_agreement(found: Consistency) -> Check:
    """Return one line on whether ledger, index, page vectors and print views agree."""
    if found.sound:
        return Check("Index and ledger", True, "they agree")
    counts = {
        "without a ledger entry": found.orphans,
        "with lost passages": found.lost,
        "with too many passages": found.surplus,
        "stray print views": found.stray_views,
        "without their print view": found.missing_views,
        "with stray page pictures": found.stray_pictures,
        "with stray page vectors": found.stray_pages,
        "with lost page vectors": found.missing_pages,
    }
    detail = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
    return Check("Index and ledger", False, detail, "Unless it is being indexed just now: desktop-rag doctor --repair")


def _workspace(paths: WorkspacePaths) -> Check:
    use = disk_use(paths)
    detail = ", ".join(f"{name} {_megabytes(size)}" for name, size in use.usual.items())
    elsewhere = f", index in {paths.index}" if paths.index else ""
    return Check("Workspace", True, f"{paths.name}: {_megabytes(use.total)} in {paths.root} ({detail}){elsewhere}")


def _packages() -> Iterable[Check]:
    for name in _PACKAGES:
        try:
            yield Check(name, True, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Check(name, False, "not installed", "Install Desktop RAG again: make demo")


def _text_model(embedder: SentenceTransformerEmbedder) -> Check:
    try:
        return Check("Text model", True, f"{embedder.name}, fingerprint {embedder.fingerprint[:12]}")
    except ModelError as error:
        return Check("Text model", False, str(error), "Install Desktop RAG again: make demo")


def _chat_model(llm: LlamaModel) -> Check:
    try:
        detail = f"{llm.name}, {_megabytes(llm.file_bytes)}, {llm.context_tokens:,} tokens of context"
    except ModelError as error:
        return Check("Chat model", False, str(error), "Answers are quotes until this is mended.")
    return Check("Chat model", True, detail)


def _recognition(base: Path, language: str) -> Check:
    try:
        pack = find_pack(base, language)
        if pack is None:
            return Check("Text recognition", True, "PP-OCRv6, as it comes along; no language pack is chosen")
        check_pack(pack)
    except ModelError as error:
        return Check("Text recognition", False, str(error), "Until then the model that comes along is used.")
    return Check("Text recognition", True, f"{pack.name}: {OCR_LANGUAGES[language]}")


def _vision_model(vision: VisionFiles | None) -> Check:
    if vision is None:
        detail = "none: figures are found by their captions, the words in them and the text around them"
        return Check("Vision model", True, detail)
    remedy = "Until this is mended, figures are found by their captions and the words in and around them."
    try:
        vision.check()
        needed = vision.memory_bytes()
        require_memory(needed, f"The vision model {vision.name} ({vision.model})")
    except ModelError as error:
        return Check("Vision model", False, str(error), remedy)
    return Check("Vision model", True, f"{vision.name}, needs about {_megabytes(needed)} of memory")


def _folder(base: Path) -> Check:
    try:
        base.mkdir(parents=True, exist_ok=True)
        probe = base / ".writable"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        return Check(
            "Data folder", False, f"{base}: {error.strerror}", "Set DESKTOP_RAG_HOME to a folder you can write."
        )
    return Check("Data folder", True, str(base))


def _disk(base: Path) -> Check:
    existing = next(folder for folder in (base, *base.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    remedy = "" if free >= _LEAST_DISK else "Free at least 1 GB: an index needs about as much as its documents."
    return Check("Free disk", free >= _LEAST_DISK, _megabytes(free), remedy)


def _memory() -> Check:
    free = psutil.virtual_memory().available
    remedy = "" if free >= _LEAST_MEMORY else "Close other programs: reading and answering need about 1.5 GB."
    return Check("Free memory", free >= _LEAST_MEMORY, _megabytes(free), remedy)


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:,.0f} MB"
