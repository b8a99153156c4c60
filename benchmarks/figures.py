"""A figure and the one it is compared with; the table that people read, and the file that keeps them."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class Figure:
    """``ours`` beside ``other``, measured in the same run; ``ratio`` above 1 means that ours is the better one."""

    name: str
    ours: float
    other: float
    unit: str
    compared_with: str
    more_is_better: bool = True
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times better ours is."""
        above, below = (self.ours, self.other) if self.more_is_better else (self.other, self.ours)
        return above / below if below else float("inf")


def show(title: str, figures: Sequence[Figure]) -> None:
    """Print a group of figures as a table."""
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("measured")
    for heading in ("ours", "the other", "ratio"):
        table.add_column(heading, justify="right")
    table.add_column("the other is")
    for figure in figures:
        table.add_row(
            f"{figure.name}, {figure.unit}" + (f"\n[dim]{figure.note}[/dim]" if figure.note else ""),
            f"{figure.ours:,.4g}",
            f"{figure.other:,.4g}",
            f"{figure.ratio:.2f}×",
            figure.compared_with,
        )
    console = Console()
    console.width = max(console.width, 110)
    console.print(table)


def save(figures: Sequence[Figure], documents: str) -> Path:
    """Write the figures with what the machine is to a new file under ``benchmarks/results`` and return its path."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{time.strftime('%Y-%m-%d-%H%M%S')}.json"
    machine = {
        "system": platform.platform(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
    }
    rows = [{**dataclasses.asdict(figure), "ratio": round(figure.ratio, 3)} for figure in figures]
    path.write_text(json.dumps({"machine": machine, "documents": documents, "figures": rows}, indent=2) + "\n")
    return path
