"""Page models that look at pictures (ColPali and its kin) from a folder on this machine. Loaded at first use."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_rag.core.errors import ModelError
from desktop_rag.core.log import get_logger
from desktop_rag.models.environment import prepare_environment
from desktop_rag.models.memory import available_bytes, require_memory
from desktop_rag.models.page_checkpoints import Checkpoint, Loader, digest_of, inspect
from desktop_rag.models.page_embedder import PageContent, PageCost, PageVectors, QueryVectors

if TYPE_CHECKING:
    from desktop_rag.models.page_vision_loaded import LoadedPageModel

_log = get_logger(__name__)
_WORKING_BYTES = 1_200_000_000
_EXPANSION = 2
"""A model stored with 16 bits may be computed with 32, where that is faster."""

_SECONDS_PER_GIGABYTE = 12.0
"""A page on two cores, before anything was measured here; 0.5 GB took 5 to 8 s."""

_PATCHES = 1030
_DIMENSIONS = 128
_INSTALL = "Install the packages for page models: pip install 'desktop-rag[page-models]'"


class VisionPageEmbedder:
    """A page model from a local folder: byaldi loads ColPali and ColQwen2, colpali-engine and transformers the others.

    ``cache`` is a small file that remembers which number format was faster here; ``free`` tells the free memory.
    ``pause`` is called many times within a page, and may wait while somebody else needs the cores, or this model: a
    large one may look at a page for a minute, and a question is not to wait for that.
    """

    looks = True

    def __init__(
        self,
        name: str,
        folder: Path,
        threads: int = 0,
        cache: Path | None = None,
        fingerprint: str = "",
        free: Callable[[], int] = available_bytes,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self._folder = folder
        self._threads = threads
        self._cache = cache
        self._known_fingerprint = fingerprint
        self._free = free
        self._pause = pause
        self._using = threading.Lock()
        self._loaded: LoadedPageModel | None = None

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """What lies in the folder. Raises ModelError when that is no whole page model."""
        return inspect(self._folder)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the model's files."""
        return f"{self.name}-{self._known_fingerprint or digest_of(self._folder)}"

    @property
    def cost(self) -> PageCost:
        """A guess of what a page costs on two cores."""
        gigabytes = self.checkpoint.weights / 1e9
        return PageCost(max(0.05, _SECONDS_PER_GIGABYTE * gigabytes), _PATCHES * _DIMENSIONS * 2)

    @property
    def needed_bytes(self) -> int:
        """The memory that the model will need."""
        return memory_for(self.checkpoint.weights)

    def encode_page(self, content: PageContent) -> PageVectors:
        """Return the vectors of a page's picture; one page at a time, as mixed sizes give some models NaN."""
        if content.picture is None:
            raise ValueError("a page model needs the picture of a page")
        with self._using:
            return self._model().encode_picture(content.picture, self._make_room)

    def encode_query(self, text: str) -> QueryVectors:
        """Return the vectors of a question, those of the model's own additions among them (their words are empty)."""
        with self._using:
            return self._model().encode_query(text)

    def _make_room(self) -> None:
        """Let a question have the model, between two layers of a page."""
        self._using.release()
        try:
            self._pause()
        finally:
            self._using.acquire()

    def close(self) -> None:
        """Give back the memory; the next use loads the model again."""
        with self._using:
            self._loaded = None

    def _model(self) -> LoadedPageModel:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> LoadedPageModel:
        checkpoint = self.checkpoint
        wanted = {Loader.BYALDI: ("byaldi", "colpali_engine"), Loader.COLPALI_ENGINE: ("colpali_engine",)}
        for package in (*wanted.get(checkpoint.family.loader, ()), "torchvision"):
            if importlib.util.find_spec(package) is None:
                raise ModelError(f"The page model {self.name} needs the package {package}. {_INSTALL}.")
        require_memory(self.needed_bytes, f"The page model {self.name} ({self._folder})", self._free)
        prepare_environment()
        from desktop_rag.models.page_vision_loaded import load

        try:
            return load(checkpoint, self._threads, self._cache)
        except ModelError:
            raise
        except Exception as error:  # whatever torch, safetensors or transformers say of a damaged folder
            _log.error("page model cannot be loaded: %s", type(error).__name__)
            raise ModelError(
                f"The page model in {self._folder} cannot be loaded ({type(error).__name__}: {_short(error)}). Its "
                "files may be damaged or made for other versions: install it again, or choose another one."
            ) from error


def memory_for(weights: int) -> int:
    """Return the memory that a page model of so many bytes of weights will need."""
    return weights * _EXPANSION + _WORKING_BYTES


def _short(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:200]
