"""The protocol of page embedders: a page becomes many vectors, each with its place, compared by late interaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from desktop_rag.core.types import BBox

if TYPE_CHECKING:
    from PIL.Image import Image

Vectors = NDArray[np.float32]
Cells = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class PageWord:
    """The characters ``start`` to ``end`` of a passage's text stand in ``bbox``, in points."""

    start: int
    end: int
    bbox: BBox


@dataclass(frozen=True, slots=True)
class Passage:
    """A text of a page with its context (title, headings) before it; only its ``words`` stand on the page."""

    text: str
    words: tuple[PageWord, ...]


@dataclass(frozen=True, slots=True)
class PageContent:
    """A page as an embedder gets it: its size in points, what it says and where, and its picture.

    ``digest`` tells whether the page changed. ``picture`` is None for an embedder that does not look at it.
    """

    number: int
    width: float
    height: float
    digest: str
    passages: tuple[Passage, ...] = ()
    picture: Image | None = None


@dataclass(frozen=True, slots=True)
class PageVectors:
    """``vectors`` has shape (n, dimensions); ``cells`` has shape (rows, columns) and covers the whole page.

    A cell holds the index of the vector that shows it, or -1 for none. A vector in no cell has no place (the prompt of
    a vision model, a small picture of the whole page); one in several cells stands for all of them (pooling).
    """

    vectors: Vectors
    cells: Cells


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """One vector for each token of a question, shape (len(words), dimensions), with the word that it belongs to.

    The word is empty for tokens that stand for none.
    """

    words: tuple[str, ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class PageCost:
    """What a page costs before anything was measured here: seconds on this kind of device, and bytes in the index."""

    seconds: float
    bytes: int


class PageEmbedder(Protocol):
    """Turns pages and questions into vectors; the score of a page is sum over question tokens of the best dot product.

    Making one is cheap: weights are loaded at first use, and calls are safe from any thread.
    """

    @property
    def name(self) -> str:
        """The display name."""

    @property
    def looks(self) -> bool:
        """Whether it looks at the picture of a page; else it takes the page's words and their places."""

    @property
    def fingerprint(self) -> str:
        """A digest of weights and settings: vectors are comparable only when their fingerprints are equal."""

    @property
    def cost(self) -> PageCost:
        """A guess of what a page costs."""

    def encode_page(self, content: PageContent) -> PageVectors:
        """Return the vectors of a page; none (n = 0) for a page on which there is nothing to see.

        Raises ModelError when the model cannot be loaded.
        """

    def encode_query(self, text: str) -> QueryVectors:
        """Return the vectors of a question. Raises ModelError when the model cannot be loaded."""

    def close(self) -> None:
        """Give back the memory; the next use loads the model again."""


def checked_vectors(made: PageVectors, page: int, file: str) -> PageVectors:
    """Return ``made``; raises ValueError, naming the page, for vectors that would spoil or escape every search."""
    lengths = np.linalg.norm(made.vectors, axis=1)
    if not np.isfinite(made.vectors).all() or not np.isfinite(lengths).all() or (lengths == 0).any():
        raise ValueError(f"page {page} of {file} has vectors that are zero or not finite")
    if made.cells.size and int(made.cells.max()) >= len(made.vectors):
        raise ValueError(f"page {page} of {file} has a cell without its vector")
    return made
