"""The icons: one family (Phosphor, regular weight), drawn by QtAwesome from the font that it brings along."""

from __future__ import annotations

from typing import cast

import qtawesome
from PySide6.QtGui import QIcon

SIZE_PX = 18


def icon(name: str, colour: str, off: str | None = None) -> QIcon:
    """Return the icon ``name`` of the family in ``colour``, and in ``off`` where it is disabled."""
    return cast(QIcon, qtawesome.icon(f"ph.{name}", color=colour, color_disabled=off or colour))
