"""What native libraries read once, when they are loaded or begin to work: to be set before that."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress

from desktop_rag.models import environment as models_environment

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_ARENAS = "MALLOC_ARENA_MAX"
_MOST_ARENAS = 2
_M_ARENA_MAX = -8
"""The option's number in glibc's malloc.h."""


def prepare_environment(threads: int) -> None:
    """Give native libraries ``threads`` threads each, unless the user set a number, and prepare for the models."""
    for name in _THREADS:
        os.environ.setdefault(name, str(threads))
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # its own pool keeps what is freed
    models_environment.prepare_environment()
    _limit_arenas()


def _limit_arenas() -> None:
    """Let all threads share few arenas of glibc's malloc, unless the user set a number.

    By default there may be eight for each core, one for each of LanceDB's threads, and each keeps what is freed in it:
    the process grew with every commit though no more memory was in use.
    """
    if sys.platform == "linux" and _ARENAS not in os.environ:
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _MOST_ARENAS)
