"""Fewer vectors for a page: pooled ones take less room on the disk."""

from __future__ import annotations

import numpy as np

from desktop_rag.models.page_embedder import Cells, PageVectors, Vectors


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
