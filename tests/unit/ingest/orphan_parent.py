"""A program that starts a parse worker on a file that never ends, prints the worker's process id, and waits."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil

from desktop_rag.ingest.workers import ParsePool


def main() -> None:
    """Run until killed."""
    pool = ParsePool(1, seconds=300, megabytes=1000, max_tokens=160, entry="parse_entries:by_name")
    first = pool.submit("a", Path("fine")).result()
    pool.submit("b", Path(sys.argv[1]))
    time.sleep(0.5)
    assert psutil.pid_exists(int(first.reason))
    print(first.reason, flush=True)
    time.sleep(300)


if __name__ == "__main__":
    main()
