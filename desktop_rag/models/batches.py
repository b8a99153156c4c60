"""Embedding many texts: sorted by length, so that little is padding, in rounds between which the job can stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from desktop_rag.core.job import Job
from desktop_rag.models.embedder import Embedder, Vectors

ROUND_TOKENS = 8192
"""Tokens between two looks at the job: below a second on two slow cores."""

_BYTES_PER_TOKEN = 4
_MOST_TEXTS = 256


def embed_all(embedder: Embedder, texts: Sequence[str], job: Job, report: Callable[[int], None]) -> Vectors:
    """Return the vectors of ``texts`` in their order, shape (len(texts), dimensions).

    ``report`` is told how many texts are done after each round; equal texts are embedded once. Raises CancelledError
    when ``job`` is stopped, and ModelError when the model cannot be loaded.
    """
    places: dict[str, list[int]] = {}
    for index, text in enumerate(texts):
        places.setdefault(text, []).append(index)
    vectors = np.zeros((len(texts), embedder.dimensions), dtype=np.float32)
    done = 0
    for batch in rounds(list(places), embedder.max_tokens):
        job.check()
        for text, vector in zip(batch, embedder.embed(batch), strict=True):
            vectors[places[text]] = vector
            done += len(places[text])
        report(done)
    return vectors


def rounds(texts: Sequence[str], max_tokens: int, budget: int = ROUND_TOKENS) -> Iterator[list[str]]:
    """Yield ``texts``, longest first, in groups whose padded size is about ``budget`` tokens.

    Tokens are estimated from the bytes of the text: to count them here would mean to tokenise twice.
    """
    ordered = sorted(texts, key=len, reverse=True)
    start = 0
    while start < len(ordered):
        longest = min(max_tokens, 2 + len(ordered[start].encode("utf-8", "replace")) // _BYTES_PER_TOKEN)
        size = min(_MOST_TEXTS, max(1, budget // longest))
        yield ordered[start : start + size]
        start += size
