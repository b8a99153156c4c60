"""Chunks a second: from text to vectors, with the same weights and the same number of threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import chain, islice
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks import tutorial
from benchmarks.documents import Documents
from benchmarks.figures import Figure
from desktop_rag.core.job import Job
from desktop_rag.core.settings import Settings
from desktop_rag.models.batches import embed_all
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder

_CHUNKS = 192
_ROUNDS = 3


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure_embedding(documents: Documents, settings: Settings) -> list[Figure]:
    """Embed the same 1,000-character chunks in turns: by our batches, and by ``encode`` as tutorials call it."""
    pieces = chain.from_iterable(tutorial.cut(tutorial.read_pages(path)) for path in documents.pdfs)
    texts: Sequence[str] = list(islice(pieces, _CHUNKS))
    threads = settings.model_threads
    embedder = SentenceTransformerEmbedder(threads=threads)
    model = tutorial.load_model(embedder.path, threads)

    def ours() -> NDArray[np.float32]:
        return embed_all(embedder, texts, Job(), lambda _: None)

    def theirs() -> NDArray[np.float32]:
        vectors = model.encode(list(texts), show_progress_bar=False, normalize_embeddings=True)
        return np.asarray(vectors, dtype=np.float32)

    alike = float(np.min(np.sum(ours() * theirs(), axis=1)))  # warms both up, too
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(_ROUNDS)]
    return [
        Figure(
            f"embedding the same {len(texts)} chunks",
            len(texts) / median(pair[0] for pair in pairs),
            len(texts) / median(pair[1] for pair in pairs),
            "chunks/s",
            f"encode() in float32, {threads} thread(s) as ours",
            note=f"least cosine between the two vectors of a chunk: {alike:.5f}",
        )
    ]
