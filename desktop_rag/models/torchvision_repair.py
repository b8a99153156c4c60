"""Lets a torch without CUDA and a torchvision that was built for CUDA be imported together.

The package index gives Linux a torchvision for CUDA, whatever torch there is. With a CPU-only torch its import fails
("operator torchvision::nms does not exist"), and takes transformers and everything above with it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from enum import StrEnum
from typing import Any

_ONE_AT_A_TIME = threading.Lock()
_OPERATORS = ("nms", "qnms")
_KEPT = "desktop_rag_operators"


class Torchvision(StrEnum):
    """What became of torchvision."""

    ABSENT = "absent"
    WORKING = "working"
    REPAIRED = "repaired"


def ensure_torchvision() -> Torchvision:
    """Make ``import torchvision`` work, by declaring the operators that it misses; call before importing transformers.

    A torchvision that imports by itself is left alone. The operators are declared only, so calling one fails; the
    image processors that page models use never do. Imports torch and torchvision: seconds at the first call.
    """
    if importlib.util.find_spec("torchvision") is None:
        return Torchvision.ABSENT
    with _ONE_AT_A_TIME:
        return _import_or_repair()


def _import_or_repair() -> Torchvision:
    try:
        importlib.import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::" not in str(error) or "does not exist" not in str(error):
            raise
    else:
        return Torchvision.WORKING
    import torch

    for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
        del sys.modules[name]
    make: Any = torch.library.Library
    library = make("torchvision", "FRAGMENT")
    for operator in _OPERATORS:
        library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    module = importlib.import_module("torchvision")
    setattr(module, _KEPT, library)  # the declarations live as long as this object
    return Torchvision.REPAIRED
