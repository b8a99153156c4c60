"""The content hash of a file: BLAKE3, read in pieces so that memory stays flat."""

from __future__ import annotations

from pathlib import Path

from blake3 import blake3

_PIECE = 1 << 20


def hash_file(path: Path) -> str:
    """Return the BLAKE3 digest of the file's bytes in hex; raises OSError when it cannot be read."""
    digest = blake3()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
