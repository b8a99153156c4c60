"""Changes on the disk become one call after the folder is quiet."""

import threading
from pathlib import Path

import pytest

from desktop_rag.sync.watcher import Watcher


class Calls:
    def __init__(self) -> None:
        self.count = 0
        self.where: set[Path] = set()
        self.made = threading.Event()

    def __call__(self, where: frozenset[Path]) -> None:
        self.count += 1
        self.where |= where
        self.made.set()


def test_a_burst_of_writes_is_one_call(tmp_path: Path) -> None:
    calls = Calls()
    watcher = Watcher(calls, quiet_s=0.3)
    watcher.start()
    try:
        watcher.watch([tmp_path])
        for number in range(20):
            (tmp_path / f"{number}.txt").write_text("text", encoding="utf-8")
        assert calls.made.wait(10)
        calls.made.clear()
        assert not calls.made.wait(1.0), "nothing more was written"
    finally:
        watcher.stop()
    assert calls.count == 1


def test_reading_a_file_is_no_change(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("text", encoding="utf-8")
    calls = Calls()
    watcher = Watcher(calls, quiet_s=0.1)
    watcher.start()
    try:
        watcher.watch([tmp_path])
        file.read_text(encoding="utf-8")
        assert not calls.made.wait(0.8)
    finally:
        watcher.stop()


def test_a_folder_that_is_no_longer_watched_is_quiet(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    calls = Calls()
    watcher = Watcher(calls, quiet_s=0.1)
    watcher.start()
    try:
        watcher.watch([old])
        watcher.watch([new])
        (old / "a.txt").write_text("text", encoding="utf-8")
        assert not calls.made.wait(0.8)
        (new / "a.txt").write_text("text", encoding="utf-8")
        assert calls.made.wait(10)
    finally:
        watcher.stop()


@pytest.mark.parametrize("name", ["gone", "gone/deeper"])
def test_a_folder_that_does_not_exist_does_not_stop_the_others(tmp_path: Path, name: str) -> None:
    calls = Calls()
    watcher = Watcher(calls, quiet_s=0.1)
    watcher.start()
    try:
        watcher.watch([tmp_path / "other" / name, tmp_path])
        (tmp_path / "a.txt").write_text("text", encoding="utf-8")
        assert calls.made.wait(10)
    finally:
        watcher.stop()


def test_the_folder_concerned_is_named(tmp_path: Path) -> None:
    quiet, busy = tmp_path / "quiet", tmp_path / "busy"
    (busy / "deep").mkdir(parents=True)
    quiet.mkdir()
    calls = Calls()
    watcher = Watcher(calls, quiet_s=0.1)
    watcher.start()
    try:
        watcher.watch([quiet, busy])
        (busy / "deep" / "a.txt").write_text("text", encoding="utf-8")
        assert calls.made.wait(10)
    finally:
        watcher.stop()
    assert calls.where == {busy}


def test_a_folder_without_events_is_looked_at_now_and_then(tmp_path: Path) -> None:
    calls = Calls()
    watcher = Watcher(calls, quiet_s=0.1, poll_s=0.2, kind_of=lambda _: "nfs4")
    watcher.start()
    try:
        watcher.watch([tmp_path])
        assert watcher.polled == {tmp_path}
        (tmp_path / "a.txt").write_text("text", encoding="utf-8")
        assert calls.made.wait(10)
    finally:
        watcher.stop()


def test_a_drive_that_comes_back_is_noticed_and_watched_again(tmp_path: Path) -> None:
    root, away = tmp_path / "drive", tmp_path / "away"
    root.mkdir()
    calls = Calls()
    watcher = Watcher(calls, quiet_s=0.1, roots_s=0.2)
    watcher.start()
    try:
        watcher.watch([root])
        root.rename(away)
        assert calls.made.wait(10)
        calls.made.clear()
        away.rename(root)
        assert calls.made.wait(10)
        while calls.made.wait(1.0):
            calls.made.clear()
        (root / "a.txt").write_text("text", encoding="utf-8")
        assert calls.made.wait(10)
    finally:
        watcher.stop()
