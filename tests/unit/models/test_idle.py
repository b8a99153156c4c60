"""A model that nobody uses leaves the memory, never under somebody's hands."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from desktop_rag.core.job import Job
from desktop_rag.models.idle import IdleClose
from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.llm import Message


class Timer(threading.Timer):
    """A timer that rings when the test says so."""

    def start(self) -> None:
        """Do nothing."""


@dataclass
class Clock:
    """Time, and the timers that wait."""

    now: float = 0.0
    timers: list[Timer] = field(default_factory=list)

    def timer(self, seconds: float, ring: Callable[[], None]) -> Timer:
        self.timers.append(Timer(seconds, ring))
        return self.timers[-1]

    def ring(self) -> None:
        """Let the last timer's time pass."""
        self.now += self.timers[-1].interval
        self.timers[-1].function()

    def idle(self, close: Callable[[], None], seconds: float = 900.0) -> IdleClose:
        return IdleClose(seconds, close, self.timer, lambda: self.now)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def closed() -> list[str]:
    return []


def test_it_closes_after_the_time_without_use(clock: Clock, closed: list[str]) -> None:
    idle = clock.idle(lambda: closed.append("closed"))
    with idle.using():
        pass
    assert [timer.interval for timer in clock.timers] == [900.0]
    clock.ring()
    assert closed == ["closed"]


def test_each_use_puts_it_off(clock: Clock, closed: list[str]) -> None:
    idle = clock.idle(lambda: closed.append("closed"))
    with idle.using():
        pass
    clock.now = 600.0
    with idle.using():
        pass
    assert len(clock.timers) == 1
    clock.now = 0.0
    clock.ring()
    assert closed == []
    assert clock.timers[-1].interval == 600.0
    clock.ring()
    assert closed == ["closed"]


def test_it_is_not_closed_while_somebody_uses_it(clock: Clock, closed: list[str]) -> None:
    idle = clock.idle(lambda: closed.append("closed"))
    with idle.using():
        pass
    with idle.using():
        clock.ring()
        assert closed == []
    clock.ring()
    assert closed == ["closed"]


def test_without_a_time_it_stays(clock: Clock, closed: list[str]) -> None:
    idle = clock.idle(lambda: closed.append("closed"), 0.0)
    with idle.using():
        pass
    assert clock.timers == []


def test_who_comes_while_it_is_closed_waits_for_that(clock: Clock) -> None:
    order: list[str] = []

    def use() -> None:
        with idle.using():
            order.append("used")

    late = threading.Thread(target=use)

    def close() -> None:
        late.start()
        late.join(0.05)
        order.append("closed")

    idle = clock.idle(close)
    with idle.using():
        pass
    clock.ring()
    late.join()
    assert order == ["closed", "used"]


@pytest.mark.slow
def test_the_chat_model_leaves_the_memory_and_comes_back_for_the_next_question(
    llama: LlamaModel, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = [Message("user", "What is the capital of France?")]
    monkeypatch.setattr(llama, "_idle", clock.idle(llama._unload))
    pieces = llama.stream(question, max_tokens=12, job=Job())
    first = next(pieces)
    assert clock.timers == []
    whole = first + "".join(pieces)
    assert llama._runtime is not None
    clock.ring()
    assert llama._runtime is None
    assert "".join(llama.stream(question, max_tokens=12, job=Job())) == whole
