"""Rates and times left are said when they can be known, and not before."""

import pytest

from desktop_rag.core.job import Progress
from desktop_rag.sync.pace import Pace


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def progress(done: int) -> Progress:
    return Progress(done, 100, "files", "Reading")


def test_the_first_seconds_promise_nothing() -> None:
    clock = Clock()
    pace = Pace(clock)
    clock.now = 1.0

    event = pace.at(progress(10))

    assert event.units_per_minute is None
    assert event.seconds_left is None


def test_rate_and_time_left_follow_from_what_was_done() -> None:
    clock = Clock()
    pace = Pace(clock)
    clock.now = 10.0

    event = pace.at(progress(20))

    assert event.units_per_minute == pytest.approx(120)
    assert event.seconds_left == pytest.approx(40)


def test_only_the_last_minute_counts() -> None:
    clock = Clock()
    pace = Pace(clock)
    for second in range(0, 60, 10):
        clock.now = float(second)
        pace.at(progress(0))
    for second in range(60, 181, 10):
        clock.now = float(second)
        event = pace.at(progress((second - 60) // 10))

    assert event.units_per_minute == pytest.approx(6)


def test_a_standstill_has_no_time_left() -> None:
    clock = Clock()
    pace = Pace(clock)
    clock.now = 30.0

    assert pace.at(progress(0)).seconds_left is None
