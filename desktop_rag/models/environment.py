"""What must stand in the environment before torch, transformers or llama.cpp are imported."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from desktop_rag.core.errors import ModelError

_DEFAULTS = {
    # Short spinning at OpenMP barriers: with one busy core, llama.cpp otherwise falls from 122 to 2 tokens a second.
    "GOMP_SPINCOUNT": "100000",
    "TOKENIZERS_PARALLELISM": "false",
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
