"""Environment variables that native libraries read once, when they are loaded: to be set before that."""

from __future__ import annotations

import os


def prepare_environment(threads: int) -> None:
    """Give native libraries ``threads`` threads each and keep model hubs out; what the user has set stays.

    GOMP_SPINCOUNT: with one core busy elsewhere, llama.cpp's threads otherwise sleep at every barrier and decoding
    falls from 122 to 2 tokens a second.
    """
    wanted = {
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "GOMP_SPINCOUNT": "100000",
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    for name, value in wanted.items():
        os.environ.setdefault(name, value)
