"""A file that is still being written is left for later, but not for ever."""

import os
from pathlib import Path

from desktop_rag.core.types import SourceFile
from desktop_rag.sync.settling import Settling

_NOW = 1_700_000_000.0


class Clock:
    """Time passes only when somebody sleeps; ``meanwhile`` is what happens then."""

    def __init__(self) -> None:
        self.now = _NOW
        self.slept: list[float] = []
        self.meanwhile = lambda: None

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        self.meanwhile()


def written(path: Path, when: float, text: str = "text") -> SourceFile:
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(int(when * 1e9), int(when * 1e9)))
    status = path.stat()
    return SourceFile(path, path.name, 1, status.st_size, status.st_mtime_ns)


def test_a_file_that_has_rested_is_not_waited_for(tmp_path: Path) -> None:
    clock = Clock()
    assert not Settling(clock.time, clock.sleep).unsettled([written(tmp_path / "a", _NOW - 3)])
    assert clock.slept == []


def test_a_fresh_file_that_rests_is_taken(tmp_path: Path) -> None:
    clock = Clock()
    assert not Settling(clock.time, clock.sleep).unsettled([written(tmp_path / "a", _NOW - 0.1)])
    assert 0 < sum(clock.slept) <= 0.5


def test_a_file_that_grows_is_left_for_later(tmp_path: Path) -> None:
    clock = Clock()
    grows, rests = written(tmp_path / "a", _NOW - 0.1), written(tmp_path / "b", _NOW - 0.1)
    clock.meanwhile = lambda: (written(tmp_path / "a", clock.now, "more text"), None)[1]

    assert Settling(clock.time, clock.sleep).unsettled([grows, rests]) == {grows.path}


def test_a_file_that_vanishes_meanwhile_is_left_for_later(tmp_path: Path) -> None:
    clock = Clock()
    seen = written(tmp_path / "a", _NOW - 0.1)
    clock.meanwhile = (tmp_path / "a").unlink

    assert Settling(clock.time, clock.sleep).unsettled([seen]) == {seen.path}


def test_a_file_that_never_rests_is_taken_in_the_end(tmp_path: Path) -> None:
    clock = Clock()
    settling = Settling(clock.time, clock.sleep)
    path = tmp_path / "log"
    sizes = iter(range(1, 10_000))
    clock.meanwhile = lambda: (written(path, clock.now, "x" * next(sizes)), None)[1]
    taken = 0
    for _ in range(20):
        if not settling.unsettled([written(path, clock.now - 0.1, "x" * next(sizes))]):
            taken += 1
        clock.now += 60

    assert 0 < taken < 15


def test_after_the_clock_was_set_back_nothing_is_waited_for(tmp_path: Path) -> None:
    clock = Clock()
    assert not Settling(clock.time, clock.sleep).unsettled([written(tmp_path / "a", _NOW + 86_400)])
    assert clock.slept == []


def test_where_times_are_whole_seconds_two_seconds_must_pass(tmp_path: Path) -> None:
    clock = Clock()
    assert not Settling(clock.time, clock.sleep).unsettled([written(tmp_path / "a", _NOW - 1)])
    assert sum(clock.slept) == 1.0
