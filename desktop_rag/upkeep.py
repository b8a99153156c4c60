"""The part of an open library that looks after what it stores: tidying, checking, mending, backing up."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from pathlib import Path

from desktop_rag.core.paths import WorkspacePaths
from desktop_rag.core.reports import Check, Consistency, DiskUse
from desktop_rag.core.settings import Settings
from desktop_rag.doctor import check_agreement, check_installation
from desktop_rag.ingest.page_pictures import PagePictures
from desktop_rag.page_wiring import PageParts
from desktop_rag.repair import mend_index
from desktop_rag.store.archive import write_archive
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.disk_use import disk_use
from desktop_rag.store.elements import ElementStore
from desktop_rag.sync.describing import vision_files
from desktop_rag.sync.housekeeping import Housekeeping
from desktop_rag.wiring import Models, make_kept_pictures


class Upkeep(ABC):
    """The stores of one workspace; the library is one of these."""

    settings: Settings
    _paths: WorkspacePaths
    _base: Path
    _catalogue: Catalogue
    _syncing: threading.Lock
    _opening: threading.RLock
    _models: Models
    _pages: PageParts
    _pictures: PagePictures

    @abstractmethod
    def _element_store(self) -> ElementStore:
        """Return the elements, opened at first use."""

    @abstractmethod
    def _need_writer(self) -> None:
        """Raise UserFacingError when the workspace is open for reading only."""

    def tidy(self) -> None:
        """Compact what is stored and forget what nobody needs any more: for when nothing else is to do."""
        self._need_writer()
        with self._syncing:
            self._pictures.close()
            self._housekeeping.tidy()

    def check(self) -> Consistency:
        """Compare ledger, index, page vectors and print views; best while no sync runs, for that changes them."""
        return self._housekeeping.check()

    def repair(self) -> tuple[str, ...]:
        """Mend the index of this open workspace; return what was done. The next sync reads again what was lost."""
        self._need_writer()
        with self._syncing, self._opening:
            done = mend_index(self._paths, self._models.embedder.dimensions)
            if done:
                self._element_store().close()
                self._pages.store.close()
            mended = self._housekeeping.mend()
        return done or mended

    def back_up(self, archive: str) -> str:
        """Write this workspace into one archive and return its path; see Workspaces.restore."""
        self._need_writer()
        with self._syncing:
            return str(write_archive(self._paths, Path(archive)))

    def disk_use(self) -> DiskUse:
        """Return how much room this workspace takes, by its parts."""
        return disk_use(self._paths)

    def doctor(self) -> tuple[Check, ...]:
        """Look over the installation and this workspace."""
        agreement = check_agreement(self.check())
        installed = check_installation(
            self._paths,
            self._base,
            self._models.embedder,
            self._models.llm,
            vision_files(self.settings),
            self.settings.ocr_language,
        )
        return (*installed, self._pages.check(), agreement)

    @property
    def _housekeeping(self) -> Housekeeping:
        pictures = make_kept_pictures(self._paths, self.settings)
        return Housekeeping(
            self._catalogue, self._element_store(), self._pages.store, pictures, self._paths.print_views
        )
