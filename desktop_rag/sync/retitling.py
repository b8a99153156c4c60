"""A renamed file whose title was its name: the title changes with the name, and nothing is read or embedded again."""

from __future__ import annotations

from pathlib import Path

from desktop_rag.core.types import Element
from desktop_rag.ingest.chunks import content_hash
from desktop_rag.ingest.normalise import clean_text
from desktop_rag.models.embedder import Embedder
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord

_LONGEST_TITLE = 120
_SPACED = ("pdf/", "image/")
"""Readers that make words of a name when they take it for the title; the others take it as it is."""


class Retitler:
    """Gives documents the title that they would have if they were read under their new name.

    Their vectors stay: they were made with the old name before the text, which moves them very little.
    """

    def __init__(self, catalogue: Catalogue, elements: ElementStore, embedder: Embedder) -> None:
        self._catalogue = catalogue
        self._elements = elements
        self._embedder = embedder

    def after_move(self, before: FileRecord, now: Path) -> None:
        """Change the title of a document that lies at ``now``, if its title came from the name of the file."""
        title = title_after_move(before, now)
        if title == before.title:
            return
        hashes: dict[str, str] = {}
        shown = clean_text(title)
        for element in self._elements.of_document(before.document):
            hashes[element.content_hash] = _hash_under(shown, element)
        vectors = self._catalogue.vectors.get(self._embedder.fingerprint, hashes)
        self._catalogue.vectors.put(
            self._embedder.fingerprint, {hashes[old]: vector for old, vector in vectors.items()}
        )
        self._elements.retitle(before.document, shown, hashes)
        self._catalogue.files.update(before.document, title=title)


def _hash_under(title: str, element: Element) -> str:
    """Return the content hash that an element has under another title; that of a figure holds what was seen in it."""
    for texts in ((element.text,), (element.text, element.described)):
        if content_hash(element.kind, element.title, element.heading, *texts) == element.content_hash:
            return content_hash(element.kind, title, element.heading, *texts)
    return element.content_hash


def title_after_move(record: FileRecord, now: Path) -> str:
    """Return the title that a document has under its new name: another one where the old name was its title."""
    named = _words_of_stem if record.reader.startswith(_SPACED) else _stem
    return named(now) if record.title and record.title == named(record.path) else record.title


def _stem(path: Path) -> str:
    return path.stem


def _words_of_stem(path: Path) -> str:
    return clean_text(path.stem.replace("_", " ").replace("-", " "))[:_LONGEST_TITLE]
