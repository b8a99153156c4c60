"""A torchvision for CUDA beside a torch without it can be imported, in a process of its own, as it is done once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_BROKEN = """
import torch
if not hasattr(torch.ops.torchvision, "nms"):
    raise RuntimeError("operator torchvision::nms does not exist")
WORKS = True
"""
_ASK = "from desktop_rag.models.torchvision_repair import ensure_torchvision as e; print(e(), e())"


def _asked(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {_ASK}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _torchvision(folder: Path, source: str) -> None:
    (folder / "torchvision").mkdir()
    (folder / "torchvision" / "__init__.py").write_text(source, encoding="utf-8")


@pytest.mark.slow
def test_one_that_misses_its_operators_is_repaired_once(tmp_path: Path) -> None:
    _torchvision(tmp_path, _BROKEN)
    assert _asked(tmp_path).stdout.split() == ["repaired", "working"]


def test_one_that_works_is_left_alone(tmp_path: Path) -> None:
    _torchvision(tmp_path, "WORKS = True")
    assert _asked(tmp_path).stdout.split() == ["working", "working"]


def test_one_that_is_broken_otherwise_is_not_hidden(tmp_path: Path) -> None:
    _torchvision(tmp_path, "raise RuntimeError('libcudart is missing')")
    result = _asked(tmp_path)
    assert result.returncode == 1
    assert "libcudart is missing" in result.stderr
