from __future__ import annotations

from collections.abc import Iterator

import pytest

from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder


@pytest.fixture(scope="session")
def embedder() -> SentenceTransformerEmbedder:
    """The text model that comes along, with its real weights."""
    return SentenceTransformerEmbedder(threads=2)


@pytest.fixture(scope="module")
def llama() -> Iterator[LlamaModel]:
    """The chat model that comes along, with its real weights."""
    model = LlamaModel(context_tokens=2048, threads=2)
    yield model
    model.close()
