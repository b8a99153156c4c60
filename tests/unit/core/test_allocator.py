"""Memory that was freed between pieces in use goes back to the system when that is asked for."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

_PROGRAM = """
import ctypes
import psutil
from desktop_rag.core.allocator import give_back, limit_arenas

limit_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
blocks = [libc.malloc(100_000) for _ in range(1000)]
for block in blocks:
    libc.memset(block, 1, 100_000)
for block in blocks[:-1]:
    libc.free(block)
before = psutil.Process().memory_info().rss
give_back()
print(before - psutil.Process().memory_info().rss)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's malloc is told")
def test_what_is_free_below_a_block_in_use_is_given_back() -> None:
    ended = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert int(ended.stdout) > 80_000_000
