"""The searchable elements of all documents, in LanceDB: written by one process, read by any number of threads."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from desktop_rag.core.types import Element
from desktop_rag.store.element_reader import ElementReader, portions
from desktop_rag.store.faults import explained
from desktop_rag.store.filters import equals, one_of
from desktop_rag.store.schema import AFTER_TEXT, described_rows, title_rows, to_rows, vector_rows, word_rows
from desktop_rag.store.table import KEEP, retried

_RENEWED = 2_000
"""Elements whose words are made anew in one commit."""


class ElementStore(ElementReader):
    """Elements with their vectors and words. All calls are safe from any thread; writes happen one after the other.

    Calls raise UserFacingError when the disk is full or the index cannot be read. Before the first write, and in a
    reader that comes before the writer, the store is simply empty.
    """

    def __init__(self, uri: str, dimensions: int, read_only: bool = False) -> None:
        """``uri`` is a directory or an object-store address; ``dimensions`` the length of the model's vectors."""
        super().__init__(uri, dimensions, read_only)
        self._writing = threading.RLock()

    def replace(
        self,
        documents: Mapping[str, Sequence[Element]],
        vectors: Mapping[str, NDArray[np.float32]],
        fingerprint: str,
    ) -> None:
        """Make these the elements of each document, in reading order, in one atomic commit.

        ``vectors`` are by content hash and may lack some: those elements wait in :meth:`without_vectors`. Raises
        ValueError, before anything is written, for NaN or zero vectors, wrong dimensions and duplicate ids.
        """
        rows = to_rows(documents, vectors, fingerprint, self._dimensions)
        mine = one_of("document", documents)
        with self._write() as table:
            known = bool(table.count_rows(mine))
            if not rows.num_rows:
                if known:
                    retried(lambda: table.delete(mine))
            elif known:
                retried(lambda: _replace_rows(table, rows, mine))
            else:  # appending is many times faster than a merge, and just as atomic
                retried(lambda: table.add(rows))
            self._table.wrote(rows.num_rows)

    def add(
        self,
        document: str,
        elements: Sequence[Element],
        vectors: Mapping[str, NDArray[np.float32]],
        fingerprint: str,
    ) -> int:
        """Add what a later stage found to a document, in one atomic commit; return how many elements it has now.

        On a page they come after what is there. An element with a known id takes the place of the old one. ``vectors``
        and errors are as in :meth:`replace`.
        """
        rows = to_rows({document: elements}, vectors, fingerprint, self._dimensions, AFTER_TEXT)
        mine = equals("document", document)
        with self._write() as table:
            if rows.num_rows:
                merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
                retried(lambda: merge.execute(rows, on_bad_vectors="null"))
                self._table.wrote(rows.num_rows)
            return int(table.count_rows(mine))

    def retitle(self, document: str, title: str, hashes: Mapping[str, str]) -> None:
        """Give a document another title; ``hashes`` are the new content hashes by the old ones. Vectors stay."""
        rows = title_rows(self.of_document(document), title, hashes)
        with self._write() as table:
            if rows.num_rows:
                retried(lambda: table.merge_insert("id").when_matched_update_all().execute(rows))
                self._table.wrote(rows.num_rows)

    def put_vectors(self, vectors: Mapping[str, NDArray[np.float32]], fingerprint: str) -> None:
        """Set the vectors of elements, by element id; ids that are gone meanwhile are left out.

        Raises ValueError, naming the element, for a vector of NaN or zeros or of the wrong length.
        """
        if not vectors:
            return
        rows = vector_rows(vectors, fingerprint, self._dimensions)
        with self._write() as table:
            retried(lambda: table.merge_insert("id").when_matched_update_all().execute(rows))
            self._table.wrote(rows.num_rows)

    def remove(self, documents: Iterable[str]) -> None:
        """Delete all elements of these documents; unknown ones do no harm."""
        names = list(documents)
        if not names or self._existing() is None:
            return
        with self._write() as table:
            for some in portions(names):
                retried(partial(table.delete, one_of("document", some)))
            self._table.wrote(0)

    def put_descriptions(self, elements: Sequence[Element], fingerprint: str) -> None:
        """Store figures with what a vision model sees in them; they wait in :meth:`without_vectors` again."""
        if not elements:
            return
        rows = described_rows(elements, fingerprint)
        with self._write() as table:
            retried(lambda: table.merge_insert("id").when_matched_update_all().execute(rows))
            self._table.wrote(rows.num_rows)

    def renew_words(self) -> None:
        """Give the elements of an older version their language and the stems of their words, if there are any."""
        while rows := self._select("language IS NULL", _RENEWED):
            with self._write() as table:
                renewed = word_rows(rows)
                retried(partial(table.merge_insert("id").when_matched_update_all().execute, renewed))
                self._table.wrote(len(rows))

    def optimize(self, keep: timedelta = KEEP) -> None:
        """Bring indices up to date and clean up; versions younger than ``keep`` stay for readers at work.

        Writes do this by themselves now and then; call it when a sync is done.
        """
        if self._existing() is not None and self._table.is_untidy(keep):
            with self._write():
                self._table.optimize(keep)

    @contextmanager
    def _write(self) -> Iterator[Any]:
        with self._writing, explained(self._uri):
            yield self._table.writable()


def _replace_rows(table: Any, rows: Any, mine: str) -> None:
    merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    # "null" keeps the missing vectors missing; bad ones were refused before.
    merge.when_not_matched_by_source_delete(mine).execute(rows, on_bad_vectors="null")
