"""The figures of a page: which regions say something, what they are called, and which words stand in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from desktop_rag.core.types import BBox, Element, ElementKind
from desktop_rag.ingest.figures.boxes import area, common, grown, holds, share_inside
from desktop_rag.ingest.figures.captions import Caption, distance, is_caption, named_captions, title_of
from desktop_rag.ingest.figures.found import FoundFigure, Label
from desktop_rag.ingest.figures.regions import Region
from desktop_rag.ingest.readers.pdf_parts import Fragment, PageText

_LABEL_REACH = 12.0
_LONGEST_LABEL = 36
_RUNNING = 45
"""A line of so many characters is running text rather than a label."""

_MOST_RUNNING = 3
_MOST_TEXT = 0.3
"""A box of which more is covered by words than this is a text in a frame."""

_CAPTION_REACH = 60.0
_EDGE = 0.06
"""So much of a page at its top and foot is for running titles, which are no figure's title."""

_UNNAMED_SHARE = 0.02
_UNNAMED_PICTURE = 0.03
_SAME_ROW = 0.5


@dataclass(frozen=True, slots=True)
class _Draft:
    region: Region
    place: BBox
    caption: Caption | None


def figures_on(regions: Sequence[Region], text: PageText, known: Sequence[Element] = ()) -> list[FoundFigure]:
    """Return the figures of a page from top to bottom.

    ``regions`` are where they may be, ``text`` is the page's text layer, and ``known`` are the elements that the index
    has of the page: a drawing that was found to be a table is none, unless its caption says so.
    """
    fragments = [fragment for group in text.groups for fragment in group]
    captions = named_captions(fragments)
    lines = {line.bbox for caption in captions for line in caption.lines}
    free = [fragment for fragment in fragments if fragment.place not in lines]
    size = median([fragment.size for fragment in fragments]) if fragments else 10.0
    drafts = _with_captions(_joined(_drafts(regions, free), captions), captions, free)
    inner = [f for f in free if _EDGE * text.height < f.place.y0 < (1 - _EDGE) * text.height]
    drafts = [one if one.caption else replace(one, caption=title_of(one.place, inner, size)) for one in drafts]
    tables = [e.bbox for e in known if e.kind is ElementKind.TABLE and e.page == text.number]
    kept = [draft for draft in drafts if _is_figure(draft, free, tables, text.width * text.height)]
    return [_found(draft, free, text.number) for draft in _outermost(kept)]


def _drafts(regions: Sequence[Region], free: Sequence[Fragment]) -> list[_Draft]:
    return [_Draft(region, _with_labels(region.box, free), None) for region in regions]


def _with_labels(box: BBox, free: Sequence[Fragment]) -> BBox:
    """Return the box with the short labels that stand right at its edges: names and numbers of axes, legends."""
    labels = [f.place for f in free if len(f.text) <= _LONGEST_LABEL and not is_caption(f.text)]
    near = [one for one in labels if holds(grown(box, _LABEL_REACH), one) and _sticks_out_little(one, box)]
    place = BBox.around([box, *near])
    beyond = [one for one in labels if holds(grown(place, _LABEL_REACH), one) and _names_axis(one, place)]
    return BBox.around([place, *beyond])


def _names_axis(label: BBox, place: BBox) -> bool:
    """Whether a label beyond those at the edges is over or under the figure, or runs upwards beside it."""
    over = place.x0 <= (label.x0 + label.x1) / 2 <= place.x1
    upwards = label.y1 - label.y0 > 2 * (label.x1 - label.x0)
    return (over or upwards) and _sticks_out_little(label, place)


def _sticks_out_little(label: BBox, place: BBox) -> bool:
    """A line that runs far beyond the figure belongs to the column beside it."""
    width, height = label.x1 - label.x0, label.y1 - label.y0
    return share_inside(label, place) > 0 or min(width, height) < 0.5 * max(place.x1 - place.x0, place.y1 - place.y0)


def _joined(drafts: Sequence[_Draft], captions: Sequence[Caption]) -> list[_Draft]:
    """Join regions that touch once their labels are with them, unless a caption stands between them."""
    rest = list(drafts)
    at = 0
    while at < len(rest):
        for other in range(at + 1, len(rest)):
            whole = BBox.around((rest[at].place, rest[other].place))
            near = area(common(grown(rest[at].place, 2.0), rest[other].place)) > 0
            parted = any(share_inside(caption.bbox, whole) > 0.8 for caption in captions)
            if near and not parted:
                drawn = rest[at].region.drawn and rest[other].region.drawn
                rich = rest[at].region.rich or rest[other].region.rich
                rest[at] = _Draft(Region(whole, drawn, rich), whole, None)
                del rest[other]
                at = -1
                break
        at += 1
    return rest


def _with_captions(drafts: Sequence[_Draft], captions: Sequence[Caption], free: Sequence[Fragment]) -> list[_Draft]:
    """Give each caption to the nearest region with no other text between, the nearest pairs first."""
    pairs = sorted(
        (distance(caption.bbox, draft.place), c, d)
        for c, caption in enumerate(captions)
        for d, draft in enumerate(drafts)
        if not _parted(caption.bbox, draft.place, free)
    )
    given: dict[int, int] = {}
    for far, c, d in pairs:
        if far <= _CAPTION_REACH and c not in given.values() and d not in given:
            given[d] = c
    return [replace(draft, caption=captions[given[d]] if d in given else None) for d, draft in enumerate(drafts)]


def _parted(caption: BBox, place: BBox, free: Sequence[Fragment]) -> bool:
    """Whether lines stand between a caption and a figure above or below it."""
    top, bottom = min(caption.y1, place.y1), max(caption.y0, place.y0)
    left, right = max(caption.x0, place.x0), min(caption.x1, place.x1)
    return any(top < (f.place.y0 + f.place.y1) / 2 < bottom and f.place.x1 > left and f.place.x0 < right for f in free)


def _is_figure(draft: _Draft, free: Sequence[Fragment], tables: Sequence[BBox], page: float) -> bool:
    if draft.caption is not None and draft.caption.name:
        return True
    share = area(draft.place) / max(page, 1.0)
    if share < (_UNNAMED_SHARE if draft.region.drawn else _UNNAMED_PICTURE):
        return False
    inside = [fragment for fragment in free if holds(draft.place, fragment.place)]
    if _is_text(inside, draft.place):
        return False
    if not draft.region.drawn:
        return True
    taken = sum(area(common(draft.place, table)) for table in tables)
    return draft.region.rich and bool(inside) and taken < 0.5 * area(draft.place)


def _is_text(inside: Sequence[Fragment], place: BBox) -> bool:
    """Whether a box is but a frame around text or listings, or a picture behind them."""
    letters = sum(len(fragment.text) for fragment in inside)
    running = [fragment for fragment in inside if len(fragment.text) >= _RUNNING]
    if len(running) >= _MOST_RUNNING and 2 * sum(len(fragment.text) for fragment in running) > letters:
        return True
    if 2 * sum(len(fragment.text) for fragment in inside if fragment.mono) > letters:
        return True
    return sum(area(fragment.place) for fragment in inside) > _MOST_TEXT * area(place)


def _outermost(drafts: Sequence[_Draft]) -> list[_Draft]:
    return [draft for draft in drafts if not any(_is_part(draft, other) for other in drafts if other is not draft)]


def _is_part(draft: _Draft, whole: _Draft) -> bool:
    return share_inside(draft.place, whole.place) > 0.9 and area(whole.place) > area(draft.place)


def _found(draft: _Draft, free: Sequence[Fragment], page: int) -> FoundFigure:
    caption = draft.caption.lines if draft.caption else ()
    taken = {line.bbox for line in caption}
    inside = [f for f in free if holds(draft.place, f.place) and f.place not in taken]
    labels = in_rows([Label(f.text, f.place) for f in inside])
    return FoundFigure(page, draft.place, draft.region.drawn, caption, tuple(labels))


def in_rows(labels: Sequence[Label]) -> list[Label]:
    """Return labels from top to bottom, and from left to right where they stand on one row."""
    rows: list[list[Label]] = []
    for label in sorted(labels, key=lambda one: (one.bbox.y0 + one.bbox.y1, one.bbox.x0)):
        middle, height = (label.bbox.y0 + label.bbox.y1) / 2, label.bbox.y1 - label.bbox.y0
        first = rows[-1][0].bbox if rows else None
        if first and abs((first.y0 + first.y1) / 2 - middle) < _SAME_ROW * min(height, first.y1 - first.y0):
            rows[-1].append(label)
        else:
            rows.append([label])
    return [label for row in rows for label in sorted(row, key=lambda one: one.bbox.x0)]
