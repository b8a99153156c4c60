"""Models of natural language inference: does a text contradict a sentence? From a folder on this machine."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from desktop_rag.core.errors import ModelError
from desktop_rag.models.cross_encoder import load_cross_encoder

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_LABEL = "contradict"


class EntailmentModel(Protocol):
    """Reads a text and a sentence together."""

    @property
    def name(self) -> str:
        """The display name."""

    def contradictions(self, texts: Sequence[str], sentence: str) -> list[float]:
        """Return for each text how likely it is, from 0 to 1, that it contradicts ``sentence``.

        Raises ModelError when the model cannot be loaded.
        """


class CrossEncoderEntailment:
    """A sentence-transformers cross-encoder for NLI; loaded at first use. Safe from any thread, one at a time.

    Which of its classes is the contradiction stands in its ``config.json`` (``id2label``): the order differs from one
    model to the next.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = threading.Lock()
        self._loaded: CrossEncoder | None = None
        self._class = -1

    @property
    def name(self) -> str:
        """The display name: that of the folder."""
        return self._path.name

    def contradictions(self, texts: Sequence[str], sentence: str) -> list[float]:
        """Return how likely each text contradicts ``sentence``; see the protocol."""
        if not texts:
            return []
        with self._turn:
            if self._loaded is None:
                model = load_cross_encoder(self._path, "model for contradictions")
                self._class = self._contradiction_of(model)
                self._loaded = model
            pairs = [(text, sentence) for text in texts]
            given = self._loaded.predict(pairs, apply_softmax=True, show_progress_bar=False)
        return [float(one) for one in np.asarray(given, dtype=np.float32)[:, self._class]]

    def _contradiction_of(self, model: CrossEncoder) -> int:
        labels: dict[int, str] = dict(model.model.config.id2label)
        found = [int(number) for number, label in labels.items() if label.casefold().startswith(_LABEL)]
        if len(found) != 1 or len(labels) < 2:
            names = ", ".join(labels.values())
            raise ModelError(
                f"The model in {self._path} does not say which of its answers is a contradiction (it has {names}). "
                "Choose a model for natural language inference (NLI) in the settings, or none."
            )
        return found[0]
