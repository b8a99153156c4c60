"""The vector stage: elements without a vector get one, from the cache or from the text model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import Stage, StageState
from desktop_rag.core.types import Element
from desktop_rag.models.batches import embed_all
from desktop_rag.models.embedder import Embedder, Vectors
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.sync.reading import in_order, settled_state

_BATCH_ELEMENTS = 128
"""A commit every few seconds: what a closed lid or a crash costs at most."""


class VectorStage:
    """Embeds what the text stage left, document by document, a few hundred elements at a time."""

    def __init__(self, catalogue: Catalogue, elements: ElementStore, embedder: Embedder) -> None:
        self._catalogue = catalogue
        self._elements = elements
        self._embedder = embedder

    def reopen(self) -> None:
        """Let the files wait whose vectors are of another model: those that were there before it was chosen."""
        for document in self._elements.documents_without_vectors(self._embedder.fingerprint):
            record = self._catalogue.files.get(document)
            if record is not None and record.stages.get(Stage.VECTORS) is StageState.DONE:
                self._catalogue.files.update(document, stages={**record.stages, Stage.VECTORS: StageState.PENDING})

    def run(self, records: Sequence[FileRecord], job: Job, report: Callable[[Progress], None]) -> None:
        """Give every element of ``records`` its vector; each document is settled as soon as it has all.

        Raises CancelledError when the job ends; vectors made by then are kept.
        """
        total = sum(record.elements for record in records)
        settled = 0
        for group in _groups(in_order(records)):
            documents = [record.document for record in group]
            embedded = 0
            while batch := self._elements.without_vectors(self._embedder.fingerprint, documents, _BATCH_ELEMENTS):
                job.check()
                self._embed(batch, job)
                embedded += len(batch)
                report(Progress(min(total, settled + embedded), total, "passages", "Understanding", group[0].path.name))
            with self._catalogue.transaction():
                for record in group:
                    self._settle(record.document)
            settled += sum(record.elements for record in group)
            report(Progress(settled, total, "passages", "Understanding", group[-1].path.name))

    def _embed(self, batch: Sequence[Element], job: Job) -> None:
        fingerprint = self._embedder.fingerprint
        by_hash = {element.content_hash: element.search_text for element in batch}
        known: dict[str, Vectors] = dict(self._catalogue.vectors.get(fingerprint, by_hash))
        missing = [digest for digest in by_hash if digest not in known]
        if missing:
            made = embed_all(self._embedder, [by_hash[digest] for digest in missing], job, lambda _: None)
            fresh = dict(zip(missing, made, strict=True))
            self._catalogue.vectors.put(fingerprint, fresh)
            known.update(fresh)
        vectors: Mapping[str, Vectors] = {
            element.id: np.asarray(known[element.content_hash], dtype=np.float32) for element in batch
        }
        self._elements.put_vectors(vectors, fingerprint)

    def _settle(self, document: str) -> None:
        record = self._catalogue.files.get(document)
        if record is not None:
            stages = {**record.stages, Stage.VECTORS: StageState.DONE}
            self._catalogue.files.update(document, stages=stages, state=settled_state(record.reason))


def _groups(records: Sequence[FileRecord]) -> list[list[FileRecord]]:
    """Small documents share a batch, so that a thousand short notes do not cost a thousand commits."""
    groups: list[list[FileRecord]] = []
    room = 0
    for record in records:
        if not groups or record.elements > room:
            groups.append([])
            room = _BATCH_ELEMENTS
        groups[-1].append(record)
        room -= record.elements
    return groups
