"""Two runs side by side: what was won and lost, what counts as worse, and how sure a mean is."""

import json
from pathlib import Path

import pytest

from desktop_rag.core.errors import UserFacingError
from desktop_rag.evaluate.bootstrap import estimate
from desktop_rag.evaluate.metrics import Judged
from desktop_rag.evaluate.paired import Change, load_ranks, paired


def test_questions_are_won_and_lost_one_by_one() -> None:
    before = {"text": {"a": 2, "b": 1, "c": None, "only-before": 1}, "keyword": {"a": 1}}
    after = {"text": {"a": 1, "b": 3, "c": 4, "d": 1}, "best": {"a": 1}}

    (change,) = paired(before, after)

    assert (change.route, change.n) == ("text", 3)
    assert change.won == (Change("a", 2, 1), Change("c", None, 4))
    assert change.lost == (Change("b", 1, 3),)
    assert change.mrr.value == pytest.approx((0.5 - 2 / 3 + 0.25) / 3)
    assert change.hit_at_5 == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("after", "worse"), [({"a": 1, "b": 2}, False), ({"a": 1, "b": 1}, False), ({"a": 2, "b": 2}, True)]
)
def test_a_lower_measure_is_a_regression(after: dict[str, int | None], worse: bool) -> None:
    (change,) = paired({"text": {"a": 1, "b": 2}}, {"text": after})

    assert change.regressed is worse


def test_a_rank_below_ten_is_no_find() -> None:
    (change,) = paired({"text": {"a": 40}}, {"text": {"a": 11}})

    assert change.won == change.lost == ()


def test_the_ranks_of_an_earlier_run_are_read_from_its_json(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"questions": [{"id": "a", "route": "text", "rank": None}]}), encoding="utf-8")

    assert load_ranks(path) == {"text": {"a": None}}


@pytest.mark.parametrize("text", ["{}", "no json", '{"questions": [{"id": "a"}]}', "[]"])
def test_a_file_that_is_no_run_is_refused_with_its_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "old.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(UserFacingError, match=r"old\.json is not the result of a run"):
        load_ranks(path)
    with pytest.raises(UserFacingError, match="cannot be read"):
        load_ranks(tmp_path / "nothing.json")


def test_an_interval_holds_its_mean_repeats_and_narrows_with_more_questions() -> None:
    few, many = estimate([1.0, 0.0] * 5), estimate([1.0, 0.0] * 500)

    assert few == estimate([1.0, 0.0] * 5)
    assert few.low < few.value == 0.5 < few.high
    assert many.high - many.low < few.high - few.low
    assert estimate([1.0]).as_json() == [1.0, 1.0, 1.0]


def test_context_precision_is_the_share_of_elements_on_right_pages() -> None:
    assert Judged((True,), 1, 1.0, (True, False, True, False)).context_precision() == 0.5
    assert Judged((), 1, 1.0).context_precision() == 0.0
