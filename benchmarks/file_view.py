"""The list of files with 20,000 rows: how long any step of scrolling through it holds up the window."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.figures import Figure

_ROWS = 20_000
_STEPS = 300
_AIM_MS = 50.0


def measure_file_view(base: Path) -> list[Figure]:
    """Scroll in a process of its own, without a screen."""
    command = [sys.executable, "-m", "benchmarks.file_view", str(base)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    values = json.loads(output)
    name = f"longest of {_STEPS} steps of scrolling through {_ROWS:,} files, processor time"
    filled = f"showing them took {values['fill_ms']:.0f} ms; the median step {values['median_ms']:.1f} ms"
    return [Figure(name, values["longest_ms"], _AIM_MS, "ms", "the aim", more_is_better=False, note=filled)]


def _scroll(base: Path) -> dict[str, float]:
    from PySide6.QtWidgets import QWidget

    from desktop_rag.core.ledger import FileRow, FileState, Ledger, Stage, StageState
    from desktop_rag.ui.app import engine_factory, make_application, make_window
    from desktop_rag.ui.files_panel import FilesPanel

    app = make_application()
    window = make_window(app, engine_factory(base), base)
    stages = {Stage.TEXT: StageState.DONE, Stage.VECTORS: StageState.PENDING}
    states = [*FileState]
    rows = tuple(
        FileRow(
            f"/home/ann/Reports/{n % 97}/a file with a name of usual length {n}.pdf", f"d{n}", states[n % len(states)],
            "It could not be read, for a reason that fills the line." if n % 5 == 0 else "", n % 400, n % 90, stages,
            n * 1000, "00",
        )
        for n in range(_ROWS)
    )  # fmt: skip
    parent: QWidget = window
    panel = FilesPanel(window.theme, window.session, parent)
    panel.show()
    app.processEvents()
    started = time.perf_counter()
    panel.take(Ledger("default", (), rows))
    app.processEvents()
    fill_ms = (time.perf_counter() - started) * 1000
    bar = panel.table.verticalScrollBar()
    took = []
    for step in range(_STEPS):
        before = time.thread_time()
        bar.setValue(bar.maximum() * step // _STEPS)
        panel.table.viewport().repaint()
        app.processEvents()
        took.append((time.thread_time() - before) * 1000)
    took.sort()
    return {"fill_ms": fill_ms, "longest_ms": took[-1], "median_ms": took[len(took) // 2]}


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    print(json.dumps(_scroll(Path(sys.argv[1]))), flush=True)
    os._exit(0)
