"""Connections to LanceDB, with caches that stay small."""

from __future__ import annotations

import importlib
import os
from datetime import timedelta
from typing import Any

_INDEX_CACHE_BYTES = 512 * 1024 * 1024
_METADATA_CACHE_BYTES = 4 * 1024 * 1024
"""The cache keeps what described versions that are gone. Its default is 1 GB; a sync never comes back to most of it."""


def import_whole() -> None:
    """Wait until LanceDB is imported as a whole.

    A part of it that one thread imports while another one is at the whole fails, for the two need each other. The
    whole can be imported by several threads at once: the others wait.
    """
    importlib.import_module("lancedb")


def connect(uri: str) -> Any:
    """Connect to a directory or an object store; what another process wrote is seen by the very next call."""
    os.environ.setdefault("LANCEDB_LOG", "error")  # it warns on stderr of vectors that are alike
    import lancedb

    session = lancedb.Session(
        index_cache_size_bytes=_INDEX_CACHE_BYTES, metadata_cache_size_bytes=_METADATA_CACHE_BYTES
    )
    return lancedb.connect(uri, read_consistency_interval=timedelta(0), session=session)
