"""Vectors of questions, embedded once for all the routes that ask for them."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from desktop_rag.models.embedder import Embedder
from desktop_rag.retrieve.clock import step

_KEPT = 32


class QueryVectors:
    """Embeds questions and keeps the last few vectors. Safe from any thread; two that ask at once share one pass."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the model."""
        return self._embedder.fingerprint

    def forget(self) -> None:
        """Embed anew what is asked again."""
        with self._lock:
            self._kept.clear()

    def of(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector of ``question``, shape (dimensions,)."""
        with self._lock, step("embed"):
            if question not in self._kept:
                self._kept[question] = self._embedder.embed([question])[0]
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(question)
            return self._kept[question]
