"""The later stages of a sync, in the order of their value, with what each of them needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.passwords import Passwords
from desktop_rag.core.settings import Settings
from desktop_rag.models.embedder import Embedder
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.sync.describing import DescriptionStage, vision_files
from desktop_rag.sync.illustration import illustration
from desktop_rag.sync.later import LaterStage, LaterWork
from desktop_rag.sync.recognition import chosen_pack, recognition
from desktop_rag.sync.synchronizer import Later
from desktop_rag.sync.tabulation import tabulation


@dataclass(frozen=True, slots=True)
class Shared:
    """What every later stage works with."""

    catalogue: Catalogue
    elements: ElementStore
    embedder: Embedder
    passwords: Passwords
    courtesy: Courtesy


def later_stages(settings: Settings, base: Path, print_views: Path, shared: Shared) -> tuple[Later, ...]:
    """Return tables, figures, text recognition, and what a vision model sees in the figures: the slowest comes last.

    ``base`` is the data folder, and ``print_views`` the folder of the documents that have no pages of their own.
    """
    catalogue, elements, passwords, courtesy = shared.catalogue, shared.elements, shared.passwords, shared.courtesy

    def stage(work: LaterWork) -> LaterStage:
        return LaterStage(work, catalogue, elements, shared.embedder, passwords)

    vision = vision_files(settings)
    figures = stage(illustration(settings, print_views, vision is not None, chosen_pack(settings, base), courtesy))
    return (
        stage(tabulation(settings, courtesy)),
        figures,
        stage(recognition(settings, base, courtesy)),
        DescriptionStage(vision, settings, catalogue, elements, figures, passwords, courtesy),
    )
