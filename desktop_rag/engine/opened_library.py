"""What the engine needs of a library, and how the real one is opened."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Protocol

from desktop_rag.core.events import LibraryEvent
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import FileRow, FolderRow, Stage
from desktop_rag.core.model_rows import ModelKind
from desktop_rag.core.reports import SyncSummary
from desktop_rag.core.rules import FolderRules
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import Route


class OpenedLibrary(Protocol):
    """What the host itself needs of a library; calls reach the rest by name."""

    def sync(
        self,
        *,
        stages: Collection[Stage] | None = None,
        job: Job | None = None,
        emit: Callable[[LibraryEvent], None] | None = None,
        only: Collection[Path] | None = None,
    ) -> SyncSummary:
        """Bring the index in step with the disk."""

    @property
    def settings(self) -> Settings:
        """The settings in use."""

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes that can be chosen now."""

    def add_paths(self, paths: Sequence[str]) -> tuple[FolderRow, ...]:
        """Watch folders or files."""

    def remove_folder(self, folder_id: int) -> None:
        """Forget a folder."""

    def unlock(self, document: str, password: str, *, for_others: bool = False) -> FileRow:
        """Take the password of a locked file."""

    def watch(self, due: Callable[[frozenset[Path]], None]) -> None:
        """Call ``due`` with the folders in which something changed on the disk."""

    def set_rules(self, folder_id: int, rules: FolderRules) -> None:
        """Choose which files of a folder are read."""

    def read_first(self, documents: Sequence[str]) -> None:
        """Let files go before all others."""

    def retry(self, documents: Sequence[str]) -> None:
        """Read files once more."""

    def look_at_pages(self, folder_id: int, looks: bool) -> None:
        """Choose whether the pages of a folder are looked at."""

    def choose_model(self, name: str, kind: ModelKind) -> None:
        """Use a model from now on."""

    def back_up(self, archive: str) -> str:
        """Write the workspace into an archive."""

    def repair(self) -> tuple[str, ...]:
        """Mend the index."""

    @property
    def mended(self) -> tuple[str, ...]:
        """What had to be mended to open it."""

    @property
    def paused(self) -> bool:
        """Whether a person let the reading wait."""

    def set_paused(self, paused: bool) -> None:
        """Remember whether the reading waits."""

    def tidy(self) -> None:
        """Compact what is stored, now that nothing else is to do."""

    def warm_up(self) -> None:
        """Load what every question needs."""

    def close(self) -> None:
        """Close everything."""


OpenLibrary = Callable[[str, Path | None], OpenedLibrary]


def open_library(workspace: str, base: Path | None) -> OpenedLibrary:
    """Open the real library; imported here, because the environment must be prepared first."""
    from desktop_rag.library import Library

    library = Library.open(workspace, base=base, mend=True)
    library.step_back()
    return library
