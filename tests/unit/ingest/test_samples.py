"""The sample documents are readable, and the questions about them can be answered from the pages that they name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from desktop_rag.core.ledger import Stage
from desktop_rag.ingest.readers import find_reader

ASSETS = Path(__file__).resolve().parents[3] / "assets"
QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (ASSETS / "samples-questions.jsonl").read_text("utf-8").splitlines()
]
ANSWERABLE = [question for question in QUESTIONS if question["file"] and question["evidence"] != "scan"]


@pytest.mark.parametrize("path", sorted((ASSETS / "samples").iterdir()), ids=lambda path: path.name)
def test_every_sample_is_read(path: Path) -> None:
    document = find_reader(path).read(path, None)
    assert document.blocks or Stage.OCR in document.waiting


def test_the_scanned_page_has_no_text_layer() -> None:
    with pymupdf.open(ASSETS / "samples" / "workshop-minutes-scan.pdf") as scan:
        assert len(scan) == 1
        assert not scan[0].get_text().strip()


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda question: question["id"])
def test_the_answer_stands_on_the_named_page(question: dict[str, Any]) -> None:
    path = ASSETS / question["file"]
    document = find_reader(path).read(path, None)
    pages = question["pages"] or [page.number for page in document.pages]
    shown = " ".join(" ".join(block.text.split()) for block in document.blocks if block.page in pages)
    assert any(answer in shown for answer in (question["answer"], *question["answer_aliases"]))


def test_some_questions_have_no_answer() -> None:
    assert sum(question["kind"] == "unanswerable" for question in QUESTIONS) == 2
