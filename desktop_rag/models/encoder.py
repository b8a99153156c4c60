"""The loaded half of the sentence-transformers adapter: token numbers in, unit vectors out.

Only ``sentence_transformer`` imports this module, at first use, because torch takes seconds to import.
"""

from __future__ import annotations

import contextlib
import copy
import json
import platform
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from desktop_rag.core.log import get_logger
from desktop_rag.models.embedder import Vectors
from desktop_rag.models.torchvision_repair import ensure_torchvision

_log = get_logger(__name__)
_PROBE_TEXTS, _PROBE_TOKENS, _PROBE_ROUNDS = 8, 128, 3


class Encoder:
    """A model in memory. :meth:`vectors` computes on the calling thread, so several threads make it parallel."""

    def __init__(self, path: Path) -> None:
        # Parallel by batches, not inside a layer: threads that share a layer wait for each other at each of its ends.
        torch.set_num_threads(1)
        ensure_torchvision()  # sentence-transformers imports it where it is installed
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(str(path), device="cpu", local_files_only=True)
        model.eval()
        self._exact, self._rest = model[0], list(model)[1:]
        self._probe_tokens = min(_PROBE_TOKENS, model.max_seq_length or _PROBE_TOKENS)
        self._fast: torch.nn.Module | None = None
        self._choosing = threading.Lock()
        self._chosen = False
        pad = model.tokenizer.pad_token_id
        self._pad = 0 if pad is None else int(pad)
        self.dimensions = int(self.vectors([[self._pad, self._pad]], exact=True).shape[1])

    @property
    def half_precision(self) -> bool:
        """Whether batches are computed in bfloat16."""
        return self._fast is not None

    def vectors(self, ids: Sequence[Sequence[int]], exact: bool = False) -> Vectors:
        """Return unit vectors of the token rows ``ids``; ``exact`` keeps to float32 whatever was chosen."""
        return self._run(ids, self._exact if exact or self._fast is None else self._fast)

    def token_vectors(self, ids: Sequence[Sequence[int]]) -> list[Vectors]:
        """Return, for each row of ``ids``, a unit vector for each of its tokens, shape (tokens, dimensions)."""
        features = self._features(ids)
        with torch.inference_mode():
            with self._format(self._fast or self._exact):
                made = (self._fast or self._exact)(features)["token_embeddings"]
            unit = torch.nn.functional.normalize(made.float(), dim=2).numpy()
        return [unit[row, : len(tokens)] for row, tokens in enumerate(ids)]

    def choose_format(self, cache: Path | None) -> None:
        """Find out, once, whether bfloat16 is faster on this machine, and use it for batches if so."""
        with self._choosing:
            if self._chosen:
                return
            half = _half_precision(self._exact)
            faster = _recall(cache)
            if faster is None:
                faster = self._seconds(half) < 0.9 * self._seconds(self._exact)
                _remember(cache, faster)
            self._fast = half if faster else None
            self._chosen = True
            _log.info("text vectors are computed in %s", "bfloat16" if faster else "float32")

    def _seconds(self, transformer: torch.nn.Module) -> float:
        ids = [[self._pad] * self._probe_tokens] * _PROBE_TEXTS
        best = float("inf")
        for _ in range(_PROBE_ROUNDS):
            start = time.perf_counter()
            self._run(ids, transformer)
            best = min(best, time.perf_counter() - start)
        return best

    def _run(self, ids: Sequence[Sequence[int]], transformer: torch.nn.Module) -> Vectors:
        features = self._features(ids)
        with torch.inference_mode():
            with self._format(transformer):
                features = transformer(features)
            features["token_embeddings"] = features["token_embeddings"].float()
            for module in self._rest:
                features = module(features)
            unit = torch.nn.functional.normalize(features["sentence_embedding"].float(), dim=1)
        vectors: Vectors = unit.numpy()
        return vectors

    def _features(self, ids: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        longest = max(map(len, ids))
        rows = torch.tensor([[*row, *[self._pad] * (longest - len(row))] for row in ids])
        mask = torch.arange(longest) < torch.tensor([len(row) for row in ids]).unsqueeze(1)
        return {"input_ids": rows, "attention_mask": mask.long()}

    def _format(self, transformer: torch.nn.Module) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext() if transformer is self._exact else torch.autocast("cpu", torch.bfloat16)


def _half_precision(transformer: torch.nn.Module) -> torch.nn.Module:
    """Return a copy whose linear layers hold bfloat16 weights; autocast would convert them anew for each batch."""
    copied = copy.deepcopy(transformer)
    for module in copied.modules():
        if isinstance(module, torch.nn.Linear):
            module.to(torch.bfloat16)
    return copied


def _machine() -> str:
    return f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()} torch {torch.__version__}"


def _recall(cache: Path | None) -> bool | None:
    try:
        stored = json.loads(cache.read_text(encoding="utf-8")) if cache else {}
        return stored["bfloat16"] if stored.get("machine") == _machine() else None
    except (OSError, ValueError, KeyError, AttributeError):
        return None


def _remember(cache: Path | None, faster: bool) -> None:
    if cache is None:
        return
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_text(json.dumps({"machine": _machine(), "bfloat16": faster}), encoding="utf-8")
    except OSError as error:
        _log.warning("the measured number format cannot be remembered: %s", error)
