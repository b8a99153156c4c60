"""The import rules of pyproject.toml hold, and each of them catches what it is there to catch."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def _lint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package that a test may spoil."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "desktop_rag", folder / "desktop_rag", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


@pytest.mark.parametrize(
    ("rule", "module", "forbidden_import"),
    [
        ("one-way", "core/types.py", "import desktop_rag.store"),
        ("one-way", "models/embedder.py", "import desktop_rag.store"),
        ("window-asks-engine", "ui/__init__.py", "import desktop_rag.library"),
        ("window-asks-engine", "engine/client.py", "import desktop_rag.engine.host"),
        ("window-is-light", "core/job.py", "import torch"),
        ("window-is-light", "engine/protocol.py", "import pymupdf"),
        ("only-ui-knows-qt", "store/__init__.py", "from PySide6.QtCore import QObject"),
        ("offline", "retrieve/__init__.py", "import requests"),
    ],
)
def test_rule_catches_the_import_it_forbids(copy: Path, rule: str, module: str, forbidden_import: str) -> None:
    path = copy / "desktop_rag" / module
    before = path.read_text(encoding="utf-8")
    path.write_text(f"{before}\n\ndef spoiled() -> None:\n    {forbidden_import}\n", encoding="utf-8")
    try:
        result = _lint(copy, "--contract", rule)
    finally:
        path.write_text(before, encoding="utf-8")
    assert result.returncode == 1
    assert "1 broken" in result.stdout


def test_package_keeps_its_rules() -> None:
    result = _lint(ROOT)
    assert result.returncode == 0, result.stdout
