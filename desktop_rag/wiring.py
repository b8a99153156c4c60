"""Which parts an open library is put together from, and with which settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.passwords import Passwords
from desktop_rag.core.paths import WorkspacePaths
from desktop_rag.core.power import PowerMode
from desktop_rag.core.settings import Settings
from desktop_rag.ingest.workers import ParsePool
from desktop_rag.models.embedder import Embedder
from desktop_rag.models.entailment import CrossEncoderEntailment
from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.page_wiring import PageParts
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.pictures import KeptPictures
from desktop_rag.sync.reading import TextStage
from desktop_rag.sync.retitling import Retitler
from desktop_rag.sync.scanner import Scanner
from desktop_rag.sync.settling import Settling
from desktop_rag.sync.stages import Shared, later_stages
from desktop_rag.sync.survey import Surveyor
from desktop_rag.sync.synchronizer import Stages, Synchronizer
from desktop_rag.sync.vectors import VectorStage


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a library; each loads itself at its first use."""

    embedder: SentenceTransformerEmbedder
    llm: LlamaModel
    entailment: CrossEncoderEntailment | None


def make_models(settings: Settings, base: Path) -> Models:
    """Return the models that the settings name; nothing is loaded."""
    llm = Path(settings.llm_path).expanduser() if settings.llm_path else None
    text = Path(settings.text_model_path).expanduser() if settings.text_model_path else None
    return Models(
        SentenceTransformerEmbedder(text, settings.model_threads, base / "text_model.json"),
        LlamaModel(
            llm,
            settings.llm_context,
            settings.model_threads,
            settings.llm_gpu_layers,
            settings.llm_idle_minutes * 60,
        ),
        CrossEncoderEntailment(Path(settings.nli_model).expanduser()) if settings.nli_model else None,
    )


def make_kept_pictures(paths: WorkspacePaths, settings: Settings, *, read_only: bool = False) -> KeptPictures:
    """Return the page pictures that are kept on the disk."""
    return KeptPictures(paths.pictures, settings.picture_megabytes * 1_000_000, read_only)


def make_surveyor(catalogue: Catalogue, settings: Settings) -> Surveyor:
    """Return what looks at the disk beside the ledger."""
    return Surveyor(catalogue.files, Scanner(settings.largest_file_megabytes * 1_000_000), Settling())


def make_synchronizer(
    catalogue: Catalogue,
    elements: ElementStore,
    paths: WorkspacePaths,
    settings: Settings,
    embedder: Embedder,
    passwords: Passwords,
    courtesy: Courtesy,
    pages: PageParts,
) -> Synchronizer:
    """Return the synchronizer with all stages that this version does."""

    def open_pool() -> ParsePool:
        return ParsePool(
            settings.parse_processes, settings.parse_seconds, settings.parse_megabytes, settings.chunk_tokens
        )

    text = TextStage(catalogue, elements, embedder, paths.print_views, open_pool, paths.attachments, passwords)
    vectors = VectorStage(catalogue, elements, embedder)
    shared = Shared(catalogue, elements, embedder, passwords, courtesy)
    stages = Stages(text, vectors, later_stages(settings, paths.base, paths.print_views, shared), pages.stage)
    surveyor, power = make_surveyor(catalogue, settings), PowerMode(settings.battery)
    retitler = Retitler(catalogue, elements, embedder)
    pictures = make_kept_pictures(paths, settings)
    return Synchronizer(catalogue, elements, surveyor, stages, pages.store, pictures, power, retitler)
