"""What is measured on: a collection of documents when there is one, else the samples that come with the program."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_QUESTIONS = 6


@dataclass(frozen=True, slots=True)
class Documents:
    """A folder of documents and questions that they answer."""

    name: str
    folder: Path
    questions: tuple[str, ...]

    @property
    def pdfs(self) -> tuple[Path, ...]:
        """The PDF files, in the order of their names."""
        return tuple(sorted(self.folder.rglob("*.pdf")))


def _questions(path: Path) -> tuple[str, ...]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    asked = [row["question"] for row in rows if row.get("evidence") == "text" and not row.get("history")]
    return tuple(asked[:_QUESTIONS])


def find_documents() -> Documents:
    """Return the collection that ``DESKTOP_RAG_CORPUS`` names or that lies in ../shared/corpus, else the samples."""
    corpus = Path(os.environ.get("DESKTOP_RAG_CORPUS") or ROOT.parent / "shared" / "corpus")
    if (corpus / "questions.jsonl").is_file():
        return Documents("a document collection", corpus / "documents", _questions(corpus / "questions.jsonl"))
    return the_samples()


def the_samples() -> Documents:
    """Return the samples that come with the program: few enough to index for a part that only needs some quotes."""
    assets = ROOT / "assets"
    return Documents("the samples", assets / "samples", _questions(assets / "samples-questions.jsonl"))
