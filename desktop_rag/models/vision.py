"""Vision models that say what a figure shows: the protocol, and the adapter for llama.cpp's multimodal models."""

from __future__ import annotations

import base64
import functools
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from blake3 import blake3

from desktop_rag.core.errors import ModelError
from desktop_rag.core.log import get_logger
from desktop_rag.core.paths import resource
from desktop_rag.models.environment import prepare_environment
from desktop_rag.models.gguf import GgufHead, read_head
from desktop_rag.models.memory import require_memory

_log = get_logger(__name__)

PROMPT_VERSION = "figure.v1"
"""The name of the instruction's file. It is a part of the fingerprint: another instruction describes anew."""

_WORKING_BYTES = 400_000_000
_SAMPLE_BYTES = 1 << 20
_REMEDY = "Choose the model's own projector (its name usually begins with mmproj) in the settings."


class Captioner(Protocol):
    """Says in words what is to be seen in a picture."""

    @property
    def name(self) -> str:
        """The display name."""

    @property
    def fingerprint(self) -> str:
        """A digest of the model and of what it is asked: with another one, descriptions are made again."""

    def describe(self, picture: bytes) -> str:
        """Return what a PNG shows. Raises ModelError when the model cannot be loaded or fails."""

    def close(self) -> None:
        """Free the memory; a later :meth:`describe` loads the model again."""


@dataclass(frozen=True, slots=True)
class VisionFiles:
    """A vision model on the disk: the language model, the projector that turns pictures into its tokens, and limits."""

    model: Path
    projector: Path
    context_tokens: int = 4096
    max_tokens: int = 220

    @property
    def name(self) -> str:
        """The display name: as the file has it, or the name of the file."""
        try:
            return read_head(self.model, "vision model").name
        except ModelError:
            return self.model.stem

    @property
    def fingerprint(self) -> str:
        """A digest of size, beginning and end of both files, and of the instruction: quick for files of gigabytes.

        Raises ModelError when a file cannot be read.
        """
        digest = blake3(resource("prompts", f"{PROMPT_VERSION}.txt").read_bytes())
        for path in (self.model, self.projector):
            read_head(path, "vision model")
            size = path.stat().st_size
            with path.open("rb") as file:
                digest.update(f"{size} ".encode("ascii") + file.read(_SAMPLE_BYTES))
                file.seek(max(0, size - _SAMPLE_BYTES))
                digest.update(file.read(_SAMPLE_BYTES))
        return f"{self.name}-{digest.hexdigest()[:16]}"

    def check(self) -> None:
        """Raise ModelError, naming the file and the remedy, unless both files are there and of the right kind."""
        head = read_head(self.model, "vision model")
        projector = read_head(self.projector, "projector of the vision model")
        if head.values.get("general.architecture") == "clip":
            raise ModelError(
                f"{self.model} is a projector, not a vision model. Choose the language model that belongs to it as the "
                "vision model in the settings, and this file as its projector."
            )
        if projector.values.get("general.architecture") != "clip":
            raise ModelError(f"{self.projector} is not the projector of a vision model. {_REMEDY}")

    def memory_bytes(self) -> int:
        """Estimate the memory of both, loaded."""
        head: GgufHead = read_head(self.model, "vision model")
        return head.memory_bytes(self.context_tokens, _WORKING_BYTES) + self.projector.stat().st_size


class LlamaCaptioner:
    """A vision model of llama.cpp (MTMD). Loaded at first use; one picture at a time, from any thread.

    Descriptions are greedy, so the same picture gives the same words. ``threads`` is the number of cores it takes.
    """

    def __init__(self, files: VisionFiles, threads: int = 1, gpu_layers: int = 0) -> None:
        self._files = files
        self._threads = max(1, threads)
        self._gpu_layers = gpu_layers
        self._turn = threading.Lock()
        self._llama: Any = None

    @property
    def name(self) -> str:
        """The display name."""
        return self._files.name

    @functools.cached_property
    def fingerprint(self) -> str:
        """See the protocol."""
        return self._files.fingerprint

    def describe(self, picture: bytes) -> str:
        """Return what a PNG shows, on one line; see the protocol."""
        with self._turn:
            if self._llama is None:
                self._llama = self._load()
            try:
                answer = self._llama.create_chat_completion(
                    messages=[{"role": "user", "content": _question(picture)}],
                    max_tokens=self._files.max_tokens,
                    temperature=0.0,
                )
            except (ValueError, RuntimeError, AssertionError) as error:
                raise ModelError(
                    f"The vision model {self._files.model} with the projector {self._files.projector} failed at a "
                    f"picture ({error}). {_REMEDY}"
                ) from error
        return " ".join(str(answer["choices"][0]["message"]["content"] or "").split())

    def close(self) -> None:
        """Free the memory; a later :meth:`describe` loads the model again."""
        with self._turn:
            if self._llama is not None:
                self._llama.close()
                self._llama = None

    def _load(self) -> Any:
        self._files.check()
        require_memory(self._files.memory_bytes(), f"The vision model {self._files.name} ({self._files.model})")
        prepare_environment()
        from desktop_rag.models.llama_runtime import LoadOptions, open_with_pictures

        options = LoadOptions(self._files.model, self._files.context_tokens, self._threads, self._gpu_layers)
        try:
            llama = open_with_pictures(options, self._files.projector)
        except (ValueError, RuntimeError, OSError, AssertionError) as error:
            raise ModelError(
                f"The vision model {self._files.model} cannot be loaded with the projector {self._files.projector}: "
                f"one of them is damaged, or they do not belong together. {_REMEDY}"
            ) from error
        _log.info("vision model loaded: %d bytes", self._files.model.stat().st_size)
        return llama


def _question(picture: bytes) -> list[dict[str, Any]]:
    """Return the message: the picture as a ``data:`` address, the only kind that is not fetched, then the words."""
    address = "data:image/png;base64," + base64.b64encode(picture).decode("ascii")
    words = resource("prompts", f"{PROMPT_VERSION}.txt").read_text(encoding="utf-8").strip()
    return [{"type": "image_url", "image_url": {"url": address}}, {"type": "text", "text": words}]
