"""The window is there in under a second, because nothing heavy is loaded for it."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("torch", "lancedb", "llama_cpp", "pymupdf", "sentence_transformers", "pyarrow", "pdfplumber")


def test_importing_the_window_loads_nothing_heavy() -> None:
    code = f"import sys, desktop_rag.ui.app; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
