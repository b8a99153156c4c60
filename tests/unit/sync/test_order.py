"""Which file is read first: wanted ones, the newest and smallest, and each folder in its turn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop_rag.core.ledger import FileState
from desktop_rag.core.power import PowerMode
from desktop_rag.store.files import FileRecord
from desktop_rag.sync.reading import in_order
from desktop_rag.sync.retitling import title_after_move

DAY = 86_400 * 10**9


def record(name: str, *, day: int = 1, size: int = 10, folder: int = 1, priority: int = 0) -> FileRecord:
    return FileRecord(
        document=name, folder_id=folder, path=Path("/d") / name, shown=name, size=size, mtime_ns=day * DAY, hash="h",
        state=FileState.PENDING, reason="", pages=1, elements=1, title="", reader="text/1", stages={},
        priority=priority,
    )  # fmt: skip


def names(records: list[FileRecord]) -> list[str]:
    return [one.document for one in in_order(records)]


def test_the_newest_day_comes_first_and_in_a_day_the_smallest() -> None:
    assert names([record("old", day=1), record("large", day=2, size=99), record("small", day=2)]) == [
        "small", "large", "old",
    ]  # fmt: skip


def test_folders_take_turns_so_that_a_large_one_does_not_starve_a_small_one() -> None:
    large = [record(f"large-{number}", day=2, size=number) for number in range(4)]
    small = [record(f"small-{number}", day=1, size=number, folder=2) for number in range(2)]
    assert names(large + small) == ["large-0", "small-0", "large-1", "small-1", "large-2", "large-3"]


def test_what_a_person_wants_comes_before_all_else() -> None:
    assert names([record("new", day=9), record("wanted", day=1, size=99, folder=2, priority=3)]) == ["wanted", "new"]


@pytest.mark.parametrize(
    ("choice", "battery", "slow", "everything"),
    [
        ("less", True, True, False), ("pause", True, True, True), ("same", True, False, False),
        ("pause", False, False, False),
    ],
)  # fmt: skip
def test_on_battery_what_was_chosen_waits(choice: str, battery: bool, slow: bool, everything: bool) -> None:
    mode = PowerMode(choice, lambda: battery)
    assert (mode.holds_slow, mode.holds_all) == (slow, everything)


@pytest.mark.parametrize(
    ("reader", "title", "after"),
    [
        ("text/1", "annual_report", "budget_2024"),
        ("pdf/1", "annual report", "budget 2024"),
        ("pdf/1", "A title of its own", "A title of its own"),
    ],
)
def test_a_title_that_was_the_name_follows_the_name(reader: str, title: str, after: str) -> None:
    before = replace(record("annual_report.pdf"), title=title, reader=reader)
    assert title_after_move(before, Path("/d/budget_2024.pdf")) == after
