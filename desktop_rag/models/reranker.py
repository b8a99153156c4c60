"""The protocol of models that look at a question and a passage together. Batches and time limits live outside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]


class Reranker(Protocol):
    """Says how well passages answer a question."""

    @property
    def name(self) -> str:
        """The display name."""

    @property
    def trust(self) -> float:
        """How much its scores weigh against those of the search that found the passages: 0 nothing, 1 everything."""

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        """Return a score for each passage, shape (len(passages),); higher is better, on a scale of the model's own.

        Raises ModelError when the model cannot be loaded.
        """
