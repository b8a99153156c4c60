"""Reciprocal rank fusion and the places kept for keyword hits."""

import pytest

from desktop_rag.retrieve.fusion import RRF_K, reciprocal_rank_fusion, reserve


def test_the_score_is_the_sum_of_the_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion({"text": ["a", "b"], "keyword": ["b", "c"]})

    scores = {one.id: one.score for one in fused}
    assert scores["b"] == pytest.approx(1 / (RRF_K + 2) + 1 / (RRF_K + 1))
    assert scores["a"] == pytest.approx(1 / (RRF_K + 1))
    assert [one.id for one in fused] == ["b", "a", "c"]


def test_each_item_says_what_every_ranking_gave_it() -> None:
    fused = reciprocal_rank_fusion({"text": ["a"], "keyword": ["a"]}, {"keyword": 2.0})

    assert fused[0].parts == {"text": pytest.approx(1 / 61), "keyword": pytest.approx(2 / 61)}


def test_nothing_found_is_an_empty_ranking() -> None:
    assert reciprocal_rank_fusion({"text": [], "keyword": []}) == []


def test_a_keyword_hit_far_down_is_lifted_to_its_place() -> None:
    assert reserve(["a", "b", "c", "d", "e"], ["e"], [3]) == ["a", "b", "e", "c", "d"]


def test_a_keyword_hit_that_stands_better_keeps_its_place() -> None:
    assert reserve(["e", "b", "c"], ["e"], [3]) == ["e", "b", "c"]


def test_a_keyword_hit_that_fusion_lost_is_put_in() -> None:
    assert reserve(["a", "b", "c"], ["x", "y"], [3, 5]) == ["a", "b", "x", "c", "y"]


def test_a_short_ranking_takes_it_at_its_end() -> None:
    assert reserve(["a"], ["x"], [3]) == ["a", "x"]
