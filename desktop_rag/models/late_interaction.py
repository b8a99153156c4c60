"""Late interaction with any text model: each token of the question looks for its like in the passage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from desktop_rag.models.embedder import Vectors
from desktop_rag.models.reranker import Scores
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder, TokenVectors

LATE_INTERACTION = "late-interaction"
"""The reranker that needs no model but the text model, as the settings call it."""


class LateInteraction:
    """MaxSim (Khattab and Zaharia, "ColBERT", SIGIR 2020), averaged over the question's tokens: between -1 and 1.

    The model was not trained for it, so it is no more than another opinion: :attr:`trust` is low.
    """

    trust = 0.3

    def __init__(self, embedder: SentenceTransformerEmbedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The display name."""
        return f"late interaction, {self._embedder.name}"

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        """Return the mean of the best cosines; 0 for a text without tokens."""
        asked, *found = map(_tokens, self._embedder.token_vectors([question, *passages]))
        return np.array([mean_max_sim(asked, passage) for passage in found], dtype=np.float32)


def _tokens(text: TokenVectors) -> Vectors:
    """Return the vectors of the tokens that stand for characters, so without begin and end marks."""
    return text.vectors[[start < end for start, end in text.offsets]]


def mean_max_sim(question: Vectors, passage: Vectors) -> float:
    """Return the mean over the question's tokens of the best cosine with a token of the passage; 0 without tokens."""
    if not len(question) or not len(passage):
        return 0.0
    return float((question @ passage.T).max(axis=1).mean())
