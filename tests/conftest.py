"""What every test gets: its own data folder, no screen, no network, and as many threads as two cores can bear."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.fixtures.network_guard.guard import NetworkGuard

# Before a test imports Qt, torch or llama.cpp, in this process and in those that tests start.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
for _variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "2")

# No test measures time: an example may take as long as a busy machine needs for it.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--regenerate``, for whoever changes what ``tests/fixtures/make.py`` makes."""
    parser.addoption("--regenerate", action="store_true", help="write tests/fixtures/<format>/ anew, then test it")


@pytest.fixture(autouse=True)
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a data folder of its own, which is not made yet."""
    folder = tmp_path / "desktop-rag-home"
    monkeypatch.setenv("DESKTOP_RAG_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_network() -> Iterator[NetworkGuard]:
    """Refuse connections to other machines, and fail the test that tried one even if it swallowed the refusal."""
    with NetworkGuard() as guard:
        yield guard
    assert not guard.attempts, f"the test tried to reach the network: {guard.attempts}"


@pytest.fixture(scope="module")
def garbage_in_one_thread() -> Iterator[None]:
    """Leave garbage to the window while tests open one, and to Python again for the tests that come after."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Return the folder of the document collection (``DESKTOP_RAG_CORPUS``), or skip where there is none."""
    folder = Path(os.environ.get("DESKTOP_RAG_CORPUS") or ROOT.parent / "shared" / "corpus")
    if not (folder / "questions.jsonl").is_file():
        pytest.skip("needs the document collection: set DESKTOP_RAG_CORPUS to its folder")
    return folder


@pytest.fixture(scope="session")
def samples() -> Path:
    """Return the folder of the sample documents that come with the program."""
    return ROOT / "assets" / "samples"
