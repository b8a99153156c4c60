"""Environment variables that native libraries read once, when they are loaded: to be set before that."""

from __future__ import annotations

import os

from desktop_rag.models import environment as models_environment

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def prepare_environment(threads: int) -> None:
    """Give native libraries ``threads`` threads each, unless the user set a number, and prepare for the models."""
    for name in _THREADS:
        os.environ.setdefault(name, str(threads))
    models_environment.prepare_environment()
