"""The page embedder that comes along: what a page says, and where. It cannot see shapes.

Each token of the page's text is embedded in its context by the text model, and the tokens that stand in the same patch
of the page are averaged. It is late interaction (Khattab and Zaharia, "ColBERT", SIGIR 2020) with a model that was not
trained for it; the documentation says how well that does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from desktop_rag.core.types import BBox
from desktop_rag.models.page_embedder import (
    Cells,
    PageContent,
    PageCost,
    PageVectors,
    PageWord,
    Passage,
    QueryVectors,
    Vectors,
)
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder, TokenVectors

COLUMNS = 16
_FEWEST_ROWS, _MOST_ROWS = 6, 40
_VERSION = 1
_WORD = re.compile(r"\w+|[^\w\s]")
_SECONDS = 0.15
_CELLS_IN_USE = 130
"""Patches of an ordinary page that hold words."""


class WordPageEmbedder:
    """Late interaction over words and places, by the text model that is in memory anyway."""

    name = "words and places"
    looks = False

    def __init__(self, embedder: SentenceTransformerEmbedder, pause: Callable[[], None] = lambda: None) -> None:
        """``pause`` is called several times within a page, and may wait while somebody else needs the cores."""
        self._embedder = embedder
        self._pause = pause

    @property
    def fingerprint(self) -> str:
        """The text model's fingerprint, and what is done with it here."""
        return f"words{_VERSION}x{COLUMNS}-{self._embedder.fingerprint}"

    @property
    def cost(self) -> PageCost:
        """A guess of what a page costs."""
        return PageCost(_SECONDS, _CELLS_IN_USE * self._embedder.dimensions * 2)

    def encode_page(self, content: PageContent) -> PageVectors:
        """Return a unit vector for each patch that holds words, in reading order of the patches; see the protocol."""
        rows = grid_rows(content.width, content.height)
        sums = np.zeros((rows * COLUMNS, self._embedder.dimensions), dtype=np.float32)
        embedded = self._embedder.token_vectors([passage.text for passage in content.passages], self._pause)
        for passage, tokens in zip(content.passages, embedded, strict=True):
            for place, vector in _placed(passage, tokens):
                x, y = (place.x0 + place.x1) / 2 / content.width, (place.y0 + place.y1) / 2 / content.height
                column, row = min(COLUMNS - 1, max(0, int(x * COLUMNS))), min(rows - 1, max(0, int(y * rows)))
                sums[row * COLUMNS + column] += vector
        lengths = np.linalg.norm(sums, axis=1)
        full = np.flatnonzero(lengths > 0)
        cells: Cells = np.full(rows * COLUMNS, -1, dtype=np.int16)
        cells[full] = np.arange(len(full), dtype=np.int16)
        vectors: Vectors = sums[full] / lengths[full, None]
        return PageVectors(vectors, cells.reshape(rows, COLUMNS))

    def encode_query(self, text: str) -> QueryVectors:
        """Return a vector for each token that stands for letters; the marks of begin and end stand for none."""
        tokens = self._embedder.token_vectors([text])[0]
        kept = [index for index, (start, end) in enumerate(tokens.offsets) if end > start]
        words = tuple(_word_at(text, tokens.offsets[index][0]) for index in kept)
        return QueryVectors(words, tokens.vectors[kept])

    def close(self) -> None:
        """Nothing to give back: the text model is needed for other things too."""


def grid_rows(width: float, height: float) -> int:
    """Return how many rows of patches a page has, so that patches are about square."""
    return min(_MOST_ROWS, max(_FEWEST_ROWS, round(COLUMNS * height / max(width, 1.0))))


def _word_at(text: str, at: int) -> str:
    """Return the whole word of which the token that begins at ``at`` is a part."""
    return next((match.group() for match in _WORD.finditer(text) if match.start() <= at < match.end()), "")


def _placed(passage: Passage, tokens: TokenVectors) -> Iterator[tuple[BBox, Vectors]]:
    """Yield each token that stands on the page with the place of the word that it begins in."""
    words: Sequence[PageWord] = passage.words
    at = 0
    for (start, end), vector in zip(tokens.offsets, tokens.vectors, strict=True):
        while at < len(words) and words[at].end <= start:
            at += 1
        if at == len(words):
            return
        if end > start >= words[at].start:
            yield words[at].bbox, vector
