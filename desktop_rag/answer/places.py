"""Where a part of an element's text stands on its page."""

from __future__ import annotations

from desktop_rag.core.types import BBox, Element, Span


def boxes_of(element: Element, start: int, end: int) -> tuple[BBox, ...]:
    """Return the boxes of the characters ``start`` to ``end`` of the element's text, line by line.

    A line that the part covers only partly is cut in proportion to its characters. The element's own box stands in
    where no line is known.
    """
    touched = [span for span in element.spans if span.start < end and span.end > start and span.end > span.start]
    return tuple(_cut(span, max(start, span.start), min(end, span.end)) for span in touched) or (element.bbox,)


def _cut(span: Span, start: int, end: int) -> BBox:
    box, length = span.bbox, span.end - span.start
    if box.y1 - box.y0 > box.x1 - box.x0 and length > 2:  # set from top to bottom: the characters share the height
        each = (box.y1 - box.y0) / length
        return BBox(box.x0, box.y0 + each * (start - span.start), box.x1, box.y0 + each * (end - span.start))
    each = (box.x1 - box.x0) / length
    return BBox(box.x0 + each * (start - span.start), box.y0, box.x0 + each * (end - span.start), box.y1)
