"""One bit for each number of a page's vectors: small enough to keep those of all pages in memory.

The sign of each number is what is left of it. Of two unit vectors the share of equal signs grows with their cosine
(Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002). That holds for vectors of any kind,
whereas means of a page's vectors say something only where neighbours are alike: ``benchmarks/pages.py`` compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_WORD_BYTES = 8


@dataclass(frozen=True, slots=True)
class CodedPages:
    """The codes of all pages of a model: those of page i are ``codes[:, starts[i]:starts[i + 1]]``.

    ``codes`` has shape (words, vectors); a word holds the signs of 64 numbers. ``version`` is the table's; another one
    means that pages may have come or gone. ``rows`` says where LanceDB has the whole of each page in that version.
    """

    version: int
    documents: NDArray[np.object_]
    pages: NDArray[np.int32]
    starts: NDArray[np.int64]
    codes: Words
    rows: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.pages)


def sign_codes(vectors: NDArray[np.floating]) -> Words:
    """Return the signs of ``vectors``, shape (n, dimensions), as words, shape (n, dimensions / 64, rounded up)."""
    packed = np.packbits(np.signbit(vectors), axis=1)
    return np.pad(packed, ((0, 0), (0, -packed.shape[1] % _WORD_BYTES))).view("<u8")


def joined(blobs: Sequence[bytes], counts: Sequence[int]) -> tuple[NDArray[np.int64], Words]:
    """Return where each page's codes begin and end, and all of them as :class:`CodedPages` has them.

    ``blobs`` are the bytes of each page's :func:`sign_codes`, ``counts`` how many vectors it has.
    """
    starts = np.cumsum([0, *counts], dtype=np.int64)
    width = len(blobs[0]) // (_WORD_BYTES * counts[0]) if blobs else 1
    words = np.frombuffer(b"".join(blobs), "<u8").reshape(-1, width)
    return starts, np.ascontiguousarray(words.T)


def followed(known: CodedPages, rows: NDArray[np.uint64], added: CodedPages) -> CodedPages:
    """Return those of ``known`` that are still among ``rows``, then ``added``."""
    kept = np.isin(known.rows, rows)
    lengths = np.diff(known.starts)
    codes = known.codes if kept.all() else known.codes[:, np.repeat(kept, lengths)]
    return CodedPages(
        added.version,
        np.concatenate([known.documents[kept], added.documents]),
        np.concatenate([known.pages[kept], added.pages]),
        np.cumsum([0, *lengths[kept], *np.diff(added.starts)], dtype=np.int64),
        np.concatenate([codes, added.codes], axis=1) if len(added) else codes,
        np.concatenate([known.rows[kept], added.rows]),
    )
