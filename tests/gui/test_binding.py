"""The binding to Qt keeps count of what it returns: one that does not ends the program after some thousand calls."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QObject

_CALLS = 500


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal there, so that nothing can go wrong")
def test_calls_that_return_nothing_do_not_use_nothing_up() -> None:
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(_CALLS):
        thing.setObjectName("a")
    assert sys.getrefcount(None) > before - _CALLS // 2, "PySide6 6.12.0 on Python 3.11 does this: install 6.11"
