"""Rectangles: how they overlap, and which of them belong together."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_rag.core.types import BBox

_FEW_ENOUGH = 400
"""More boxes than that are first put into a grid, so that comparing them pair by pair stays quick."""

_CELL = 12.0


def area(box: BBox) -> float:
    """Return the area of a box in square points; 0 for one that is turned inside out."""
    return max(0.0, box.x1 - box.x0) * max(0.0, box.y1 - box.y0)


def common(first: BBox, second: BBox) -> BBox:
    """Return what two boxes share; it is turned inside out where they share nothing."""
    return BBox(max(first.x0, second.x0), max(first.y0, second.y0), min(first.x1, second.x1), min(first.y1, second.y1))


def grown(box: BBox, by: float) -> BBox:
    """Return the box with ``by`` points more on each side."""
    return BBox(box.x0 - by, box.y0 - by, box.x1 + by, box.y1 + by)


def meets(first: BBox, second: BBox) -> bool:
    """Whether two boxes touch."""
    return first.x0 <= second.x1 and second.x0 <= first.x1 and first.y0 <= second.y1 and second.y0 <= first.y1


def holds(outer: BBox, inner: BBox) -> bool:
    """Whether the middle of ``inner`` stands in ``outer``."""
    x, y = (inner.x0 + inner.x1) / 2, (inner.y0 + inner.y1) / 2
    return outer.x0 <= x <= outer.x1 and outer.y0 <= y <= outer.y1


def share_inside(box: BBox, outer: BBox) -> float:
    """Return which part of ``box`` lies in ``outer``."""
    whole = area(box)
    return area(common(box, outer)) / whole if whole else float(holds(outer, box))


def clusters(boxes: Sequence[BBox], gap: float) -> list[list[int]]:
    """Return the indices of boxes that are at most ``gap`` points apart, each chain of them as one list."""
    groups = [[at] for at in range(len(boxes))] if len(boxes) <= _FEW_ENOUGH else _gridded(boxes)
    outer = [BBox.around(boxes[at] for at in group) for group in groups]
    merged = True
    while merged:
        merged = False
        at = 0
        while at < len(groups):
            reach = grown(outer[at], gap)
            near = [other for other in range(at + 1, len(groups)) if meets(reach, outer[other])]
            for other in reversed(near):
                groups[at] += groups.pop(other)
                outer[at] = BBox.around((outer[at], outer.pop(other)))
                merged = True
            at += not near
    return groups


def _gridded(boxes: Sequence[BBox]) -> list[list[int]]:
    """Put boxes together whose middles fall into one cell of a grid: a map is made of thousands of short strokes."""
    cells: dict[tuple[int, int], list[int]] = {}
    for at, box in enumerate(boxes):
        cells.setdefault((int((box.x0 + box.x1) / 2 // _CELL), int((box.y0 + box.y1) / 2 // _CELL)), []).append(at)
    return list(cells.values())
