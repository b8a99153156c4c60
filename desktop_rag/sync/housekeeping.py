"""What is done when nothing else is to do: old versions and what nobody needs go; and whether all parts agree."""

from __future__ import annotations

from pathlib import Path

from desktop_rag.core.log import get_logger
from desktop_rag.core.reports import Consistency
from desktop_rag.core.types import FileState
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore

_log = get_logger(__name__)
_FOUND = (FileState.INDEXED, FileState.PARTLY)
_OWN_PAGES = ("pdf/",)
"""Readers of formats that have fixed pages themselves, so that no print view is laid out."""


class Housekeeping:
    """Looks after the stores of one workspace. Not to be used while a sync runs: the caller sees to that."""

    def __init__(self, catalogue: Catalogue, elements: ElementStore, print_views: Path) -> None:
        self._catalogue = catalogue
        self._elements = elements
        self._print_views = print_views

    def tidy(self) -> None:
        """Compact the index, delete its old versions, and forget vectors and print views of texts that are gone."""
        self._elements.optimize()
        forgotten = self._catalogue.vectors.prune(self._elements.content_hashes())
        for path in self._stray_views():
            path.unlink(missing_ok=True)
        self._catalogue.answers.forget_others(self._catalogue.files.digest())
        self._catalogue.compact()
        self._catalogue.keep_copy()
        _log.info("tidied: %d cached vectors forgotten", forgotten)

    def check(self) -> Consistency:
        """Compare ledger, index, vector cache and print views; changes nothing."""
        ledger = self._catalogue.files.element_counts()
        there = self._elements.documents()
        return Consistency(
            orphans=sum(document not in ledger for document in there),
            lost=sum(count > there.get(document, 0) for document, count in ledger.items()),
            surplus=sum(there.get(document, 0) > count for document, count in ledger.items()),
            stray_views=len(self._stray_views()),
            missing_views=len(self._without_view()),
            stray_vectors=self._catalogue.vectors.count_beyond(self._elements.content_hashes()),
        )

    def read_again_what_is_incomplete(self) -> int:
        """Let the files of which elements or a print view are lost be read at the next sync; return how many."""
        ledger = self._catalogue.files.element_counts()
        there = self._elements.documents()
        lost = [document for document, count in ledger.items() if count != there.get(document, 0)]
        incomplete = sorted({*lost, *self._without_view()})
        self._catalogue.files.read_again(incomplete)
        return len(incomplete)

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
