"""How long a page takes on this machine and how much room it needs: measured, and remembered for the next run."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

from desktop_rag.core.log import get_logger
from desktop_rag.models.page_embedder import PageCost

_log = get_logger(__name__)
_MOST_PAGES = 200
"""What came before counts for so many pages at most, so that a new machine is noticed."""


@dataclass(frozen=True, slots=True)
class _Measured:
    machine: str
    pages: int
    seconds: float
    bytes: float


class PagePace:
    """Remembers, by model, in one small file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, model: str, guess: PageCost) -> PageCost:
        """Return what a page costs: as measured here, else ``guess``."""
        known = self._known().get(model)
        if known is None:
            return guess
        return PageCost(known.seconds / known.pages, round(known.bytes / known.pages))

    def measured(self, model: str) -> float | None:
        """Return the seconds of a page, with pooling or without; None when none was measured here."""
        known = [one for name, one in self._known().items() if name == model or name.startswith(f"{model}-pooled")]
        return known[0].seconds / known[0].pages if known else None

    def add(self, model: str, pages: int, seconds: float, size: int) -> None:
        """Note that ``pages`` pages took ``seconds`` and ``size`` bytes."""
        if pages < 1:
            return
        known = self._known()
        former = known.get(model)
        total = _Measured(_machine(), pages, seconds, size)
        if former is not None:
            share = min(1.0, _MOST_PAGES / former.pages)
            counted = pages + max(1, round(former.pages * share))
            total = _Measured(_machine(), counted, seconds + former.seconds * share, size + former.bytes * share)
        self._write({**known, model: total})

    def _known(self) -> dict[str, _Measured]:
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            made = {model: _Measured(**values) for model, values in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}
        return {model: one for model, one in made.items() if one.machine == _machine() and one.pages > 0}

    def _write(self, known: dict[str, _Measured]) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps({model: asdict(one) for model, one in known.items()})
            self._path.write_text(text, encoding="utf-8")
        except OSError as error:
            _log.warning("the measured pace cannot be remembered: %s", error)


def _machine() -> str:
    return f"{platform.node()} {platform.machine()} {os.cpu_count()}"
