"""A page cut into regions before tables are looked for: columns of text apart, and what rules frame in one piece."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_rag.core.types import BBox
from desktop_rag.ingest.readers.pdf_columns import in_reading_order
from desktop_rag.ingest.readers.pdf_parts import Fragment
from desktop_rag.ingest.tables.parts import Line, Ruling, Word, is_number, lines_of

_LONG = 8
_ABOVE = 60.0
_LEAST_RULE = 100.0
_LEAST_UPRIGHT = 20.0


def regions_of(words: Sequence[Word], rulings: Sequence[Ruling]) -> list[list[Line]]:
    """Cut a page into its columns of text, and these into lines; what rules frame as a table stays whole."""
    regions: list[list[Line]] = []
    rest = list(words)
    for frame in _framed(lines_of(words, rulings), rulings):
        inside = [w for w in rest if frame.x0 <= w.middle[0] <= frame.x1 and frame.y0 <= w.middle[1] <= frame.y1]
        if inside:
            taken = set(map(id, inside))
            rest = [w for w in rest if id(w) not in taken]
            regions.append(lines_of(inside, rulings))
    return regions + _read_regions(rest, rulings)


def _framed(lines: Sequence[Line], rulings: Sequence[Ruling]) -> list[BBox]:
    """The areas between three level lines or more that begin or end alike, as above and below a header.

    They reach up to the next line, as far as a caption may stand.
    """
    level = sorted((r for r in rulings if r.level and r.length > _LEAST_RULE), key=lambda r: r.at)
    groups: list[list[Ruling]] = []
    for rule in level:
        like = next((group for group in groups if _is_like(group[-1], rule)), None)
        if like is None or _prose_between(lines, like[-1], rule):
            groups.insert(0, [rule])
        else:
            like.append(rule)
    areas = _between_uprights(rulings)
    for group in groups:
        if len(group) >= 3:
            top = max((r.at for r in level if r.at < group[0].at - 1), default=0.0)
            x0, x1 = min(r.start for r in group) - 3, max(r.end for r in group) + 3
            areas.append(BBox(x0, max(top, group[0].at - _ABOVE), x1, group[-1].at + 1))
    return _united(areas)


def _united(areas: Sequence[BBox]) -> list[BBox]:
    """Make one area of those that overlap by more than what stands above."""
    united: list[BBox] = []
    for area in sorted(areas, key=lambda box: -(box.y1 - box.y0)):
        place = next((at for at, other in enumerate(united) if _share(area, other) > 0.5), None)
        if place is None:
            united.append(area)
        else:
            united[place] = BBox.around((united[place], area))
    return united


def _share(area: BBox, other: BBox) -> float:
    """The share of an area that stands in another one."""
    width = min(area.x1, other.x1) - max(area.x0, other.x0)
    height = min(area.y1, other.y1) - max(area.y0, other.y0)
    return max(width, 0) * max(height, 0) / max((area.x1 - area.x0) * (area.y1 - area.y0), 1)


def _between_uprights(rulings: Sequence[Ruling]) -> list[BBox]:
    """The areas as high as two upright lines or more that begin and end alike, as wide as the lines that cross them."""
    groups: list[list[Ruling]] = []
    for rule in (r for r in rulings if not r.level and r.length > _LEAST_UPRIGHT):
        like = (g for g in groups if abs(g[0].start - rule.start) < 3 and abs(g[0].end - rule.end) < 3)
        group = next(like, None)
        if group is None:
            groups.append([rule])
        else:
            group.append(rule)
    areas = []
    for group in (g for g in groups if len(g) > 1):
        top, bottom = group[0].start - 3, group[0].end + 3
        level = [r for r in rulings if r.level and top < r.at < bottom and all(r.start < u.at < r.end for u in group)]
        if level:
            areas.append(BBox(min(r.start for r in level) - 3, top + 2, max(r.end for r in level) + 3, bottom))
    return areas


def _is_like(first: Ruling, second: Ruling) -> bool:
    shared = min(first.end, second.end) - max(first.start, second.start)
    same = abs(first.start - second.start) < 6 or abs(first.end - second.end) < 6
    return same and shared > 0.5 * max(first.length, second.length)


def _prose_between(lines: Sequence[Line], top: Ruling, bottom: Ruling) -> bool:
    between = [line for line in lines if top.at < line.middle < bottom.at]
    return sum(1 for line in between if _is_prose_line(line)) >= max(2, 0.4 * len(between))


def _is_prose_line(line: Line) -> bool:
    lengths = sorted(len(segment.words) for segment in line.segments)
    long = lengths[-1] >= _LONG or (len(lengths) > 1 and lengths[-2] >= _LONG / 2)
    return long and sum(1 for w in line.words if is_number(w.text)) < 0.3 * len(line.words)


def _read_regions(words: Sequence[Word], rulings: Sequence[Ruling]) -> list[list[Line]]:
    owners: dict[int, list[Word]] = {}
    fragments = []
    for line in lines_of(words, rulings):
        for segment in line.segments:
            box = BBox(segment.x0, min(w.y0 for w in segment.words), segment.x1, max(w.y1 for w in segment.words))
            base = line.y1 - 0.2 * line.size
            fragment = Fragment(segment.text, box, box, line.size, False, False, False, base)
            owners[id(fragment)] = segment.words
            fragments.append(fragment)
    regions = in_reading_order(fragments)
    return [lines_of([w for f in region for w in owners[id(f)]], rulings) for region in regions]
