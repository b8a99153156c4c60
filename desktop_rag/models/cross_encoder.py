"""Any sentence-transformers cross-encoder from a folder on this machine."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from desktop_rag.core.errors import ModelError
from desktop_rag.core.log import get_logger
from desktop_rag.models.environment import prepare_environment
from desktop_rag.models.memory import require_memory
from desktop_rag.models.reranker import Scores

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_log = get_logger(__name__)
_WORKING_BYTES = 300_000_000


class CrossEncoderReranker:
    """Reads question and passage in one pass; loaded at first use. Safe from any thread, one at a time."""

    trust = 0.8

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = threading.Lock()
        self._loaded: CrossEncoder | None = None

    @property
    def name(self) -> str:
        """The display name: that of the folder."""
        return self._path.name

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        """Return the model's scores, or what it says for its first class if it has several; see the protocol."""
        if not passages:
            return np.zeros(0, dtype=np.float32)
        with self._turn:
            model = self._model()
            given = model.predict([(question, passage) for passage in passages], show_progress_bar=False)
        return np.asarray(given, dtype=np.float32).reshape(len(passages), -1)[:, 0]

    def _model(self) -> CrossEncoder:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> CrossEncoder:
        if not (self._path / "config.json").is_file():
            raise ModelError(
                f"{self._path} is not the folder of a cross-encoder (it lacks config.json). Choose another folder in "
                "the settings, or none."
            )
        weights = sum(file.stat().st_size for file in self._path.glob("*") if file.suffix in {".safetensors", ".bin"})
        require_memory(weights + _WORKING_BYTES, f"The reranker {self.name} ({self._path})")
        prepare_environment()
        from sentence_transformers import CrossEncoder

        try:
            model = CrossEncoder(str(self._path), device="cpu", local_files_only=True)
        except Exception as error:  # whatever torch, safetensors or transformers say of a damaged folder
            _log.error("reranker cannot be loaded: %s", type(error).__name__)
            raise ModelError(
                f"The reranker in {self._path} cannot be loaded: {error}. The files may be damaged: copy them again, "
                "or choose another folder in the settings, or none."
            ) from error
        model.model.eval()
        return model
