"""Questions to begin with, for whoever looks at the sample documents first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from desktop_rag.core.ledger import FolderRow
from desktop_rag.core.paths import resource


def suggested_questions(folders: Sequence[FolderRow]) -> tuple[str, ...]:
    """Return a few questions if the samples are watched and nothing else is, else none."""
    try:
        samples = resource("samples").resolve()
        questions = resource("suggestions", "samples.txt").read_text(encoding="utf-8")
    except OSError:
        return ()
    if [Path(folder.path).expanduser().resolve() for folder in folders] != [samples]:
        return ()
    return tuple(line.strip() for line in questions.splitlines() if line.strip())
