"""How likely the chat model would ask the question after it has read a passage."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from desktop_rag.core.job import Job
from desktop_rag.core.settings import Settings
from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.llm import Message
from desktop_rag.models.query_likelihood import QUERY_LIKELIHOOD, QueryLikelihood
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.retrieve.wiring import second_look
from tests.fixtures.models import ScriptedModel

QUESTION = "How long is the bridge over the river?"
PASSAGES = [
    "Bread is baked from flour, water and salt.",
    "The bridge over the river is 83 m long and was opened in 1987.",
    "The council meets on the first Monday of each month.",
]


@pytest.fixture(scope="module")
def llama() -> Iterator[LlamaModel]:
    model = LlamaModel(context_tokens=512)
    yield model
    model.close()


@pytest.mark.slow
def test_the_passage_that_answers_makes_the_question_likeliest(llama: LlamaModel) -> None:
    scores = QueryLikelihood(lambda: llama).scores(QUESTION, PASSAGES)
    assert scores.shape == (3,)
    assert int(np.argmax(scores)) == 1
    assert np.all(scores < 0)
    assert np.array_equal(scores, QueryLikelihood(lambda: llama).scores(QUESTION, PASSAGES))


@pytest.mark.slow
def test_the_likelihood_is_that_of_each_token_by_itself(llama: LlamaModel) -> None:
    runtime = llama._load()
    before, wanted = runtime.tokenize("The capital of France is"), runtime.tokenize(" Paris, of course.")
    together = runtime.log_likelihood(before, wanted)
    alone = [runtime.log_likelihood([*before, *wanted[:at]], wanted[at : at + 1]) for at in range(len(wanted))]
    assert together == pytest.approx(np.mean(alone), abs=0.02)
    assert runtime.log_likelihood(before, runtime.tokenize(" Paris")) > runtime.log_likelihood(
        before, runtime.tokenize(" butter")
    )
    with pytest.raises(ValueError, match="0 tokens"):
        runtime.log_likelihood([], wanted)


@pytest.mark.slow
def test_a_reply_is_the_same_after_passages_were_read(llama: LlamaModel) -> None:
    messages = [Message("user", "Say the word blue.")]
    first = "".join(llama.stream(messages, max_tokens=8, job=Job()))
    QueryLikelihood(lambda: llama).scores(QUESTION, PASSAGES)
    assert "".join(llama.stream(messages, max_tokens=8, job=Job())) == first


@pytest.mark.slow
def test_the_end_of_a_passage_that_does_not_fit_is_what_counts(llama: LlamaModel) -> None:
    long = "Nothing is said here. " * 400
    assert llama.log_likelihood(long + PASSAGES[1], QUESTION) > llama.log_likelihood(long, QUESTION)


def test_the_settings_name_it() -> None:
    model = ScriptedModel()
    look = second_look(SentenceTransformerEmbedder(), Settings(reranker=QUERY_LIKELIHOOD), lambda: model)
    assert look is not None
    assert look.reranker.name == "query likelihood, scripted"
    assert list(look.reranker.scores("bridge river", ["the bridge", "a river and a bridge"])) == [-0.5, 0.0]
