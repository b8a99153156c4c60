"""The element store and other processes: a full disk, a writer that is killed, a reader beside it."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from desktop_rag.store.elements import ElementStore
from tests.unit.store.make import DIMENSIONS, element

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return str(tmp_path / "lancedb")


_FILLER = """
import secrets
import sys
from desktop_rag.core.errors import UserFacingError
from desktop_rag.store.elements import ElementStore
from tests.unit.store.make import DIMENSIONS, element
store = ElementStore(sys.argv[1], DIMENSIONS)
done = 0
try:
    while done < 1000:
        elements = [element(f"d{done}", n, "apple " + secrets.token_hex(9000)) for n in range(50)]
        store.replace({f"d{done}": elements}, {}, "m")
        done += 1
except UserFacingError as error:
    print(done, store.count() // 50, len(store.search_keyword("apple", 5)), error)
"""


@pytest.mark.slow
def test_a_disk_that_really_fills_up_is_told_and_what_was_written_stays(tmp_path: Path) -> None:
    inside = f"mount -t tmpfs -o size=2m tmpfs '{tmp_path}' && exec '{sys.executable}' -c \"$0\" '{tmp_path}/lancedb'"
    try:
        subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", tmp_path], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system does not let a test mount a small disk")
    run = subprocess.run(
        ["unshare", "-rm", "sh", "-c", inside, _FILLER], capture_output=True, text=True, cwd=ROOT, check=True
    )
    done, stored, found, *words = run.stdout.split()
    assert int(done) == int(stored) > 0
    assert found == "5"
    assert " ".join(words).startswith(f"The disk is full: {tmp_path}/lancedb could not be written. Free some space")


_WRITER = """
import sys
from desktop_rag.store.elements import ElementStore
from tests.unit.store.make import DIMENSIONS, element, vector
store = ElementStore(sys.argv[1], DIMENSIONS)
number = 0
while True:
    document = f"d{number % 6}"
    elements = [element(document, n, f"round {number} apple {n}") for n in range(20)]
    store.replace({document: elements}, {one.content_hash: vector(1) for one in elements}, f"round {number}")
    print(number, flush=True)
    if number % 5 == 4:
        store.optimize()
    number += 1
"""


@pytest.mark.slow
@pytest.mark.parametrize("batches", [3, 13])
def test_a_killed_writer_loses_nothing_acknowledged_and_leaves_nothing_partial(uri: str, batches: int) -> None:
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, uri], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert writer.stdout is not None
    last = -1
    reader = ElementStore(uri, DIMENSIONS, read_only=True)
    while last < batches:
        last = int(writer.stdout.readline())
        assert reader.count() >= 20 * min(last + 1, 6)  # another process sees each commit at once
        assert reader.search_keyword("apple", 3)
    writer.kill()
    writer.wait()
    for line in writer.stdout.read().split():
        last = int(line)
    writer.stdout.close()
    store = ElementStore(uri, DIMENSIONS)
    for document, rows in store.documents().items():
        texts = [one.text for one in store.of_document(document)]
        rounds = {int(text.split()[1]) for text in texts}
        assert rows == 20, "whole"
        assert len(rounds) == 1, "of one round"
        acknowledged = [number for number in range(last + 1) if number % 6 == int(document[1:])]
        assert rounds.pop() >= max(acknowledged, default=0)
    store.replace({"after": [element("after", 0, "pear")]}, {}, "model")
    store.optimize(timedelta(seconds=1))
    assert [found.element.id for found in store.search_keyword("pear", 3)] == ["after-0"]
