"""``python -m benchmarks.torture``: kills the engine with SIGKILL, over and over, while it indexes a collection.

In the end its index must hold exactly the elements, tables and page vectors of a run that nobody disturbed: none lost,
none twice, nothing left over in any table.
"""

from __future__ import annotations

import argparse
import os
import queue
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchmarks.documents import find_documents
from benchmarks.whole_index import Row, whole_index
from desktop_rag.core.events import LedgerChanged, SyncDone, SyncProgress
from desktop_rag.engine.client import EngineClient
from desktop_rag.engine.protocol import EngineEvent, EngineRefused, SyncFailed

_START_SECONDS = 300.0
_WORKERS_SECONDS = 20.0


class Engine:
    """One life of the engine process."""

    def __init__(self, workspace: str, base: Path) -> None:
        self.events: queue.Queue[EngineEvent] = queue.Queue()
        self.client = EngineClient(workspace, base, self.events.put)
        self.client.start()

    def add(self, folder: Path) -> None:
        """Watch the collection."""
        self.client.call("add_paths", [str(folder)]).future.result(_START_SECONDS)

    def until(self, *kinds: type[object]) -> EngineEvent:
        """Return the next event of one of these kinds."""
        deadline = time.monotonic() + 3600
        while True:
            event = self.events.get(timeout=max(1.0, deadline - time.monotonic()))
            if isinstance(event, EngineRefused | SyncFailed):
                raise RuntimeError(event.message)
            if isinstance(event, kinds):
                return event

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


def undisturbed(folder: Path, base: Path) -> float:
    """Index the collection in one go; return the seconds, of now or of the run that ``base`` has kept."""
    kept = base / "calm-seconds"
    if not kept.exists():
        started = time.perf_counter()
        _finish(folder, base, "calm")
        kept.write_text(str(time.perf_counter() - started), encoding="utf-8")
    return float(kept.read_text(encoding="utf-8"))


@dataclass(slots=True)
class Kills:
    """How often the engine was killed in which stage, and what was wrong afterwards."""

    stages: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)


def disturbed(folder: Path, base: Path, kills: int, chance: random.Random, longest_s: float) -> Kills:
    """Kill the engine ``kills`` times at random moments, then let it finish.

    Every fifth time the moment is counted from the start of the engine, so that mending what the kill before it left is
    disturbed, too; else from the moment when it has looked at the folder and begins to work.
    """
    done = Kills()
    for number in range(1, kills + 1):
        engine = Engine("wild", base)
        engine.add(folder)
        at_once = number % 5 == 0
        stage = _work_for(engine, chance.uniform(0.0, min(longest_s, 5.0) if at_once else longest_s), not at_once)
        if left := engine.kill():
            done.troubles.append(f"after kill {number}, {left} processes of the engine did not end")
        done.stages[stage] += 1
        print(f"\r{number} of {kills} kills, the last while: {stage}          ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    _finish(folder, base, "wild")
    return done


def _work_for(engine: Engine, seconds: float, once_it_works: bool) -> str:
    """Wait; return the stage in which the engine is then."""
    stage = "Looking"
    while once_it_works and stage == "Looking":
        stage = _stage(engine.until(SyncProgress, SyncDone), stage)
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        try:
            stage = _stage(engine.events.get(timeout=left), stage)
        except queue.Empty:
            break
    return stage


def _stage(event: EngineEvent, before: str) -> str:
    if isinstance(event, SyncProgress):
        return event.progress.stage
    return "done" if isinstance(event, SyncDone) else before


def _finish(folder: Path, base: Path, workspace: str) -> None:
    engine = Engine(workspace, base)
    try:
        engine.add(folder)
        while True:
            engine.client.call("sync").future.result(3600)
            ledger = engine.client.call("status").future.result(60)
            if ledger.files and not any("pending" in map(str, row.stages.values()) for row in ledger.files):
                return
            engine.until(LedgerChanged, SyncDone)
    finally:
        engine.client.close()


def main() -> int:
    """Run it; the exit code is 0 when both indexes hold the same."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--longest", type=float, help="most seconds of work before a kill; else over the whole run")
    parser.add_argument("--seed", type=int, default=0, help="the same seed kills at the same moments")
    parser.add_argument("--folder", type=Path, default=None, help="another collection than the usual one")
    parser.add_argument("--keep", type=Path, help="keep the indexes here, and take an undisturbed one from here")
    given = parser.parse_args()
    folder = (given.folder or find_documents().folder).resolve()
    with tempfile.TemporaryDirectory(prefix="desktop-rag-torture-") as name:
        base = given.keep or Path(name)
        base.mkdir(parents=True, exist_ok=True)
        calm_s = undisturbed(folder, base)
        calm, troubles = whole_index(base, "calm")
        print(f"Undisturbed: {_counted(calm)} in {calm_s:.0f} s.", flush=True)
        longest_s = given.longest or 2 * calm_s / max(1, given.kills)
        started = time.perf_counter()
        done = disturbed(folder, base, given.kills, random.Random(given.seed), longest_s)
        wild_s = time.perf_counter() - started
        wild, more = whole_index(base, "wild")
    lost, surplus = calm - wild, wild - calm
    print(f"{given.kills} kills in {wild_s:.0f} s, by stage: {dict(done.stages)}")
    print(f"lost {sum(lost.values())}, doubled or other {sum(surplus.values())}, of {sum(calm.values()):,} rows")
    for row in [*lost][:20] + [*surplus][:20]:
        print("  lost:   " if row in lost else "  surplus:", str(row)[:300])
    troubles += more + done.troubles
    for trouble in troubles:
        print("  wrong:", trouble)
    return int(bool(lost or surplus or troubles))


def _counted(rows: Counter[Row]) -> str:
    kinds: Counter[object] = Counter()
    for row, count in rows.items():
        kinds[row[0]] += count
    return ", ".join(f"{count:,} of {kind}" for kind, count in kinds.items())


if __name__ == "__main__":
    sys.exit(main())
