"""The values that travel: their geometry, and their JSON forms, which other programs rely on."""

from __future__ import annotations

import dataclasses
import json
import pickle
from typing import Any

import pytest

from desktop_rag.core.answers import Answer, Evidence, Sentence, Timings, Verdict
from desktop_rag.core.ledger import FileRow, FileState, FolderRow, FolderState, Ledger, Stage, StageState
from desktop_rag.core.types import BBox, Element, ElementKind, Hit, Route, Span

BOX = BBox(72.004, 100.0, 300.126, 112.5)
ELEMENT = Element(
    id="e1",
    document="d1",
    page=6,
    bbox=BOX,
    kind=ElementKind.TEXT,
    text="The limit was suspended.",
    spans=(Span(0, 24, BOX),),
    title="Summary",
    heading=("Finance", "Debt"),
    content_hash="c1",
)
EVIDENCE = Evidence(
    n=1,
    quote="The limit was suspended.",
    file="docs/summary.pdf",
    document="d1",
    element="e1",
    title="Summary",
    page=6,
    page_label="vi",
    bbox=BOX,
    boxes=(BOX,),
    kind=ElementKind.TEXT,
    score=0.51234567,
)
ANSWER = Answer(
    question="Was it suspended?",
    text="Yes. [1]",
    refused=False,
    refusal_reason="",
    confidence=0.87654321,
    sentences=(Sentence("Yes.", (1,), Verdict.SUPPORTED),),
    struck=(Sentence("In 1066.", (1,), Verdict.UNSUPPORTED, "1066 does not stand in the evidence"),),
    evidence=(EVIDENCE,),
    model="tiny",
    cached=False,
    thread="t1",
    query_id="q1",
    timings=Timings(retrieve=12.34, first_evidence=15.0, first_token=None, total=99.96),
    route=Route.HYBRID,
)


def test_box_around_boxes_is_the_smallest_that_holds_them() -> None:
    assert BBox.around([BBox(1, 5, 2, 6), BBox(0, 7, 1, 9)]) == BBox(0, 5, 2, 9)


def test_no_box_is_around_nothing() -> None:
    with pytest.raises(ValueError, match="no boxes"):
        BBox.around([])


def test_box_is_written_in_hundredths_of_a_point() -> None:
    assert BOX.as_list() == [72.0, 100.0, 300.13, 112.5]


def test_what_is_embedded_begins_with_title_and_headings() -> None:
    assert ELEMENT.retrieval_text == "Summary > Finance > Debt\nThe limit was suspended."


def test_without_title_and_headings_the_text_stands_alone() -> None:
    bare = dataclasses.replace(ELEMENT, title="", heading=())
    assert bare.retrieval_text == ELEMENT.text


def test_json_of_a_hit() -> None:
    hit = Hit(rank=1, score=0.123456789, route=Route.KEYWORD, element=ELEMENT, file="docs/summary.pdf")
    assert json.loads(json.dumps(hit.as_json())) == {
        "rank": 1,
        "score": 0.123457,
        "route": "keyword",
        "file": "docs/summary.pdf",
        "page": 6,
        "kind": "text",
        "bbox": [72.0, 100.0, 300.13, 112.5],
        "text": "The limit was suspended.",
        "element": "e1",
        "document": "d1",
        "heading": "Finance > Debt",
    }


def test_json_of_an_answer() -> None:
    assert json.loads(json.dumps(ANSWER.as_json())) == {
        "question": "Was it suspended?",
        "answer": "Yes. [1]",
        "refused": False,
        "refusal_reason": "",
        "confidence": 0.8765,
        "sentences": [{"text": "Yes.", "citations": [1], "verdict": "supported"}],
        "evidence": [
            {
                "n": 1,
                "quote": "The limit was suspended.",
                "file": "docs/summary.pdf",
                "page": 6,
                "bbox": [72.0, 100.0, 300.13, 112.5],
                "kind": "text",
                "score": 0.512346,
            }
        ],
        "model": "tiny",
        "cached": False,
        "thread": "t1",
        "query_id": "q1",
        "timings_ms": {"retrieve": 12.3, "first_evidence": 15.0, "first_token": None, "total": 100.0},
    }


def test_struck_sentences_stay_out_of_the_json() -> None:
    assert "1066" not in json.dumps(ANSWER.as_json())


def _row(file: str, state: FileState, pages: int) -> FileRow:
    stages = {Stage.TEXT: StageState.DONE, Stage.OCR: StageState.OFF}
    return FileRow(file, "d1", state, "", pages, pages * 2, stages, 1000, "h1")


def test_json_of_the_ledger() -> None:
    ledger = Ledger(
        workspace="default",
        folders=(FolderRow(1, "docs", FolderState.READY, files=2, ready=1),),
        files=(_row("docs/a.pdf", FileState.INDEXED, 3), _row("docs/b.pdf", FileState.NEEDS_PASSWORD, 0)),
    )
    written = json.loads(json.dumps(ledger.as_json()))
    assert written["workspace"] == "default"
    assert written["folders"] == [{"path": "docs", "state": "ready"}]
    assert written["files"][0] == {
        "file": "docs/a.pdf",
        "state": "indexed",
        "reason": "",
        "pages": 3,
        "elements": 6,
        "stages": {"text": "done", "ocr": "off"},
        "bytes": 1000,
        "hash": "h1",
        "tags": [],
    }
    assert written["totals"] == {
        "files": 2,
        "pages": 3,
        "elements": 6,
        "bytes": 2000,
        "indexed": 1,
        "needs_password": 1,
    }


@pytest.mark.parametrize("value", [ELEMENT, EVIDENCE, ANSWER])
def test_values_cross_a_process_border_unchanged(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value


def test_values_cannot_be_changed() -> None:
    element: Any = ELEMENT
    with pytest.raises(dataclasses.FrozenInstanceError):
        element.page = 7
