"""``python -m benchmarks.torture``: kills the engine with SIGKILL, over and over, while it indexes a collection.

In the end its index must hold exactly the elements of a run that nobody disturbed: none lost, none twice, nothing left
over in any table.
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
from pathlib import Path

from benchmarks.documents import find_documents
from desktop_rag.core.events import LedgerChanged, SyncDone, SyncProgress
from desktop_rag.core.paths import workspace_paths
from desktop_rag.engine.client import EngineClient
from desktop_rag.engine.protocol import EngineEvent, EngineRefused, SyncFailed
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.sync.housekeeping import Housekeeping

_DIMENSIONS = 384
_START_SECONDS = 300.0


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

    def kill(self) -> None:
        """End it as nothing can prevent."""
        pid = self.client.engine_pid
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
        self.client.close(0.1)


def undisturbed(folder: Path, base: Path) -> float:
    """Index the collection in one go; return the seconds."""
    started = time.perf_counter()
    _finish(folder, base, "calm")
    return time.perf_counter() - started


def disturbed(folder: Path, base: Path, kills: int, chance: random.Random, longest_s: float) -> Counter[str]:
    """Kill the engine ``kills`` times at random moments, then let it finish; return how often in which stage."""
    hit: Counter[str] = Counter()
    for number in range(1, kills + 1):
        engine = Engine("wild", base)
        engine.add(folder)
        stage = "looking"
        event = engine.until(SyncProgress, SyncDone)
        while isinstance(event, SyncProgress) and event.progress.stage == stage.capitalize():
            event = engine.until(SyncProgress, SyncDone)
        stage = event.progress.stage if isinstance(event, SyncProgress) else "done"
        deadline = time.monotonic() + chance.uniform(0.0, longest_s)
        while (left := deadline - time.monotonic()) > 0:
            try:
                event = engine.events.get(timeout=left)
            except queue.Empty:
                break
            if isinstance(event, SyncProgress):
                stage = event.progress.stage
            elif isinstance(event, SyncDone):
                stage = "done"
        engine.kill()
        hit[stage] += 1
        print(f"\r{number} of {kills} kills, the last while: {stage}          ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    _finish(folder, base, "wild")
    return hit


def content(base: Path, workspace: str) -> tuple[Counter[tuple[object, ...]], list[str]]:
    """Return all elements of a workspace without the ids that differ, and what is wrong with it."""
    paths = workspace_paths(workspace, base)
    with Catalogue.open(paths.catalogue) as catalogue:
        files = {record.document: record for record in catalogue.files.all()}
        store = ElementStore(paths.elements_uri, _DIMENSIONS)
        keeper = Housekeeping(catalogue, store, paths.print_views)
        keeper.tidy()
        found = keeper.check()
        troubles = [] if found.sound and not found.stray_vectors else [f"{workspace}: {found}"]
        elements: Counter[tuple[object, ...]] = Counter()
        for document, record in files.items():
            name = (record.shown, str(record.state), record.pages)
            elements[name] += 1
            for element in store.of_document(document):
                box = (element.bbox.x0, element.bbox.y0, element.bbox.x1, element.bbox.y1)
                elements[record.shown, element.page, element.kind, element.text, element.content_hash, box] += 1
        unfinished = [record.shown for record in files.values() if "pending" in map(str, record.stages.values())]
        troubles += [f"{workspace}: unfinished {name}" for name in unfinished]
        store.close()
    return elements, troubles


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
    parser.add_argument("--longest", type=float, default=8.0, help="most seconds of work before a kill")
    parser.add_argument("--seed", type=int, default=0, help="the same seed kills at the same moments")
    parser.add_argument("--folder", type=Path, default=None, help="another collection than the usual one")
    given = parser.parse_args()
    folder = (given.folder or find_documents().folder).resolve()
    with tempfile.TemporaryDirectory(prefix="desktop-rag-torture-") as name:
        base = Path(name)
        seconds = undisturbed(folder, base)
        calm, troubles = content(base, "calm")
        print(f"Undisturbed: {sum(calm.values()):,} rows in {seconds:.0f} s.")
        hit = disturbed(folder, base, given.kills, random.Random(given.seed), given.longest)
        wild, more = content(base, "wild")
    lost, surplus = calm - wild, wild - calm
    print(f"{given.kills} kills, by stage: {dict(hit)}")
    print(f"lost {sum(lost.values())}, doubled or other {sum(surplus.values())}, of {sum(calm.values()):,} rows")
    for row in [*lost][:5] + [*surplus][:5]:
        print("  differs:", str(row)[:160])
    for trouble in (troubles := troubles + more):
        print("  wrong:", trouble)
    return int(bool(lost or surplus or troubles))


if __name__ == "__main__":
    sys.exit(main())
