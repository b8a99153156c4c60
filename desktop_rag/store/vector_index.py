"""The index of the vectors: with many elements a search looks through the parts of space near the question only.

An IVF index (Sivic and Zisserman, "Video Google", ICCV 2003) with vectors of one byte a number: k-means cuts space into
parts, a search looks through the nearest ones, and twice as many candidates as are wanted are compared again by
their full vectors. So scores are exact, and what is given up is a candidate in a part that was not looked through:
see ``benchmarks/search.py``, which measures it. With few elements all vectors are compared, and nothing is given up.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from desktop_rag.core.log import get_logger
from desktop_rag.store.filters import equals
from desktop_rag.store.lance import import_whole

_log = get_logger(__name__)

FEWEST = 2_000
"""Vectors from which on there is an index."""

_PART = 800
"""Vectors in a part of space, when the index is made."""

_GROWTH = 4
"""When the parts have become so many times as large, or vectors of another model, space is cut anew."""

_FEWEST_PROBES, _PROBED_SHARE = 64, 3
"""A search looks through 64 parts or a third of them, whatever is more; with a filter through all."""

_REFINED = 2
_FEWEST_SAMPLED, _MOST_SAMPLED, _SAMPLED = 64, 256, 16_000
"""Vectors that k-means sees for each part, and together where these allow: the work grows with both."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a table holds: its rows, and, if vectors of another model are there, the condition that leaves them out."""

    rows: int
    condition: str | None


class Holdings:
    """Remembers what the latest version of a table holds, for asking takes as long as a search. Safe from any thread.

    Without other vectors there, the condition is left out: to test it takes a third of a search.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[int, str | None, Held] | None = None

    def of(self, table: Any, fingerprint: str | None) -> Held:
        """Return what ``table`` holds of the model ``fingerprint``; without one, all vectors count."""
        version = int(table.version)
        with self._lock:
            if self._known is not None and self._known[:2] == (version, fingerprint):
                return self._known[2]
        held = Held(int(table.count_rows()), None)
        if fingerprint is not None:
            mine = equals("vector_model", fingerprint)
            if table.count_rows(f"NOT ({mine})"):  # null, where there is no vector yet, is neither
                held = Held(held.rows, mine)
        with self._lock:
            self._known = (version, fingerprint, held)
        return held


def nearest(table: Any, query: NDArray[np.float32], held: Held, filtered: bool) -> Any:
    """Return the search for the vectors with the highest cosine, through the index if there is one.

    What a filter leaves over may lie anywhere, so with one no part is left out.
    """
    search = table.search(query, vector_column_name="vector").distance_type("cosine").refine_factor(_REFINED)
    probes = max(_FEWEST_PROBES, held.rows // _PART // _PROBED_SHARE)
    return search.minimum_nprobes(probes).maximum_nprobes(0) if filtered else search.nprobes(probes)


def tend(table: Any) -> None:
    """Make the index when there are enough vectors, and anew when it does not fit them any more."""
    if table.count_rows() < FEWEST:
        return
    models = table.search().where("vector_model IS NOT NULL").select(["vector_model"]).to_arrow()["vector_model"]
    if len(models) < FEWEST or len(models.unique()) > 1:  # of two models, one is just taking the other's place
        return
    parts = max(1, len(models) // _PART)
    digest = str(blake3(models[0].as_py().encode()).hexdigest())[:8]
    there = [index.name for index in table.list_indices() if index.columns == ["vector"]]
    if not any(_fits(name, parts, digest) for name in there):
        _make(table, parts, f"vector_{parts}_{digest}", there)


def _fits(name: str, parts: int, digest: str) -> bool:
    _, made_with, model = (*name.split("_"), "", "", "")[:3]
    return model == digest and made_with.isdecimal() and parts < _GROWTH * int(made_with)


def _make(table: Any, parts: int, name: str, former: list[str]) -> None:
    import_whole()
    from lancedb.index import IvfSq

    started = time.perf_counter()
    sampled = min(max(_FEWEST_SAMPLED, _SAMPLED // parts), _MOST_SAMPLED)
    config = IvfSq(distance_type="cosine", num_partitions=parts, sample_rate=sampled)
    table.create_index("vector", config=config, name=name)
    for old in former:
        table.drop_index(old)
    _log.info("vector index of %d parts made in %.0f ms", parts, (time.perf_counter() - started) * 1000)
