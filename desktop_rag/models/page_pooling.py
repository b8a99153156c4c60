"""Fewer vectors for a page: those of a search's first stage, and pooled ones that take less room on the disk."""

from __future__ import annotations

import numpy as np

from desktop_rag.models.page_embedder import Cells, PageVectors, Vectors

MOST_FIRST = 32
"""Most vectors of a page in the first stage."""


def first_vectors(vectors: Vectors, cells: Cells) -> Vectors:
    """Return the means of the vectors in each row of patches, as unit vectors, at most :data:`MOST_FIRST` of them.

    Higher pages get bands of several rows. Vectors without a place stand for the whole page and are left out, unless
    there are no others. Which small vectors serve best was measured: see ``benchmarks/pages.py``.
    """
    if not len(vectors):
        return vectors
    rows = len(cells)
    band = max(1, -(-rows // MOST_FIRST)) if rows else 1
    bands = (cells[at : at + band] for at in range(0, rows, band))
    groups = [np.unique(part[part >= 0]).astype(np.intp) for part in bands]
    groups = [group for group in groups if len(group)] or [np.arange(len(vectors), dtype=np.intp)]
    means = np.stack([vectors[group].mean(axis=0) for group in groups])
    lengths = np.linalg.norm(means, axis=1)
    kept = lengths > 1e-6
    if not kept.any():
        return vectors[:1]
    unit: Vectors = means[kept] / lengths[kept, None]
    return unit


def pooled(made: PageVectors, factor: int) -> PageVectors:
    """Return ``made`` with about a ``factor``-th of its vectors: similar ones are joined to their mean.

    Hierarchical clustering after Clavié, Chaffin and Adams, "Reducing the Footprint of Multi-Vector Retrieval with
    Minimal Performance Impact via Token Pooling" (2024): Ward's method on cosine distances. Vectors without a place
    stay as they are. A cell keeps the vector that its own went into.
    """
    placed = np.unique(made.cells[made.cells >= 0]).astype(np.intp)
    if factor <= 1 or len(placed) <= factor:
        return made
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import pdist

    tree = linkage(pdist(made.vectors[placed], metric="cosine"), method="ward")
    labels = fcluster(tree, max(1, len(placed) // factor), criterion="maxclust")
    loose = np.setdiff1d(np.arange(len(made.vectors)), placed)
    place_of = np.full(len(made.vectors) + 1, -1, dtype=np.int16)  # the last one answers for cells without a vector
    means: list[Vectors] = []
    for label in np.unique(labels):
        members = placed[labels == label]
        mean = made.vectors[members].mean(axis=0)
        length = float(np.linalg.norm(mean))
        place_of[members] = len(means)
        means.append(mean / length if length > 1e-6 else made.vectors[members[0]])
    vectors: Vectors = np.concatenate([np.stack(means), made.vectors[loose]])
    cells: Cells = place_of[made.cells]
    return PageVectors(vectors, cells)
