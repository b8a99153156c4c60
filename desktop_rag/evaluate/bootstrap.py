"""How sure a mean over questions is: percentile bootstrap (Efron 1979), with a fixed seed so that it repeats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from desktop_rag.core.evaluation import Estimate

_DRAWS = 2_000
_SEED = 20_240_229
_LOW, _HIGH = 2.5, 97.5


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of ``values`` with its 95 % interval; raises ValueError without values."""
    if not values:
        raise ValueError("no values to estimate from")
    data = np.asarray(values, dtype=np.float64)
    picks = np.random.default_rng(_SEED).integers(0, len(data), size=(_DRAWS, len(data)))
    low, high = np.percentile(data[picks].mean(axis=1), [_LOW, _HIGH])
    return Estimate(float(data.mean()), float(low), float(high))
