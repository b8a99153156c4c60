"""Late interaction: exact scores from halves, and scores by signs alone."""

from __future__ import annotations

import numpy as np
import pytest

from desktop_rag.retrieve.maxsim import best_pages, code_scores, maxsim
from desktop_rag.store.page_codes import CodedPages, joined, sign_codes


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(3)


def coded(pages: list[np.ndarray]) -> CodedPages:
    starts, codes = joined([sign_codes(page).tobytes() for page in pages], [len(page) for page in pages])
    numbers = np.arange(len(pages))
    names = np.array(["a"] * len(pages), dtype=object)
    return CodedPages(1, names, numbers.astype(np.int32), starts, codes, numbers.astype(np.uint64))


def test_every_half_counts_as_what_it_is() -> None:
    halves = np.arange(65_536, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)].reshape(-1, 1)

    exact = maxsim(np.ones((1, 1), np.float32), [one.reshape(1, 1) for one in finite])

    assert (exact == finite[:, 0].astype(np.float32)).all()


def test_a_score_is_the_sum_over_the_question_of_the_best_product(random: np.random.Generator) -> None:
    query = random.normal(size=(5, 40)).astype(np.float32)
    pages = [random.normal(size=(count, 40)).astype(np.float16) for count in (1, 7, 90)]

    expected = [float((query @ page.astype(np.float32).T).max(axis=1).sum()) for page in pages]

    assert maxsim(query, pages) == pytest.approx(expected, rel=1e-5)
    assert maxsim(query, []).shape == (0,)


@pytest.mark.parametrize("dimensions", [1, 32, 64, 100, 384])
def test_signs_are_compared_one_by_one(random: np.random.Generator, dimensions: int) -> None:
    query = random.normal(size=(3, dimensions)).astype(np.float32)
    pages = [random.normal(size=(count, dimensions)).astype(np.float16) for count in (1, 20_000, 3)]

    unlike = [((query[:, None] < 0) != (page[None] < 0)).sum(axis=2).min(axis=1).sum() for page in pages]

    assert code_scores(query, coded(pages)).tolist() == [-count for count in unlike]


@pytest.mark.parametrize("threads", [1, 2, 3, 50])
def test_threads_share_the_pages_and_change_nothing(
    random: np.random.Generator, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    query = random.normal(size=(3, 128)).astype(np.float32)
    pages = [random.normal(size=(count, 128)).astype(np.float16) for count in (90, 1, 30, 400, 2, 2, 70, 1)]
    alone = [float(code_scores(query, coded([page]))[0]) for page in pages]
    monkeypatch.setattr("desktop_rag.retrieve.maxsim._AT_ONCE", 100)

    assert code_scores(query, coded(pages), threads).tolist() == alone


def test_no_pages_have_no_scores() -> None:
    assert code_scores(np.ones((2, 8), np.float32), coded([])).shape == (0,)


def test_equal_scores_keep_their_order() -> None:
    assert best_pages(np.array([1, 3, 2, 3, 0], np.float32), 3).tolist() == [1, 3, 2]
