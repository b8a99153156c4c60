"""How glibc's malloc keeps memory that is free. With another C library nothing happens."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress

_ARENAS = "MALLOC_ARENA_MAX"
_MOST_ARENAS = 2
_M_ARENA_MAX = -8
"""The option's number in glibc's malloc.h."""


def limit_arenas() -> None:
    """Let all threads share few arenas, unless the user set a number.

    By default there may be eight for each core, one for each of LanceDB's threads, and each keeps what is freed in it:
    the process grew with every commit though no more memory was in use.
    """
    if sys.platform == "linux" and _ARENAS not in os.environ:
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _MOST_ARENAS)


def give_back() -> None:
    """Give free memory back to the system, also that between pieces in use; takes some milliseconds."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
