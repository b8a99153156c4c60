"""The loaded half of page models: pictures and questions in, vectors with their places out.

Only ``page_vision`` imports this module, at first use, because torch and byaldi take seconds to import.
"""

from __future__ import annotations

import importlib
import math
import re
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from desktop_rag.core.log import get_logger
from desktop_rag.models.devices import Device, choose_device
from desktop_rag.models.page_checkpoints import Checkpoint, Family, Grid, Loader
from desktop_rag.models.page_embedder import Cells, PageVectors, QueryVectors, Vectors
from desktop_rag.models.torchvision_repair import ensure_torchvision

if TYPE_CHECKING:
    from PIL.Image import Image

_log = get_logger(__name__)
_TILE = re.compile(r"<row_(\d+)_col_(\d+)>")
_WORD = re.compile(r"\w+|[^\w\s]")
_REACH = 24
"""Characters of the question that may lie between a token's letters and those before."""


class _PathOfFamily(str):
    """A path as byaldi wants it: it looks for the family's name in ``path.lower()``, the whole path.

    A folder may have any name, and one above it may have the name of the other family.
    """

    __slots__ = ("family",)
    family: str

    def lower(self) -> str:
        """Return the family's name."""
        return self.family


@dataclass(frozen=True, slots=True)
class _Parts:
    model: Any
    processor: Any


def load(checkpoint: Checkpoint, threads: int, cache: Path | None) -> LoadedPageModel:
    """Load a whole checkpoint with the library of its family onto the fastest device."""
    ensure_torchvision()
    device = choose_device(cache)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of transformers, about names of arguments
        _without_progress_bars()
        if checkpoint.family.loader is Loader.BYALDI:
            parts = _by_byaldi(checkpoint, device)
        else:
            parts = _by_classes(checkpoint, device)
    parts.model.to(device=device.name, dtype=device.dtype).eval()
    _log.info("page model is computed on %s in %s", device.name, device.format)
    return LoadedPageModel(parts.model, parts.processor, checkpoint.family, device, threads)


def _without_progress_bars() -> None:
    logging: Any = importlib.import_module("transformers.utils.logging")
    logging.disable_progress_bar()


def _by_byaldi(checkpoint: Checkpoint, device: Device) -> _Parts:
    from byaldi import RAGMultiModalModel

    path = _PathOfFamily(checkpoint.folder)
    path.family = checkpoint.family.mark
    opened = RAGMultiModalModel.from_pretrained(path, device=device.name, verbose=0).model
    return _Parts(opened.model, opened.processor)


def _by_classes(checkpoint: Checkpoint, device: Device) -> _Parts:
    family = checkpoint.family
    package: Any = importlib.import_module(
        "colpali_engine.models" if family.loader is Loader.COLPALI_ENGINE else "transformers"
    )
    folder = str(checkpoint.folder)
    model = getattr(package, family.architecture).from_pretrained(folder, dtype=device.dtype, local_files_only=True)
    processor = getattr(package, family.processor).from_pretrained(folder, local_files_only=True)
    return _Parts(model, processor)


class LoadedPageModel:
    """A model in memory; used by one thread at a time, but that another may have it between two layers of a page."""

    def __init__(self, model: Any, processor: Any, family: Family, device: Device, threads: int) -> None:
        self.model = model
        self.processor = processor
        self._family = family
        self._device = device
        self._threads = threads
        self._looking = threading.local()
        for module in model.modules():
            if isinstance(module, torch.nn.ModuleList):
                for layer in module:
                    layer.register_forward_pre_hook(self._before_layer)

    def _before_layer(self, *_: Any) -> None:
        between = getattr(self._looking, "between", None)
        if between is not None:
            between()

    def encode_picture(self, picture: Image, between: Callable[[], None] | None = None) -> PageVectors:
        """Return all vectors of a picture with the places of its patches, as the model's own scores use them.

        ``between`` is called before each of the model's layers; until it returns, another thread may use the model:
        what layers work on is on their way through them, and not kept in the model.
        """
        batch = self._picture_batch(picture)
        self._looking.between = between
        try:
            vectors = self._run(batch)
        finally:
            self._looking.between = None
        ids = batch["input_ids"][0]
        return PageVectors(vectors, self._cells(batch, ids))

    def encode_query(self, text: str) -> QueryVectors:
        """Return a vector for each token of a question, with the word of the question that it is a part of."""
        batch = self._question_batch(text)
        vectors = self._run(batch)
        words = self._words(text, batch["input_ids"][0].tolist())
        kept = np.flatnonzero(np.linalg.norm(vectors, axis=1) > 0)  # padding is zero
        return QueryVectors(tuple(words[index] for index in kept), vectors[kept])

    def _picture_batch(self, picture: Image) -> Any:
        if self._family.grid is Grid.LINES:
            return self.processor(images=[picture], return_tensors="pt")
        return self.processor.process_images([picture])

    def _question_batch(self, text: str) -> Any:
        if self._family.grid is Grid.LINES:  # the checkpoint's own template tells questions from documents
            said = [{"role": "user", "content": [{"type": "text", "text": text}]}]
            as_tensors = {"tokenize": True, "return_dict": True, "return_tensors": "pt"}
            return self.processor.apply_chat_template(said, task="query", **as_tensors)
        return self.processor.process_queries([text])

    def _run(self, batch: Any) -> Vectors:
        if self._threads and torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        floats = (torch.float16, torch.bfloat16, torch.float32)
        moved = {
            name: value.to(self._device.name, self._device.dtype if value.dtype in floats else value.dtype)
            for name, value in batch.items()
        }
        with torch.inference_mode():
            made = self.model(**moved)
        embeddings = made if isinstance(made, torch.Tensor) else made.embeddings
        vectors: Vectors = embeddings[0].float().cpu().numpy()
        return vectors

    def _cells(self, batch: Any, ids: Any) -> Cells:
        places = np.flatnonzero((ids == self._picture_token()).numpy()).astype(np.int16)
        if self._family.grid is Grid.SQUARE:
            side = math.isqrt(len(places))
            return places[: side * side].reshape(side, side)
        if self._family.grid is Grid.LINES:
            rows = int((ids == self.processor.tokenizer.row_token_id).sum())
            return places[1:].reshape(rows, -1)
        if self._family.grid is Grid.DYNAMIC:
            merge = int(self.processor.image_processor.merge_size)
            _, rows, columns = (int(value) for value in batch["image_grid_thw"][0])
            return places.reshape(rows // merge, columns // merge)
        return self._tiles(places, ids)

    def _tiles(self, places: Cells, ids: Any) -> Cells:
        """Put tiles side by side: each is a small grid, and they follow each other row by row."""
        length = int(self.processor.image_seq_len)
        side = math.isqrt(length)
        names = self.processor.tokenizer.convert_ids_to_tokens(ids.tolist())
        found = [match for name in names if (match := _TILE.fullmatch(str(name)))]
        rows = max((int(match[1]) for match in found), default=1)
        columns = max((int(match[2]) for match in found), default=1)
        cells: Cells = places[: rows * columns * length].reshape(rows, columns, side, side).transpose(0, 2, 1, 3)
        return cells.reshape(rows * side, columns * side)

    def _picture_token(self) -> int:
        known = getattr(self.processor, "image_token_id", None)
        if known is not None:
            return int(known)
        return int(self.processor.tokenizer.convert_tokens_to_ids(self.processor.image_token))

    def _words(self, text: str, ids: list[int]) -> list[str]:
        """Find each token in the question; what the model adds before and after is found nowhere."""
        spans = [(match.start(), match.end(), match.group()) for match in _WORD.finditer(text)]
        special = set(self.processor.tokenizer.all_special_ids)
        words, at = [], 0
        for number in ids:
            piece = "" if number in special else self.processor.tokenizer.decode([number]).strip()
            found = text.find(piece, at, at + len(piece) + _REACH) if piece else -1
            if found < 0:
                words.append("")
                continue
            words.append(next((word for start, end, word in spans if start <= found < end), ""))
            at = found + len(piece)
        return words
