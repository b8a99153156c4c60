"""What must stand in the environment before torch, transformers or llama.cpp are imported."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from desktop_rag.core.errors import ModelError

_DEFAULTS = {
    # Threads of llama.cpp meet hundreds of times for a token. Spinning there while another program has the core is
    # what makes it slow: measured with 2 threads on 2 cores and 8 other busy processes, 0.7 tokens a second with a
    # count of 100000 and 28 with 1000.
    "GOMP_SPINCOUNT": "1000",
    "TOKENIZERS_PARALLELISM": "false",
    # oneDNN keeps what it made ready for each shape of a batch, up to 1,024 of them: hundreds of megabytes after some
    # dozen questions, and growing. Measured over 60 batches of different shapes: 601 MB with its defaults, 307 MB, and
    # no more with further batches, with 16 of each.
    "LRU_CACHE_CAPACITY": "16",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "16",
}
_ALWAYS = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}


def prepare_environment() -> None:
    """Set the model libraries' variables: no network ever, short spinning, no tokenizer threads. Cheap; repeatable."""
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    os.environ.update(_ALWAYS)


def packaged_file(package: str, *parts: str) -> Path:
    """Return a file or folder inside an installed package, without importing that package.

    Raises ModelError when the package is not installed or lacks the file.
    """
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder).joinpath(*parts)
        if path.exists():
            return path
    raise ModelError(
        f"The model that comes along is missing: package '{package.replace('_', '-')}' is not installed whole. "
        "Install Desktop RAG again, or name a model of your own in the settings."
    )
