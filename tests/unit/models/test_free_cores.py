"""Threads for the cores that other programs leave free, told by what they spent."""

from __future__ import annotations

import os
from dataclasses import dataclass

import pytest

from desktop_rag.models.free_cores import FreeCores, Spent, read_spent


@dataclass
class Machine:
    """A clock, and how many cores other programs and we keep busy."""

    now: float = 0.0
    others: float = 0.0
    ourselves: float = 0.0

    def work(self, seconds: float, others: float, ourselves: float) -> None:
        self.now += seconds
        self.others += others * seconds
        self.ourselves += ourselves * seconds

    def spent(self) -> Spent:
        return Spent(self.others + self.ourselves, self.ourselves)

    def cores(self, most: int) -> FreeCores:
        return FreeCores(most, self.spent, lambda: self.now)


@pytest.mark.parametrize(
    ("most", "others", "threads"),
    [(2, 0.0, 2), (2, 0.3, 2), (2, 0.6, 1), (2, 1.0, 1), (8, 0.0, 8), (8, 1.0, 7), (8, 6.9, 1), (1, 1.0, 1)],
)
def test_one_thread_for_each_core_that_is_left(most: int, others: float, threads: int) -> None:
    machine = Machine()
    cores = machine.cores(most)
    machine.work(1.0, others, most)
    assert cores.threads == threads


@pytest.mark.parametrize(("most", "others"), [(2, 1.7), (8, 7.9)])
def test_where_no_core_is_free_all_threads_ask_for_their_share(most: int, others: float) -> None:
    machine = Machine()
    cores = machine.cores(most)
    machine.work(1.0, others, most - others)
    assert cores.threads == most


def test_it_looks_only_now_and_then() -> None:
    machine = Machine()
    cores = machine.cores(2)
    machine.work(0.1, 1.0, 1.0)
    assert cores.threads == 2
    machine.work(0.2, 1.0, 1.0)
    assert cores.threads == 1


def test_the_threads_come_back_when_the_other_program_ends() -> None:
    machine = Machine()
    cores = machine.cores(2)
    machine.work(1.0, 1.0, 1.0)
    assert cores.threads == 1
    machine.work(1.0, 0.0, 1.0)
    assert cores.threads == 2


def test_what_happened_before_a_reply_does_not_count() -> None:
    machine = Machine()
    cores = machine.cores(2)
    machine.work(60.0, 1.0, 0.0)
    cores.begin()
    machine.work(1.0, 0.0, 2.0)
    assert cores.threads == 2


def test_the_real_times_grow_and_ours_are_a_part_of_them() -> None:
    before = read_spent()
    while sum(os.times()[:2]) < before.ourselves + 0.05:
        pass
    after = read_spent()
    assert after.ourselves > before.ourselves
    assert after.everybody >= after.ourselves
