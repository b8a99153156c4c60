"""How fast models were when they were tried on this machine, remembered in one small file."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path

from desktop_rag.core.files import write_atomically
from desktop_rag.core.log import get_logger
from desktop_rag.core.model_rows import ModelKind, Speed

_log = get_logger(__name__)


class Speeds:
    """By kind and name; what was measured on another machine does not count."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, kind: ModelKind, name: str) -> Speed | None:
        """Return how fast a model was; None when it was not tried here."""
        return self._known().get(f"{kind}/{name}")

    def put(self, kind: ModelKind, name: str, speed: Speed) -> None:
        """Note how fast a model was."""
        known = {**self._known(), f"{kind}/{name}": speed}
        stored = {key: {"value": one.value, "unit": one.unit} for key, one in known.items()}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, json.dumps({"machine": _machine(), "speeds": stored}, indent=1).encode())
        except OSError as error:
            _log.warning("the measured speed cannot be remembered: %s", error)

    def _known(self) -> dict[str, Speed]:
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            if stored["machine"] != _machine():
                return {}
            return {key: Speed(float(one["value"]), str(one["unit"])) for key, one in stored["speeds"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}


def _machine() -> str:
    return f"{platform.node()} {platform.machine()} {os.cpu_count()}"
