"""A model of natural language inference from a folder: tiny ones go through the real loading code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from desktop_rag.core.errors import ModelError
from desktop_rag.models.entailment import CrossEncoderEntailment
from tests.fixtures.tiny_cross_encoder import make_cross_encoder

_ORDERS = [
    ("contradiction", "entailment", "neutral"),
    ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"),
]
_TEXTS = ["the harbour crane lifts forty tonnes", "the yard"]


@pytest.mark.parametrize("labels", _ORDERS)
def test_the_class_of_contradictions_is_the_one_that_the_model_names(tmp_path: Path, labels: tuple[str, ...]) -> None:
    against = next(label for label in labels if label.lower() == "contradiction")
    with_it = next(label for label in labels if label.lower() == "entailment")
    contrary = CrossEncoderEntailment(make_cross_encoder(tmp_path / "contrary", labels, against))
    agreeing = CrossEncoderEntailment(make_cross_encoder(tmp_path / "agreeing", labels, with_it))
    assert np.allclose(contrary.contradictions(_TEXTS, "the crane lifts green"), 1.0, atol=1e-3)
    assert np.allclose(agreeing.contradictions(_TEXTS, "the crane lifts green"), 0.0, atol=1e-3)
    assert contrary.name == "contrary"
    assert contrary.contradictions([], "x") == []


def test_what_it_says_is_a_share_and_the_same_again(tmp_path: Path) -> None:
    model = CrossEncoderEntailment(make_cross_encoder(tmp_path / "random", _ORDERS[0]))
    shares = model.contradictions(_TEXTS, "the crane lifts green")
    assert all(0 < share < 1 for share in shares)
    assert model.contradictions(_TEXTS, "the crane lifts green") == shares


def test_a_model_that_does_not_name_its_classes_is_turned_down(tmp_path: Path) -> None:
    model = CrossEncoderEntailment(make_cross_encoder(tmp_path / "unnamed", ("LABEL_0", "LABEL_1", "LABEL_2")))
    with pytest.raises(ModelError, match=r"unnamed does not say .* LABEL_0, LABEL_1, LABEL_2"):
        model.contradictions(["the yard"], "the crane")


def test_a_reranker_and_an_empty_folder_are_turned_down(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="natural language inference"):
        CrossEncoderEntailment(make_cross_encoder(tmp_path / "reranker")).contradictions(["the yard"], "the crane")
    with pytest.raises(ModelError, match="Choose another folder"):
        CrossEncoderEntailment(tmp_path / "nothing").contradictions(["the yard"], "the crane")
