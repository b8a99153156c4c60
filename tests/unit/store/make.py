"""Values for the store's tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from desktop_rag.core.answers import Answer, Evidence, Sentence, Timings, Verdict
from desktop_rag.core.types import BBox, Element, ElementKind, Route, SourceFile, Span

DIMENSIONS = 8


def element(document: str, number: int, text: str = "", **changes: Any) -> Element:
    """Return the ``number``-th element of a document, with two lines on a page."""
    text = text or f"Sentence {number} of {document}."
    half = len(text) // 2
    plain = Element(
        id=f"{document}-{number}",
        document=document,
        page=number // 3 + 1,
        bbox=BBox(72.1, 100.3, 500.7, 130.9),
        kind=ElementKind.TEXT,
        text=text,
        spans=(
            Span(0, half, BBox(72.1, 100.3, 500.7, 115.2)),
            Span(half, len(text), BBox(72.1, 115.7, 310.123456789, 130.9)),
        ),
        title="Report",
        heading=("Chapter 1", "Part A"),
        content_hash=f"hash {text}",
    )
    return replace(plain, **changes)


def vector(seed: int) -> NDArray[np.float32]:
    """Return a unit vector of :data:`DIMENSIONS` numbers."""
    values = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
    return np.asarray(values / np.linalg.norm(values), dtype=np.float32)


def source(path: Path, folder_id: int, size: int = 10) -> SourceFile:
    """Return a file as a scan sees it."""
    return SourceFile(path, f"shown/{path.name}", folder_id, size, 1_700_000_000_000_000_001)


def answer(thread: str, text: str = "It ended on January 1, 2025 [1].") -> Answer:
    """Return an answer in which every field holds something."""
    evidence = Evidence(
        n=1,
        quote="… until January 1, 2025 “…”",
        file="shown/summary.pdf",
        document="d",
        element="d-1",
        title="Summary",
        page=6,
        page_label="vi",
        bbox=BBox(1.5, 2.25, 3.125, 4.1),
        boxes=(BBox(1.5, 2.25, 3.125, 3.0), BBox(1.5, 3.0, 3.125, 4.1)),
        kind=ElementKind.TABLE,
        score=0.73,
        heading=("A", "B"),
        context="whole 表",
    )
    return Answer(
        question="Until when?",
        text=text,
        refused=False,
        refusal_reason="",
        confidence=0.8,
        sentences=(Sentence(text, (1,), Verdict.SUPPORTED),),
        struck=(Sentence("In 2031.", (), Verdict.UNSUPPORTED, "2031 stands in no evidence"),),
        evidence=(evidence,),
        model="SmolLM2",
        cached=False,
        thread=thread,
        query_id="q1",
        timings=Timings(3.5, 4.0, None, 90.25),
        route=Route.HYBRID,
        interrupted=True,
    )
