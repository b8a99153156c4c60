"""Late interaction, with the real weights that come along."""

from __future__ import annotations

import numpy as np

from desktop_rag.core.settings import Settings
from desktop_rag.models.cross_encoder import CrossEncoderReranker
from desktop_rag.models.late_interaction import LateInteraction, mean_max_sim
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.retrieve.wiring import LATE_INTERACTION, second_look
from tests.fixtures.models import ScriptedModel


def test_the_passage_that_speaks_of_the_same_things_scores_best(embedder: SentenceTransformerEmbedder) -> None:
    passages = ["The crane in the harbour lifts forty tonnes.", "Sheep graze on the hill.", ""]

    scores = LateInteraction(embedder).scores("How much weight can the harbour crane lift?", passages)

    assert scores.argmax() == 0
    assert scores[2] == 0.0
    assert (np.abs(scores) <= 1.0 + 1e-5).all()


def test_each_token_of_the_question_finds_its_like() -> None:
    question = np.eye(3, dtype=np.float32)[:2]
    passage = np.array([[1, 0, 0], [0, 0.6, 0.8]], dtype=np.float32)

    assert np.isclose(mean_max_sim(question, passage), (1.0 + 0.6) / 2)
    assert mean_max_sim(question, passage[:0]) == 0.0


def test_the_settings_name_the_reranker(embedder: SentenceTransformerEmbedder) -> None:
    assert second_look(embedder, Settings(), ScriptedModel) is None
    look = second_look(
        embedder, Settings(reranker=LATE_INTERACTION, rerank_hits=7, rerank_milliseconds=250), ScriptedModel
    )
    assert look is not None
    assert isinstance(look.reranker, LateInteraction)
    assert (look.candidates, look.budget_ms) == (7, 250.0)
    other = second_look(embedder, Settings(reranker="/models/cross"), ScriptedModel)
    assert other is not None
    assert isinstance(other.reranker, CrossEncoderReranker)
