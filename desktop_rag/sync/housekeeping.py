"""What is done when nothing else is to do: old versions and what nobody needs go; and whether all parts agree."""

from __future__ import annotations

from pathlib import Path

from desktop_rag.core.allocator import give_back
from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.log import get_logger
from desktop_rag.core.reports import Consistency
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.store.pages import PageStore
from desktop_rag.store.pictures import KeptPictures

_log = get_logger(__name__)
_FOUND = (FileState.INDEXED, FileState.PARTLY)
_LOOKED_AT = (StageState.DONE, StageState.FAILED)
_OWN_PAGES = ("pdf/",)
"""Readers of formats that have fixed pages themselves, so that no print view is laid out."""


class Housekeeping:
    """Looks after the stores of one workspace. Not to be used while a sync runs: the caller sees to that."""

    def __init__(
        self,
        catalogue: Catalogue,
        elements: ElementStore,
        pages: PageStore,
        pictures: KeptPictures,
        print_views: Path,
    ) -> None:
        self._catalogue = catalogue
        self._elements = elements
        self._pages = pages
        self._pictures = pictures
        self._print_views = print_views

    def tidy(self) -> None:
        """Compact the index, delete its old versions; forget vectors, print views and pictures of what is gone.

        Free memory goes back to the system.
        """
        self._elements.optimize()
        self._pages.optimize()
        forgotten = self._catalogue.vectors.prune(self._elements.content_hashes())
        for path in self._stray_views():
            path.unlink(missing_ok=True)
        self._pictures.keep_only(self._catalogue.files.element_counts())
        self._catalogue.answers.forget_others(self._catalogue.files.digest())
        self._catalogue.compact()
        self._catalogue.keep_copy()
        give_back()
        _log.info("tidied: %d cached vectors forgotten", forgotten)

    def check(self) -> Consistency:
        """Compare ledger, index, page vectors, vector cache and print views; changes nothing."""
        ledger = self._catalogue.files.element_counts()
        there = self._elements.documents()
        return Consistency(
            orphans=sum(document not in ledger for document in there),
            lost=sum(count > there.get(document, 0) for document, count in ledger.items()),
            surplus=sum(there.get(document, 0) > count for document, count in ledger.items()),
            stray_views=len(self._stray_views()),
            missing_views=len(self._without_view()),
            stray_pictures=len(self._pictures.documents() - ledger.keys()),
            stray_pages=len(self._stray_pages()),
            missing_pages=len(self._without_pages()),
            stray_vectors=self._catalogue.vectors.count_beyond(self._elements.content_hashes()),
        )

    def mend(self) -> tuple[str, ...]:
        """Take out what belongs to no document, let the next sync make again what is lost, tidy up; say what was done.

        What is known of a file whose elements are lost stays until it was read again.
        """
        done = {
            "What belonged to {} documents that are gone, or to pages that they lost, was taken out.": self._drop(),
            "{} files are read again, because something of them was missing.": self.read_again_what_is_incomplete(),
            "{} files are looked at again, because vectors of their pages were missing.": self._look_again(),
        }
        self.tidy()
        return tuple(said.format(count) for said, count in done.items() if count)

    def _drop(self) -> int:
        """Take out elements and page vectors of no document or page; return of how many documents they were."""
        ledger = self._catalogue.files.element_counts()
        orphans = self._elements.documents().keys() - ledger.keys()
        self._elements.remove(orphans)
        stray = set(self._stray_pages())
        self._pages.remove(stray - ledger.keys())
        for document in stray & ledger.keys():
            record = self._catalogue.files.get(document)
            if record is not None:
                self._pages.keep_pages(document, record.pages)
        return len(orphans | stray)

    def _look_again(self) -> int:
        """Let the files of which page vectors are lost be looked at by the next sync; return how many."""
        lost = self._without_pages()
        for record in lost:
            self._catalogue.files.update(record.document, stages={**record.stages, Stage.PAGES: StageState.PENDING})
        return len(lost)

    def read_again_what_is_incomplete(self) -> int:
        """Let the files of which elements or a print view are lost be read at the next sync; return how many."""
        ledger = self._catalogue.files.element_counts()
        there = self._elements.documents()
        lost = [document for document, count in ledger.items() if count != there.get(document, 0)]
        incomplete = sorted({*lost, *self._without_view()})
        self._catalogue.files.read_again(incomplete)
        return len(incomplete)

    def _stray_pages(self) -> list[str]:
        """A file that waits to be looked at keeps what was seen of it; its pages are counted when it is done."""
        records = {record.document: record for record in self._catalogue.files.all()}
        return [
            document
            for document, extent in self._pages.extents().items()
            if document not in records or (_is_looked_at(records[document]) and extent.last > records[document].pages)
        ]

    def _without_pages(self) -> list[FileRecord]:
        there = {document: extent.count for document, extent in self._pages.extents().items()}
        return [
            record
            for record in self._catalogue.files.all()
            if _is_looked_at(record) and record.pages > there.get(record.document, 0)
        ]

    def _stray_views(self) -> list[Path]:
        known = {f"{document}.pdf" for document in self._catalogue.files.element_counts()}
        return [path for path in self._views() if path.name not in known]

    def _without_view(self) -> list[str]:
        there = {path.name for path in self._views()}
        return [
            record.document
            for record in self._catalogue.files.in_states(_FOUND)
            if record.pages and not record.reader.startswith(_OWN_PAGES) and f"{record.document}.pdf" not in there
        ]

    def _views(self) -> list[Path]:
        return list(self._print_views.iterdir()) if self._print_views.is_dir() else []


def _is_looked_at(record: FileRecord) -> bool:
    return record.stages.get(Stage.PAGES) in _LOOKED_AT
