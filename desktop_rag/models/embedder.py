"""The protocol of text embedding models. Batching, caching and cancelling live outside it, in ``batches``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their cosine similarity."""

    @property
    def name(self) -> str:
        """The display name."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    @property
    def max_tokens(self) -> int:
        """Tokens that the model reads; what comes after them is ignored."""

    @property
    def fingerprint(self) -> str:
        """A digest of weights and settings: vectors are comparable only when their fingerprints are equal."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 vectors of shape (len(texts), dimensions), each of length 1.

        Raises ModelError when the model cannot be loaded.
        """

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return how many of the model's tokens each text has, not cut at :attr:`max_tokens`."""
