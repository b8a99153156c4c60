"""The small model that comes along invents freely; what is shown of it holds all the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest

from desktop_rag.answer.answerer import Answerer
from desktop_rag.core.answers import Answer, Verdict
from desktop_rag.core.job import Job
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import Element, Hit, Route
from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from tests.fixtures.passages import element, hit

PASSAGES = [
    element(
        "The bridge over the Aller is 83 m long and was opened on 4 May 1987. It carries two lanes of traffic. "
        "Lorries of more than 12 tonnes must not use it.",
        name="bridge",
    ),
    element(
        "The pump HP-220 weighs 38 kg and delivers 120 litres per minute. Change its filter every 500 hours.",
        name="pump",
    ),
    element(
        "Ingrid Solberg has led the harbour authority since 3 March 2015; her deputy is Tomas Brandt.", name="port"
    ),
    element("Visitors may come between 2 p.m. and 7 p.m. Children under twelve are not allowed.", name="visits"),
]


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(threads=2)


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaModel]:
    loaded = LlamaModel(context_tokens=1024, threads=2, gpu_layers=0)
    yield loaded
    loaded.close()


def ranked(question: str, embedder: SentenceTransformerEmbedder, passages: Sequence[Element]) -> list[Hit]:
    vectors = embedder.embed([question, *(passage.text for passage in passages)])
    order = sorted(range(len(passages)), key=lambda at: -float(vectors[at + 1] @ vectors[0]))
    return [hit(passages[at], rank, "notes.md") for rank, at in enumerate(order, 1)]


def ask(
    question: str, embedder: SentenceTransformerEmbedder, model: LlamaModel, passages: Sequence[Element] = PASSAGES
) -> Answer:
    answerer = Answerer(
        lambda asked, route, k: ranked(asked, embedder, passages),
        lambda document, page: "",
        embedder,
        lambda: model,
        Settings(llm_max_tokens=48),
    )
    return answerer.answer(
        question, thread="t", history=(), route=Route.HYBRID, use_model=True, job=Job(), emit=lambda event: None
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("How long is the bridge over the Aller?", "83 m"),
        ("Who is the deputy of Ingrid Solberg?", "Tomas Brandt"),
    ],
)
def test_answers_hold_and_name_the_fact(
    question: str, gold: str, embedder: SentenceTransformerEmbedder, model: LlamaModel
) -> None:
    answer = ask(question, embedder, model)
    assert not answer.refused
    assert gold in answer.evidence[0].quote
    assert answer.sentences
    assert all(sentence.verdict is not Verdict.UNSUPPORTED for sentence in answer.sentences)
    assert answer.timings.first_token is not None


@pytest.mark.slow
def test_more_than_the_context_holds_is_left_out_and_said(embedder: SentenceTransformerEmbedder) -> None:
    long = [
        element(f"{passage.text} On day {at} the keeper wrote down the wind and the tide.", name=f"long{at}")
        for at, passage in enumerate(PASSAGES * 3)
    ]
    question = "What did the keeper write down, and how long is the bridge over the Aller? " * 15
    with closing(LlamaModel(context_tokens=512, threads=2, gpu_layers=0)) as small:
        answer = ask(question, embedder, small, long)
        prompt = sum(small.count_tokens(part.text) for part in answer.trace.prompt)
    assert prompt + 48 <= 512
    assert answer.timings.first_token is not None
    assert "did not fit into the 512 tokens" in " ".join(answer.trace.shortened)


@pytest.mark.slow
@pytest.mark.parametrize(
    "question", ["What does the pump HP-999 weigh?", "Who won the chess title in Reykjavik in 1972?"]
)
def test_what_is_not_there_is_refused(question: str, embedder: SentenceTransformerEmbedder, model: LlamaModel) -> None:
    answer = ask(question, embedder, model)
    assert answer.refused
    assert answer.evidence
