"""Vectors by content hash and model, so that a copied, moved or restored text is not embedded again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from desktop_rag.store.database import Database

_AT_ONCE = 500


class VectorCache:
    """Stored as float16: half the space, and for unit vectors the cosine stays the same to six digits."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, fingerprint: str, hashes: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """Return the known vectors of a model among ``hashes``, as float32."""
        wanted = list(dict.fromkeys(hashes))
        found: dict[str, NDArray[np.float32]] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            rows = self._database.query(
                f"SELECT hash, vector FROM vectors WHERE fingerprint = ? AND hash IN ({marks})", (fingerprint, *some)
            )
            found.update((digest, np.frombuffer(blob, "<f2").astype(np.float32)) for digest, blob in rows)
        return found

    def put(self, fingerprint: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep the vectors of a model by content hash; raises ValueError for one with NaN or zero length."""
        rows = []
        for digest, vector in vectors.items():
            small = np.asarray(vector).astype("<f2")
            if not np.isfinite(small).all() or not small.any():
                raise ValueError(f"the vector of {digest} is zero or not finite")
            rows.append((fingerprint, digest, small.tobytes()))
        self._database.execute_many("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def count_beyond(self, hashes: Collection[str]) -> int:
        """Return how many texts have a vector here and are not among ``hashes``."""
        known = (str(row[0]) for row in self._database.query("SELECT DISTINCT hash FROM vectors"))
        return sum(digest not in hashes for digest in known)

    def prune(self, keep_hashes: Collection[str]) -> int:
        """Forget all vectors, of whatever model, whose hash is not among ``keep_hashes``; return how many."""
        keep = set(keep_hashes)
        known = [str(row[0]) for row in self._database.query("SELECT DISTINCT hash FROM vectors")]
        gone = [(digest,) for digest in known if digest not in keep]
        self._database.execute_many("DELETE FROM vectors WHERE hash = ?", gone)
        return len(gone)
