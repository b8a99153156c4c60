"""Page models by their real loading paths: byaldi, colpali-engine and transformers, on tiny checkpoints."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from desktop_rag.core.errors import ModelError
from desktop_rag.models.page_embedder import PageContent, QueryVectors, checked_vectors
from desktop_rag.models.page_vision import VisionPageEmbedder
from desktop_rag.retrieve.maxsim import maxsim
from tests.fixtures.page_models import TINY_MODELS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),  # of transformers' PaliGemma
]


def page(number: int = 1, width: int = 400, height: int = 600) -> PageContent:
    picture = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(picture).rectangle((20 * number, 40, 200, 90 + 30 * number), fill=(30, 60, 30 * number))
    return PageContent(number, width, height, f"d{number}", picture=picture)


@pytest.fixture(scope="module", params=sorted(TINY_MODELS))
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> VisionPageEmbedder:
    # byaldi reads the family from the path: neither the folder's own name nor one above it may confuse it.
    folder = TINY_MODELS[request.param](tmp_path_factory.mktemp("colpali-and-colqwen2") / "checkpoint")
    return VisionPageEmbedder(request.param, folder, threads=1)


def test_pages_become_vectors_with_places(embedder: VisionPageEmbedder) -> None:
    made = checked_vectors(embedder.encode_page(page(1, 300, 900)), 1, "a.pdf")

    rows, columns = made.cells.shape
    assert made.vectors.shape[1] == 128
    assert np.allclose(np.linalg.norm(made.vectors, axis=1), 1.0, atol=0.02)
    assert len(np.unique(made.cells)) == rows * columns <= len(made.vectors)
    if embedder.name != "colpali":  # which makes every page a square
        assert rows > columns


def test_scores_are_those_of_the_models_own_processor(embedder: VisionPageEmbedder) -> None:
    import torch

    pages = [embedder.encode_page(page(number, 400, 300 + 150 * number)) for number in (1, 2)]
    query = embedder.encode_query("What is the total revenue?")

    ours = maxsim(query.vectors, [one.vectors.astype(np.float16) for one in pages])
    processor = embedder._model().processor
    asked, seen = torch.from_numpy(query.vectors), [torch.from_numpy(one.vectors) for one in pages]
    if embedder.name == "neomme":  # its processor has no score: the paper takes the mean of what others sum up
        theirs = torch.stack([(asked @ one.T).max(dim=1).values.mean() for one in seen]) * len(asked)
    else:
        theirs = (getattr(processor, "score", None) or processor.score_retrieval)([asked], seen)[0]
    assert ours == pytest.approx(theirs.numpy(), rel=2e-3)


def test_tokens_know_their_words(embedder: VisionPageEmbedder) -> None:
    query = embedder.encode_query("What is the total revenue?")
    assert list(dict.fromkeys(word for word in query.words if word)) == ["What", "is", "the", "total", "revenue", "?"]
    assert len(query.words) == len(query.vectors)


def test_patches_lie_where_the_picture_has_them(embedder: VisionPageEmbedder) -> None:
    """Only what stands in the lower right quarter differs, so the patches that change most stand there, too."""
    plain = page(1, 600, 600)
    assert plain.picture is not None
    changed = plain.picture.copy()
    ImageDraw.Draw(changed).rectangle((450, 450, 560, 560), fill="red")
    before = embedder.encode_page(plain)
    after = embedder.encode_page(PageContent(1, 600, 600, "d", picture=changed))

    moved = np.linalg.norm(after.vectors - before.vectors, axis=1)[after.cells]
    row, column = np.unravel_index(int(moved.argmax()), moved.shape)
    assert row >= moved.shape[0] // 2
    assert column >= moved.shape[1] // 2


def test_a_question_has_the_model_between_two_layers_of_a_page(embedder: VisionPageEmbedder) -> None:
    """A question before each layer waits for none of the others, and neither side changes the other."""
    question = "What is the total revenue?"
    alone, page_alone = embedder.encode_query(question), embedder.encode_page(page())
    beside: list[QueryVectors] = []
    with ThreadPoolExecutor(1) as asking:
        embedder._pause = lambda: beside.append(asking.submit(embedder.encode_query, question).result(60))
        try:
            page_beside = embedder.encode_page(page())
        finally:
            embedder._pause = lambda: None
    assert len(beside) > 1
    assert all(np.array_equal(one.vectors, alone.vectors) for one in beside)
    assert np.array_equal(page_beside.vectors, page_alone.vectors)


def test_too_little_memory_is_told_before_loading(tmp_path: Path) -> None:
    folder = TINY_MODELS["colqwen2"](tmp_path / "model")
    with pytest.raises(ModelError, match=r"needs about 1,20\d MB of memory, but only 5 MB are free"):
        VisionPageEmbedder("tiny", folder, free=lambda: 5_000_000).encode_query("revenue")
