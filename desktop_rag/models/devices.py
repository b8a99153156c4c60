"""Where page models compute: a GPU if there is one, else the cores, in the number format that measures faster."""

from __future__ import annotations

import json
import platform
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from desktop_rag.core.log import get_logger

_log = get_logger(__name__)
_ROUNDS = 4
_ROWS, _WIDTH = 512, 768
_CLEARLY = 0.9


@dataclass(frozen=True, slots=True)
class Device:
    """A device by torch's name ("cuda", "mps", "cpu") and the number format for it."""

    name: str
    dtype: torch.dtype

    @property
    def format(self) -> str:
        """The number format as people write it."""
        return str(self.dtype).removeprefix("torch.")


def choose_device(cache: Path | None = None) -> Device:
    """Return the device for page models. On the cores the format is measured once; ``cache`` remembers the choice."""
    if torch.cuda.is_available():
        chosen = Device("cuda", torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32)
    elif torch.backends.mps.is_available():
        chosen = Device("mps", torch.float32)
    else:
        faster = _recall(cache)
        if faster is None:
            faster = _seconds(torch.bfloat16) < _CLEARLY * _seconds(torch.float32)
        chosen = Device("cpu", torch.bfloat16 if faster else torch.float32)
    _remember(cache, chosen)
    return chosen


def _seconds(dtype: torch.dtype) -> float:
    rows, weights = torch.ones((_ROWS, _WIDTH), dtype=dtype), torch.ones((_WIDTH, 4 * _WIDTH), dtype=dtype)
    best = float("inf")
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        torch.mm(rows, weights)
        best = min(best, time.perf_counter() - start)
    return best


def _machine() -> str:
    return f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()} torch {torch.__version__}"


def _recall(cache: Path | None) -> bool | None:
    try:
        stored = json.loads(cache.read_text(encoding="utf-8")) if cache else {}
        known = stored.get("machine") == _machine() and stored.get("device") == "cpu"
        return stored["format"] == "bfloat16" if known else None
    except (OSError, ValueError, KeyError, AttributeError):
        return None


def _remember(cache: Path | None, chosen: Device) -> None:
    if cache is None:
        return
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        said = {"machine": _machine(), "device": chosen.name, "format": chosen.format}
        cache.write_text(json.dumps(said), encoding="utf-8")
    except OSError as error:
        _log.warning("the measured number format cannot be remembered: %s", error)
