"""Questions to begin with, for whoever looks at the sample documents first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from desktop_rag.core.paths import resource
from desktop_rag.core.types import FolderRow

_MOST = 3


def suggested_questions(folders: Sequence[FolderRow]) -> tuple[str, ...]:
    """Return three questions if the samples are watched and nothing else is; they are kept beside the samples."""
    try:
        samples = resource("samples").resolve()
        lines = resource("samples", "questions.jsonl").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ()
    if [Path(folder.path).expanduser().resolve() for folder in folders] != [samples]:
        return ()
    questions = [json.loads(line) for line in lines if line.strip()]
    plain = [str(item["question"]) for item in questions if item.get("evidence") == "text" and item.get("answer")]
    return tuple(plain[:_MOST])
