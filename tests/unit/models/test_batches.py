"""Rounds of similar length, in the caller's order afterwards, with a stop between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job
from desktop_rag.models.batches import embed_all, rounds
from desktop_rag.models.embedder import Vectors


class LengthEmbedder:
    """Embeds a text as its length, and keeps what it was asked."""

    name, dimensions, max_tokens, fingerprint = "length", 1, 256, "length-1"

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


def test_vectors_come_back_in_the_order_of_the_texts() -> None:
    some = ["x" * n for n in (5, 900, 30, 7, 512, 1)]
    vectors = embed_all(LengthEmbedder(), some, Job(), lambda done: None)
    assert vectors[:, 0].tolist() == [5, 900, 30, 7, 512, 1]


def test_equal_texts_are_embedded_once_but_counted_each() -> None:
    embedder, reports = LengthEmbedder(), []
    vectors = embed_all(embedder, ["aa", "b", "aa"], Job(), reports.append)
    assert embedder.calls == [["aa", "b"]]
    assert vectors[:, 0].tolist() == [2, 1, 2]
    assert reports == [3]


def test_rounds_hold_neighbours_in_length_within_the_budget() -> None:
    some = ["x" * (n * 37 % 1500) for n in range(500)]
    groups = list(rounds(some, max_tokens=256, budget=2048))
    assert sorted(text for group in groups for text in group) == sorted(some)
    assert [len(text) for group in groups for text in group] == sorted(map(len, some), reverse=True)
    assert all(len(group) * min(256, 2 + len(group[0]) // 4) <= 2048 for group in groups)


def test_a_stopped_job_ends_between_rounds() -> None:
    embedder, job = LengthEmbedder(), Job()
    with pytest.raises(CancelledError):
        embed_all(embedder, [f"{n} " + "x" * 2000 for n in range(100)], job, lambda done: job.cancel())
    assert len(embedder.calls) == 1


def test_nothing_to_embed_asks_nothing() -> None:
    embedder = LengthEmbedder()
    assert embed_all(embedder, [], Job(), lambda done: None).shape == (0, 1)
    assert embedder.calls == []
