"""A cross-encoder from a folder: a tiny one with random weights goes through the real loading code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from desktop_rag.core.errors import ModelError
from desktop_rag.models.cross_encoder import CrossEncoderReranker
from tests.fixtures.tiny_cross_encoder import make_cross_encoder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that gives one number for a pair of texts."""
    return make_cross_encoder(tmp_path_factory.mktemp("models") / "tiny-cross-encoder")


def test_each_passage_gets_a_number_and_the_same_one_again(folder: Path) -> None:
    reranker = CrossEncoderReranker(folder)
    passages = ["the harbour crane lifts forty tonnes", "the yard", "green " * 200]

    scores = reranker.scores("crane", passages)

    assert scores.shape == (3,)
    assert np.isfinite(scores).all()
    assert len(set(scores.tolist())) == 3
    assert np.allclose(reranker.scores("crane", passages[:1]), scores[:1], atol=1e-5)
    assert reranker.scores("crane", []).shape == (0,)
    assert reranker.name == "tiny-cross-encoder"


def test_a_folder_that_is_no_model_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="Choose another folder"):
        CrossEncoderReranker(tmp_path / "nothing").scores("q", ["p"])


def test_a_damaged_model_is_named(folder: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "config.json").write_text("{not json", encoding="utf-8")

    with pytest.raises(ModelError, match="damaged"):
        CrossEncoderReranker(damaged).scores("q", ["p"])
