"""The measures against values worked out by hand."""

import math

import pytest

from desktop_rag.evaluate.metrics import Judged, summarise


def judged(*gains: bool, right: int = 1, ms: float = 1.0) -> Judged:
    return Judged(tuple(gains), right, ms)


def test_rank_and_hits() -> None:
    third = judged(False, False, True)

    assert third.rank == 3
    assert (third.hit(1), third.hit(5)) == (0.0, 1.0)
    assert third.reciprocal_rank() == pytest.approx(1 / 3)


def test_a_miss_scores_nothing() -> None:
    miss = judged(False, False)

    assert miss.rank is None
    assert (miss.hit(5), miss.reciprocal_rank(), miss.ndcg()) == (0.0, 0.0, 0.0)


def test_what_stands_below_ten_does_not_count_for_mrr() -> None:
    assert judged(*[False] * 10, True).reciprocal_rank() == 0.0


def test_ndcg_of_two_right_pages() -> None:
    expected = (1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3))

    assert judged(True, False, True, right=2).ndcg() == pytest.approx(expected)
    assert judged(True, True, right=2).ndcg() == pytest.approx(1.0)


def test_means_and_percentiles() -> None:
    metrics = summarise([judged(True, ms=float(ms)) for ms in range(1, 100)] + [judged(False, ms=1000.0)])

    assert metrics.n == 100
    assert metrics.measures["hit@1"].value == pytest.approx(0.99)
    assert metrics.ms_p50 == 50.0
    assert metrics.ms_p95 == 95.0


def test_no_questions_have_no_mean() -> None:
    with pytest.raises(ValueError, match="no questions"):
        summarise([])
