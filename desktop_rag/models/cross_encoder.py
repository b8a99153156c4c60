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
from desktop_rag.models.torchvision_repair import ensure_torchvision

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
            self._loaded = load_cross_encoder(self._path, "reranker")
        return self._loaded


def load_cross_encoder(path: Path, what: str) -> CrossEncoder:
    """Load the cross-encoder in the folder ``path``; ``what`` is what people call it.

    Raises ModelError, naming folder and remedy, when it is none, is damaged, or does not fit into memory.
    """
    if not (path / "config.json").is_file():
        raise ModelError(
            f"{path} is not the folder of a cross-encoder (it lacks config.json). Choose another folder in the "
            "settings, or none."
        )
    weights = sum(file.stat().st_size for file in path.glob("*") if file.suffix in {".safetensors", ".bin"})
    require_memory(weights + _WORKING_BYTES, f"The {what} {path.name} ({path})")
    prepare_environment()
    ensure_torchvision()
    from sentence_transformers import CrossEncoder

    try:
        model = CrossEncoder(str(path), device="cpu", local_files_only=True)
    except Exception as error:  # whatever torch, safetensors or transformers say of a damaged folder
        _log.error("%s cannot be loaded: %s", what, type(error).__name__)
        raise ModelError(
            f"The {what} in {path} cannot be loaded: {error}. The files may be damaged: copy them again, or choose "
            "another folder in the settings, or none."
        ) from error
    model.model.eval()
    return model
