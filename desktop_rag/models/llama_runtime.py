"""A llama.cpp model in memory: tokens in, tokens out. Only ``llama`` uses it, after the environment is prepared."""

from __future__ import annotations

import ctypes
import functools
import logging
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp import llama_chat_format, mtmd_cpp

from desktop_rag.core.log import get_logger
from desktop_rag.models.chat_prompt import Segment

_log = get_logger(__name__)
_REPEAT_PENALTY = 1.05  # mild: figures and names have to be repeated as they stand in the passages
_PIECE_BYTES = 256


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How a model is loaded; ``gpu_layers`` -1 means all of them."""

    path: Path
    context_tokens: int
    threads: int
    gpu_layers: int


class StopFlag:
    """Makes llama.cpp give up in the middle of a prompt.

    llama.cpp asks its abort callback once for each of the hundreds of nodes of its graph. A Python function would
    have to take the interpreter's lock each time, and wait up to 5 ms for it beside a busy thread. So the callback is
    the C library's ``strlen`` on a string that is empty, or one character long once the work shall stop.
    """

    def __init__(self) -> None:
        self._cell = ctypes.create_string_buffer(2)
        library = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
        self._callback = ctypes.cast(library.strlen, llama_cpp.ggml_abort_callback)

    def set(self, stop: bool = True) -> None:
        """Stop what runs, or with False let the next work run."""
        self._cell[0] = b"\x01" if stop else b"\x00"

    @property
    def is_set(self) -> bool:
        """Whether llama.cpp is told to stop."""
        return bool(self._callback(ctypes.addressof(self._cell)))

    def watch(self, context: Any) -> None:
        """Have the llama.cpp ``context`` look at this flag, which must outlive it."""
        llama_cpp.llama_set_abort_callback(context, self._callback, ctypes.cast(self._cell, ctypes.c_void_p))


class LlamaRuntime:
    """One loaded model. Not safe from several threads: its owner sees to that."""

    def __init__(self, options: LoadOptions) -> None:
        silence()
        supported = llama_cpp.llama_supports_gpu_offload()
        self._llama = first_that_loads(options.gpu_layers if supported else 0, functools.partial(_open, options))
        self.stop = StopFlag()
        self.stop.watch(self._llama.ctx)
        self._vocab = llama_cpp.llama_model_get_vocab(self._llama.model)
        self._piece = ctypes.create_string_buffer(_PIECE_BYTES)
        self._formatter = self._chat_formatter()
        self._reading_threads = self._writing_threads = options.threads

    @property
    def has_template(self) -> bool:
        """Whether the file says how a chat is written down."""
        return self._formatter is not None

    def render(self, messages: list[dict[str, str]]) -> str:
        """Fill the file's chat template."""
        if self._formatter is None:
            raise ValueError("the model has no chat template")
        return str(self._formatter(messages=messages).prompt)

    def tokens(self, segments: Sequence[Segment]) -> list[int]:
        """Return the tokens of a prompt, begun as the model expects it."""
        tokens = [token for part in segments for token in self.tokenize(part.text, part.control)]
        begin = llama_cpp.llama_vocab_bos(self._vocab)
        if llama_cpp.llama_vocab_get_add_bos(self._vocab) and tokens[:1] != [begin]:
            tokens.insert(0, begin)
        return tokens

    def tokenize(self, text: str, control: bool = False) -> list[int]:
        """Return the tokens of ``text``; marks of the chat are plain text unless ``control``."""
        return list(self._llama.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=control))

    def generate(self, tokens: Sequence[int]) -> Iterator[int]:
        """Yield the likeliest tokens, without end. What ``tokens`` share with the last prompt is not read again."""
        written: Generator[int, None, None] = self._llama.generate(tokens, temp=0.0, repeat_penalty=_REPEAT_PENALTY)
        return written

    def log_likelihood(self, before: Sequence[int], tokens: Sequence[int]) -> float:
        """Return the mean natural log probability of ``tokens`` after ``before``, of which neither may be empty.

        llama_cpp keeps the logits of the last token only, unless it keeps those of all for good; so the last part is
        given to llama.cpp here. Raises ValueError for empty or too many tokens.
        """
        part = [*before[-1:], *tokens[:-1]]
        if not before or not tokens or len(part) > self._llama.n_batch:
            raise ValueError(f"{len(before)} tokens before {len(tokens)}: from 1 to {self._llama.n_batch} are read")
        llama = self._llama
        llama.reset()
        llama.eval(before[:-1])
        llama._ctx.kv_cache_seq_rm(-1, llama.n_tokens, -1)
        llama._batch.set_batch(part, llama.n_tokens, True)
        llama._ctx.decode(llama._batch)
        chances = [self._log_probability(at, token) for at, token in enumerate(tokens)]
        llama.reset()
        return float(np.mean(chances))

    def _log_probability(self, at: int, token: int) -> float:
        size = self._llama.n_vocab()
        logits = np.ctypeslib.as_array(self._llama._ctx.get_logits_ith(at), shape=(size,)).astype(np.float64)
        highest = logits.max()
        return float(logits[token] - highest - np.log(np.exp(logits - highest).sum()))

    def use_threads(self, threads: int) -> None:
        """Write with this many threads from the next token on; a prompt is read with all of them."""
        if threads != self._writing_threads:
            llama_cpp.llama_set_n_threads(self._llama.ctx, threads, self._reading_threads)
            self._writing_threads = threads

    def ends(self, token: int) -> bool:
        """Whether ``token`` ends a reply."""
        return bool(llama_cpp.llama_vocab_is_eog(self._vocab, token))

    def piece(self, token: int) -> bytes:
        """Return the bytes of a token, which may be a part of a character; of a control token, none."""
        size = llama_cpp.llama_token_to_piece(self._vocab, token, self._piece, len(self._piece), 0, False)
        if size < 0:
            self._piece = ctypes.create_string_buffer(-size)
            size = llama_cpp.llama_token_to_piece(self._vocab, token, self._piece, len(self._piece), 0, False)
        return self._piece.raw[: max(size, 0)]

    def close(self) -> None:
        """Free the memory."""
        self._llama.close()

    def _chat_formatter(self) -> Any:
        template = self._llama.metadata.get("tokenizer.chat_template")
        if not template:
            return None
        marks = [self._llama.token_eos(), self._llama.token_bos()]
        eos, bos = (llama_cpp.llama_vocab_get_text(self._vocab, mark).decode() if mark >= 0 else "" for mark in marks)
        return llama_chat_format.Jinja2ChatFormatter(template=template, eos_token=eos, bos_token=bos)


def first_that_loads(gpu_layers: int, load: Callable[[int], Any]) -> Any:
    """Load with ``gpu_layers`` on the GPU, or without one if that fails, e.g. because its memory is full."""
    if gpu_layers:
        try:
            return load(gpu_layers)
        except (ValueError, RuntimeError, OSError) as error:
            _log.warning("the model does not load on the GPU (%s); it runs on the CPU instead", error)
    return load(0)


def _set_safe_params(model: Any, params: Any) -> None:
    if b"AMX_INT8 = 1" in llama_cpp.llama_print_system_info():
        params.use_extra_bufts = False
    model.safe_params = params


def safe_llama() -> Any:
    """Return the Llama class with a guard against AMX tiles, where they are built in.

    llama.cpp asks for the right to use tiles on one thread only, and compilers drop its tile configuration: reading a
    prompt then ends in an illegal instruction (llama.cpp pull request 26954). The constructor has no switch for it,
    but it assigns ``model_params`` before it loads, so the switch is thrown there.
    """
    guard = property(lambda model: model.safe_params, _set_safe_params)
    return type("SafeLlama", (llama_cpp.Llama,), {"model_params": guard})


def open_with_pictures(options: LoadOptions, projector: Path) -> Any:
    """Load a vision model with its projector; raises ValueError when they do not belong together.

    The projector is loaded at once, and not at the first picture, so that what is wrong with it is told here.
    """
    callback = silence()
    mtmd_cpp.mtmd_log_set(callback, ctypes.c_void_p(0))  # "verbose" does not reach what reads pictures
    mtmd_cpp.mtmd_helper_log_set(callback, ctypes.c_void_p(0))
    supported = llama_cpp.llama_supports_gpu_offload()

    def load(gpu_layers: int) -> Any:
        handler = llama_chat_format.MTMDChatHandler(str(projector), verbose=False, use_gpu=gpu_layers != 0)
        llama = _open(options, gpu_layers, handler)
        try:
            handler._init_mtmd_context(llama)
            handler._get_chat_template(llama)
        except BaseException:
            llama.close()
            raise
        return llama

    return first_that_loads(options.gpu_layers if supported else 0, load)


def _open(options: LoadOptions, gpu_layers: int, chat_handler: Any = None) -> Any:
    return safe_llama()(
        model_path=str(options.path),
        n_ctx=options.context_tokens,
        n_threads=options.threads,
        n_threads_batch=options.threads,
        n_gpu_layers=gpu_layers,
        chat_handler=chat_handler,
        verbose=False,
    )


@functools.cache
def silence() -> Any:
    """Send llama.cpp's own messages to our log at debug level, for the life of the process.

    The library keeps the function's address, so the callback is kept too, in this function's cache.
    """

    def forward(level: int, text: bytes, data: Any) -> None:
        if _log.isEnabledFor(logging.DEBUG):
            _log.debug("llama.cpp: %s", text.decode("utf-8", "replace").rstrip())

    callback = llama_cpp.llama_log_callback(forward)
    llama_cpp.llama_log_set(callback, ctypes.c_void_p(0))
    return callback
