"""Is there room for a model? Asked before loading: a process that runs out of memory is killed without a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psutil

from desktop_rag.core.errors import ModelError

_CGROUP = Path("/sys/fs/cgroup")


def available_bytes() -> int:
    """Return the memory that can be had without swapping, within the limit of a container if there is one."""
    machine = int(psutil.virtual_memory().available)
    try:
        limit = (_CGROUP / "memory.max").read_text().strip()
        used = int((_CGROUP / "memory.current").read_text())
        return min(machine, max(0, int(limit) - used)) if limit != "max" else machine
    except (OSError, ValueError):
        return machine


def total_bytes() -> int:
    """Return the memory of this machine, or of the container if it has a lower limit."""
    machine = int(psutil.virtual_memory().total)
    try:
        limit = (_CGROUP / "memory.max").read_text().strip()
        return min(machine, int(limit)) if limit != "max" else machine
    except (OSError, ValueError):
        return machine


def require_memory(needed: int, what: str, available: Callable[[], int] = available_bytes) -> None:
    """Raise ModelError unless ``needed`` bytes are free; ``what`` is the model's name and file, as shown."""
    free = available()
    if needed > free:
        raise ModelError(
            f"{what} needs about {_megabytes(needed)} of memory, but only {_megabytes(free)} are free. "
            "Close other programs, choose a smaller model, or lower the context in the settings."
        )


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:,.0f} MB"
