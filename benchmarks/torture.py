"""``python -m benchmarks.torture``: kills the engine with SIGKILL, over and over, while it indexes a collection.

In the end its index must hold exactly the elements, tables and page vectors of a run that nobody disturbed: none lost,
none twice, nothing left over in any table.

The moments of the kills are drawn from the course of the undisturbed run: half of them from its time, so that a stage
is met as often as it takes long, and half from its stages in turns, so that each is met. The engine is killed when its
work has come to such a moment, and up to some seconds later, in the middle of whatever it does then.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path

import psutil

from benchmarks.documents import find_documents
from benchmarks.whole_index import Row, least_cosine, whole_index
from desktop_rag.core.events import LedgerChanged, SyncDone, SyncProgress
from desktop_rag.engine.client import EngineClient
from desktop_rag.engine.protocol import EngineEvent, EngineRefused, SyncFailed

_START_SECONDS = 300.0
_WORKERS_SECONDS = 20.0
_LOOKING = "Looking"
_LEAST_COSINE = 0.999
"""Vectors of the same text, made in other batches, differ in their last digits only."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a run was ``seconds`` after its start: ``left`` units of a stage still to do."""

    seconds: float
    stage: str
    left: int


class Course(tuple[Mark, ...]):
    """How a run went, from its first file to its end."""

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self[-1].seconds

    @property
    def stages(self) -> tuple[str, ...]:
        """Its stages, in the order in which they began."""
        return tuple(dict.fromkeys(mark.stage for mark in self))

    def moments(self, count: int, chance: random.Random) -> list[Mark]:
        """Return ``count`` moments of it, in their order."""
        drawn = []
        for number in range(count):
            if number % 2:
                stage = self.stages[number // 2 % len(self.stages)]
                drawn.append(chance.choice([mark for mark in self if mark.stage == stage]))
            else:
                second = chance.uniform(0.0, self.seconds)
                drawn.append(next(mark for mark in self if mark.seconds >= second))
        return sorted(drawn, key=lambda mark: (self.stages.index(mark.stage), -mark.left))


class Engine:
    """One life of the engine process."""

    def __init__(self, workspace: str, base: Path) -> None:
        self.events: queue.Queue[EngineEvent] = queue.Queue()
        self.marks: list[Mark] = []
        self._started = time.monotonic()
        self.client = EngineClient(workspace, base, self._hear)
        self.client.start()

    @property
    def stage(self) -> str:
        """What it does now."""
        return self.marks[-1].stage if self.marks else _LOOKING

    def add(self, folder: Path) -> None:
        """Watch the collection."""
        self.client.call("add_paths", [str(folder)]).future.result(_START_SECONDS)

    def until(self, *kinds: type[object]) -> EngineEvent:
        """Return the next event of one of these kinds."""
        while True:
            event = self.events.get(timeout=3600)
            if isinstance(event, EngineRefused | SyncFailed):
                raise RuntimeError(event.message)
            if isinstance(event, kinds):
                return event

    def work_until(self, moment: Mark, stages: Sequence[str]) -> None:
        """Return when the work has come to ``moment`` or beyond it, or to its end."""
        while True:
            if isinstance(self.until(SyncProgress, SyncDone), SyncDone):
                if self.has_nothing_to_do():
                    return
                continue
            mark = self.marks[-1]
            there, here = stages.index(moment.stage), stages.index(mark.stage) if mark.stage in stages else -1
            if here > there or (here == there and mark.left <= moment.left):
                return

    def has_nothing_to_do(self) -> bool:
        """Return whether every file has all stages behind it."""
        files = self.client.call("status").future.result(60).files
        return bool(files) and not any("pending" in map(str, row.stages.values()) for row in files)

    def kill(self) -> int:
        """End it as nothing can prevent; return how many of its own processes are left a while later."""
        pid = self.client.engine_pid
        workers: list[psutil.Process] = []
        if pid is not None:
            workers = psutil.Process(pid).children(recursive=True)
            os.kill(pid, signal.SIGKILL)
        self.client.close(0.1)
        _, alive = psutil.wait_procs(workers, timeout=_WORKERS_SECONDS)
        return len(alive)

    def _hear(self, event: EngineEvent) -> None:
        if isinstance(event, SyncProgress):
            progress = event.progress
            self.marks.append(Mark(time.monotonic() - self._started, progress.stage, progress.total - progress.done))
        self.events.put(event)


def undisturbed(folder: Path, base: Path) -> Course:
    """Index the collection in one go; return how that went, now or in the run that ``base`` has kept."""
    kept = base / "calm.json"
    if not kept.exists():
        marks = _finish(folder, base, "calm")
        kept.write_text(json.dumps([astuple(mark) for mark in marks if mark.stage != _LOOKING]), encoding="utf-8")
    return Course(Mark(*values) for values in json.loads(kept.read_text(encoding="utf-8")))


@dataclass(slots=True)
class Kills:
    """How often the engine was killed in which stage, and what was wrong afterwards."""

    stages: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)


def disturbed(folder: Path, base: Path, kills: int, calm: Course, chance: random.Random, longest_s: float) -> Kills:
    """Kill the engine ``kills`` times at random moments, then let it finish.

    Every fifth time the moment is counted from the start of the engine, so that mending what the kill before it left is
    disturbed, too.
    """
    done = Kills()
    moments = iter(calm.moments(kills - kills // 5, chance))
    for number in range(1, kills + 1):
        engine = Engine("wild", base)
        engine.add(folder)
        if number % 5:
            engine.work_until(next(moments), calm.stages)
        time.sleep(chance.uniform(0.0, longest_s))
        stage = engine.stage
        if left := engine.kill():
            done.troubles.append(f"after kill {number}, {left} processes of the engine did not end")
        done.stages[stage] += 1
        at = f"{engine.marks[-1].left:,} left" if engine.marks else "not begun"
        print(f"{number} of {kills} kills, the last while: {stage} ({at})", file=sys.stderr, flush=True)
    _finish(folder, base, "wild")
    return done


def _finish(folder: Path, base: Path, workspace: str) -> list[Mark]:
    engine = Engine(workspace, base)
    try:
        engine.add(folder)
        while True:
            engine.client.call("sync").future.result(3600)
            if engine.has_nothing_to_do():
                return engine.marks
            engine.until(LedgerChanged, SyncDone)
    finally:
        engine.client.close()


def main() -> int:
    """Run it; the exit code is 0 when both indexes hold the same."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--longest", type=float, default=5.0, help="most seconds from the moment drawn to the kill")
    parser.add_argument("--seed", type=int, default=0, help="the same seed kills at the same moments")
    parser.add_argument("--folder", type=Path, default=None, help="another collection than the usual one")
    parser.add_argument("--keep", type=Path, help="keep the indexes here, and take an undisturbed one from here")
    given = parser.parse_args()
    folder = (given.folder or find_documents().folder).resolve()
    with tempfile.TemporaryDirectory(prefix="desktop-rag-torture-") as name:
        base = given.keep or Path(name)
        base.mkdir(parents=True, exist_ok=True)
        course = undisturbed(folder, base)
        calm, troubles = whole_index(base, "calm")
        print(f"Undisturbed: {_counted(calm)} in {course.seconds:.0f} s.", flush=True)
        started = time.perf_counter()
        done = disturbed(folder, base, given.kills, course, random.Random(given.seed), given.longest)
        print(f"{given.kills} kills in {time.perf_counter() - started:.0f} s, by stage: {dict(done.stages)}")
        wild, more = whole_index(base, "wild")
        differ = _differences(calm, wild, least_cosine(base, "calm", "wild"))
    troubles += [*more, *done.troubles, *differ]
    for trouble in troubles:
        print("  wrong:", trouble)
    return int(bool(troubles))


def _differences(calm: Counter[Row], wild: Counter[Row], alike: float) -> list[str]:
    lost, surplus = calm - wild, wild - calm
    print(f"lost {sum(lost.values())}, doubled or other {sum(surplus.values())}, of {sum(calm.values()):,} rows")
    print(f"least cosine between the vectors of the same text: {alike:.4f}")
    troubles = [f"lost: {str(row)[:300]}" for row in [*lost][:20]]
    troubles += [f"surplus: {str(row)[:300]}" for row in [*surplus][:20]]
    return troubles if alike >= _LEAST_COSINE else [*troubles, "vectors are not those of their texts"]


def _counted(rows: Counter[Row]) -> str:
    kinds: Counter[object] = Counter()
    for row, count in rows.items():
        kinds[row[0]] += count
    return ", ".join(f"{count:,} of {kind}" for kind, count in kinds.items())


if __name__ == "__main__":
    sys.exit(main())
