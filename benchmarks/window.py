"""The window: how soon it is there, and how long it ever stands still while a folder is indexed behind it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.documents import Documents
from benchmarks.figures import Figure

_PROBE = (sys.executable, "-m", "benchmarks.window_probe")
_STARTS = 5


def _paint(kind: str, base: Path) -> dict[str, float]:
    command = [*_PROBE, "paint", kind, str(time.time()), str(base)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    values: dict[str, float] = json.loads(output)
    return values


def measure_start_up(base: Path) -> list[Figure]:
    """Open the program's window and an empty one in turns, each in a new process."""
    pairs = [(_paint("ours", base), _paint("bare", base)) for _ in range(_STARTS + 1)][1:]  # the first fills caches
    ours, bare = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    imported = median(item["import_s"] for item in ours)
    return [
        Figure(
            "from process start to first paint",
            median(item["paint_s"] for item in ours),
            median(item["paint_s"] for item in bare),
            "s",
            "an empty Qt window with a label",
            more_is_better=False,
            note=f"of it importing the program's own modules: {imported:.2f} s",
        )
    ]


def measure_stalls(documents: Documents) -> list[Figure]:
    """Index the folder with the window open, and beside it an empty Qt window that does nothing."""
    with tempfile.TemporaryDirectory(prefix="desktop-rag-bench-") as base:
        bare = subprocess.Popen([*_PROBE, "stall", "bare"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            command = [*_PROBE, "stall", "ours", base, str(documents.folder)]
            ours = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        finally:
            other = json.loads(bare.communicate("")[0])
    if failure := ours.get("failure"):
        raise RuntimeError(f"the window could not be measured: {failure}")
    return [
        _stall_figure("longest stall", "longest_ms", ours, other),
        _stall_figure("1 in 1,000", "p999_ms", ours, other),
    ]


def _stall_figure(name: str, key: str, ours: dict[str, Any], other: dict[str, Any]) -> Figure:
    note = (
        f"{ours['files']} files in {ours['seconds']:.0f} s; above 50 ms: {ours['big']} of {ours['ticks']} looks "
        f"(the empty window: {other['big']} of {other['ticks']}); the longest came after {ours['longest_at_s']:.0f} s"
    )
    plain = "an empty Qt window at the same time"
    return Figure(f"{name} of the event loop", ours[key], other[key], "ms", plain, more_is_better=False, note=note)
