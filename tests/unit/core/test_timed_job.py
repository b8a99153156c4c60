"""A part of a job that has its own time."""

from __future__ import annotations

import pytest

from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job, TimedJob


def test_it_ends_when_its_time_is_over() -> None:
    now = [0.0]
    whole = Job()
    part = TimedJob(whole, 10, lambda: now[0])
    part.check()
    now[0] = 10.0
    assert part.cancelled
    with pytest.raises(CancelledError):
        part.check()
    whole.check()


def test_it_ends_with_the_whole_but_not_the_other_way_round() -> None:
    whole = Job()
    one, other = TimedJob(whole, 1000), TimedJob(whole, 1000)
    one.cancel()
    assert (one.cancelled, other.cancelled, whole.cancelled) == (True, False, False)
    whole.cancel()
    with pytest.raises(CancelledError):
        other.check()
