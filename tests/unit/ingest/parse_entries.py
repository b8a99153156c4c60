"""What test workers run in place of the real reading: a function that misbehaves in each way that a file can cause."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from pathlib import Path

from desktop_rag.core.ledger import FileState
from desktop_rag.ingest.parse import ParseFailure


def by_name(
    document: str, path: Path, password: str | None, max_tokens: int, on_pages: Callable[[int], None]
) -> ParseFailure:
    """Do what the file is called; ``fine`` answers with the worker's process id as the reason."""
    name = path.stem
    if name == "hang":
        time.sleep(600)
    if name == "hang-holding-the-lock":
        ctypes.PyDLL(None).sleep(600)
    if name == "crash":
        os.kill(os.getpid(), 11)
    if name == "eat":
        hoard = []
        while True:
            hoard.append(bytearray(os.urandom(1 << 20)) * 8)
            time.sleep(0.01)
    if name == "long":
        on_pages(400)
        time.sleep(2.0)
    return ParseFailure(FileState.FAILED, str(os.getpid()), "test/1")


def count(
    document: str, path: Path, password: str | None, max_tokens: int, on_pages: Callable[[int], None]
) -> ParseFailure:
    """Write numbers to the file until a file "enough" stands beside it."""
    number = 0
    while not path.with_name("enough").exists():
        number += 1
        path.write_text(str(number))
        time.sleep(0.01)
    return ParseFailure(FileState.FAILED, "counted", "test/1")
