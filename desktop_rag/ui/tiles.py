"""Pages that are too large for one picture are shown as tiles: which ones cover the part that is looked at."""

from __future__ import annotations

from math import ceil, floor

from PySide6.QtCore import QRectF

from desktop_rag.core.types import BBox

TILE_PX = 1024
_MOST_WHOLE_PIXELS = 8_000_000
"""32 MB: an A4 page at four pixels per point."""


def needs_tiles(size: tuple[float, float], scale: float) -> bool:
    """Return whether a page of ``size`` points is too large to be one picture at ``scale`` pixels per point."""
    return size[0] * size[1] * scale * scale > _MOST_WHOLE_PIXELS


def tiles_over(view: QRectF, size: tuple[float, float], scale: float) -> list[BBox]:
    """Return the tiles, in points, that cover ``view`` on a page of ``size`` points, those in its middle first.

    At one ``scale`` the tiles of a page are always the same, so that they can be kept.
    """
    side = TILE_PX / scale
    seen = view & QRectF(0, 0, *size)
    if seen.isEmpty():
        return []
    columns = range(floor(seen.left() / side), ceil(seen.right() / side))
    rows = range(floor(seen.top() / side), ceil(seen.bottom() / side))
    middle = view.center()
    tiles = [
        BBox(column * side, row * side, min((column + 1) * side, size[0]), min((row + 1) * side, size[1]))
        for row in rows
        for column in columns
    ]
    return sorted(
        tiles, key=lambda tile: abs(tile.y0 + tile.y1 - 2 * middle.y()) + abs(tile.x0 + tile.x1 - 2 * middle.x())
    )
