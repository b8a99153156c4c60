"""What native libraries read once, when they are loaded or begin to work: to be set before that."""

from __future__ import annotations

import os

from desktop_rag.core.allocator import limit_arenas
from desktop_rag.models import environment as models_environment

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def prepare_environment(threads: int) -> None:
    """Give native libraries ``threads`` threads each, unless the user set a number, and prepare for the models."""
    for name in _THREADS:
        os.environ.setdefault(name, str(threads))
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # its own pool keeps what is freed
    models_environment.prepare_environment()
    limit_arenas()
