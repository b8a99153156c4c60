"""How many threads a model should use now: one for each core that other programs leave free.

llama.cpp's threads wait for each other hundreds of times for every token, so one of them that shares its core with a
busy program holds up all the others. Measured on two cores with one other busy program: 40 tokens a second with one
thread, 32 with two; without it 45 and 63. Where not even one core is free, more threads get more of what there is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

_LOOK_SECONDS = 0.25
"""Systems count in hundredths of a second: over a shorter time the share of a core is too coarse."""

_SPARED = 0.35
"""A core of which other programs take no more than that counts as free."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of processor time since some beginning, on all cores: of all programs, and of this one alone.

    Low-priority work is left out, as it makes room.
    """

    everybody: float
    ourselves: float


def read_spent() -> Spent:
    """Return the times of now, on any system that psutil knows."""
    total, own = psutil.cpu_times(), psutil.Process().cpu_times()
    return Spent(total.user + total.system, own.user + own.system)


class FreeCores:
    """Watches the cores while a model works. ``most`` threads are used when nobody else needs a core."""

    def __init__(
        self, most: int, read: Callable[[], Spent] = read_spent, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._read = read
        self._clock = clock
        self._threads = most
        self.begin()

    def begin(self) -> None:
        """Watch from now on: what other programs did since the last reply says little about this one."""
        self._since, self._spent = self._clock(), self._read()

    @property
    def threads(self) -> int:
        """The number of threads, between 1 and ``most``; it changes a few times a second at the most."""
        now = self._clock()
        if now - self._since >= _LOOK_SECONDS:
            spent = self._read()
            others = (spent.everybody - self._spent.everybody) - (spent.ourselves - self._spent.ourselves)
            free = self._most - others / (now - self._since)
            self._threads = self._most if free < 1 - _SPARED else min(self._most, int(free + _SPARED))
            self._since, self._spent = now, spent
        return self._threads
