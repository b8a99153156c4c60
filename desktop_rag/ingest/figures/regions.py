"""Where figures may be on a page: embedded pictures, and clusters of drawings that are more than rules and boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_rag.core.types import BBox
from desktop_rag.ingest.figures.boxes import area, clusters, common, grown, meets, share_inside

_THIN = 2.5
_TILE_GAP = 3.0
_DRAWING_GAP = 7.0
_WHOLE_PAGE = 0.8
_LEAST_SIDE = 28.0
_LEAST_SHARE = 0.008
_MOST_OPERATIONS = 30_000
_FURNITURE_PAGES = 3
_MOST_OF_PAGE, _PANEL, _RULE = 0.6, 0.15, 0.45
_SLANTED = 4
_COLOURS = 3
_BARS, _LENGTHS = 4, 3


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a page that may be a figure. ``rich`` drawings have curves, slanted lines, colours or bars."""

    box: BBox
    drawn: bool
    rich: bool = True


PictureKey = tuple[int, int, int, int, int, int]


def picture_keys(page: Any) -> set[PictureKey]:
    """Return what tells the pictures of a page apart: their pixels and their place, to find those on every page."""
    return {_key(info) for info in page.get_image_info()}


def furniture(pages: Iterable[set[PictureKey]]) -> frozenset[PictureKey]:
    """Return the pictures that stand on the same place of several pages: logos, letterheads, backgrounds."""
    counts = Counter(key for keys in pages for key in keys)
    return frozenset(key for key, count in counts.items() if count >= _FURNITURE_PAGES)


def regions_of(page: Any, repeated: frozenset[PictureKey]) -> list[Region]:
    """Return the regions of a page from top to bottom; pictures and the drawings over them are one region."""
    pictures = _pictures(page, repeated)
    drawings = [region for region in _drawings(page) if not any(_mostly(region.box, box) for box in pictures)]
    found = [Region(box, drawn=False) for box in pictures]
    for region in drawings:
        touched = [at for at, other in enumerate(found) if not other.drawn and meets(region.box, other.box)]
        if touched and region.rich:
            whole = BBox.around([region.box, *(found[at].box for at in touched)])
            found = [other for at, other in enumerate(found) if at not in touched]
            found.append(Region(whole, drawn=False))
        else:
            found.append(region)
    return sorted(found, key=lambda region: (region.box.y0, region.box.x0))


def _key(info: Any) -> PictureKey:
    x0, y0, x1, y1 = (round(value / 4) for value in info["bbox"])
    return info["width"], info["height"], x0, y0, x1, y1


def _shown(page: Any, box: Any) -> BBox:
    """Return a box of the page's content on the page as shown, within its borders."""
    import pymupdf

    rect = pymupdf.Rect(box)
    if page.rotation:
        rect = rect * page.rotation_matrix
    return common(BBox(rect.x0, rect.y0, rect.x1, rect.y1), BBox(0.0, 0.0, page.rect.width, page.rect.height))


def _page_area(page: Any) -> float:
    return max(1.0, float(page.rect.width) * float(page.rect.height))


def _pictures(page: Any, repeated: frozenset[PictureKey]) -> list[BBox]:
    infos = [info for info in page.get_image_info() if _key(info) not in repeated]
    boxes = [_shown(page, info["bbox"]) for info in infos]
    boxes = [box for box in boxes if area(box) > 0]
    joined = [BBox.around(boxes[at] for at in group) for group in clusters(boxes, _TILE_GAP)]
    whole = _page_area(page)
    return [box for box in joined if _is_large_enough(box, whole) and area(box) < _WHOLE_PAGE * whole]


def _is_large_enough(box: BBox, page: float) -> bool:
    return min(box.x1 - box.x0, box.y1 - box.y0) >= _LEAST_SIDE and area(box) >= _LEAST_SHARE * page


def _mostly(box: BBox, outer: BBox) -> bool:
    return share_inside(box, grown(outer, _TILE_GAP)) > 0.7


def _drawings(page: Any) -> list[Region]:
    whole = _page_area(page)
    log = page.get_bboxlog()
    drawn = [_shown(page, box) for kind, box in log if kind in ("fill-path", "stroke-path", "fill-shade")]
    boxes = [box for box in drawn if box.x1 >= box.x0 and box.y1 >= box.y0 and area(box) < 0.6 * whole]
    groups = [part for group in _grouped(boxes) for part in _apart(group, page.rect.width, page.rect.height)]
    candidates = [(BBox.around(group), group) for group in groups]
    candidates = [
        (box, group)
        for box, group in candidates
        if _is_large_enough(box, whole) and area(box) < _WHOLE_PAGE * whole and not _is_only_rules(group)
    ]
    if not candidates:
        return []
    paths = _paths(page) if len(drawn) <= _MOST_OPERATIONS else None
    return [Region(box, True, paths is None or _is_rich(box, paths)) for box, group in candidates]


def _grouped(boxes: Sequence[BBox]) -> list[list[BBox]]:
    return [[boxes[at] for at in group] for group in clusters(boxes, _DRAWING_GAP)]


def _apart(group: list[BBox], width: float, height: float) -> list[list[BBox]]:
    """Take a cluster apart that is most of the page: frames, panels and rules of the page hold its parts together."""
    box = BBox.around(group)
    if area(box) < _MOST_OF_PAGE * width * height:
        return [group]
    inner = [
        one
        for one in group
        if area(one) < _PANEL * width * height and one.x1 - one.x0 < _RULE * width and one.y1 - one.y0 < _RULE * height
    ]
    return _grouped(inner) if len(inner) < len(group) else [group]


def _is_only_rules(group: Sequence[BBox]) -> bool:
    """Whether a cluster has nothing but one box, or level and upright lines."""
    solid = [box for box in group if box.x1 - box.x0 > _THIN and box.y1 - box.y0 > _THIN]
    return len(solid) < 2


@dataclass(frozen=True, slots=True)
class _Path:
    box: BBox
    slanted: int
    colour: tuple[int, ...] | None


def _paths(page: Any) -> list[_Path]:
    return [_path(page, drawing) for drawing in page.get_drawings()]


def _path(page: Any, drawing: Any) -> _Path:
    slanted = sum(item[0] == "c" or (item[0] == "l" and _is_slanted(item[1], item[2])) for item in drawing["items"])
    slanted += sum(item[0] == "qu" for item in drawing["items"])
    fill = drawing.get("fill")
    colour = tuple(round(part * 12) for part in fill) if fill else None
    return _Path(_shown(page, drawing["rect"]), slanted, colour)


def _is_slanted(start: Any, end: Any) -> bool:
    return bool(abs(start.x - end.x) > 1.0 and abs(start.y - end.y) > 1.0)


def _is_rich(box: BBox, paths: Sequence[_Path]) -> bool:
    """Whether there are curves or slanted lines, several colours, or bars of several lengths, unlike in a table."""
    inside = [path for path in paths if share_inside(path.box, box) > 0.9 or meets(path.box, box)]
    slanted = sum(path.slanted for path in inside)
    colours = {path.colour for path in inside if path.colour is not None and _is_colour(path.colour)}
    bars = [path.box for path in inside if path.colour is not None and min(_sides(path.box)) > _THIN]
    return slanted >= _SLANTED or len(colours) >= _COLOURS or _are_bars(bars)


def _is_colour(colour: tuple[int, ...]) -> bool:
    return len(colour) == 3 and max(colour) - min(colour) > 1


def _sides(box: BBox) -> tuple[float, float]:
    return box.x1 - box.x0, box.y1 - box.y0


def _are_bars(boxes: Sequence[BBox]) -> bool:
    """Whether many boxes share a width and stand on one line, with several heights; or the same lying down."""
    upright: dict[tuple[int, int], set[int]] = {}
    level: dict[tuple[int, int], set[int]] = {}
    counts: Counter[tuple[str, int, int]] = Counter()
    for box in boxes:
        width, height = (round(side) for side in _sides(box))
        upright.setdefault((width, round(box.y1)), set()).add(height)
        level.setdefault((height, round(box.x0)), set()).add(width)
        counts["up", width, round(box.y1)] += 1
        counts["level", height, round(box.x0)] += 1
    return any(len(lengths) >= _LENGTHS and counts["up", *key] >= _BARS for key, lengths in upright.items()) or any(
        len(lengths) >= _LENGTHS and counts["level", *key] >= _BARS for key, lengths in level.items()
    )
