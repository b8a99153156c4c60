"""Where a part of an element's text stands on its page."""

from __future__ import annotations

from desktop_rag.core.types import BBox, Element, ElementKind, Span
from desktop_rag.ingest.box_cuts import part_of_line


def boxes_of(element: Element, start: int, end: int) -> tuple[BBox, ...]:
    """Return the boxes of the characters ``start`` to ``end`` of the element's text, line by line.

    A line that the part covers only partly is cut in proportion to its characters' widths; a row of a table is kept
    whole, as its cells may have several lines. The element's own box stands in where no line is known.
    """
    touched = [span for span in element.spans if span.start < end and span.end > start]
    return tuple(_cut(element, span, start, end) for span in touched) or (element.bbox,)


def confidence_of(element: Element, start: int, end: int) -> float:
    """Return how sure the least certain line is that the characters ``start`` to ``end`` touch, from 0 to 1."""
    return min((span.confidence for span in element.spans if span.start < end and span.end > start), default=1.0)


def _cut(element: Element, span: Span, start: int, end: int) -> BBox:
    if element.kind is ElementKind.TABLE:
        return span.bbox
    line = element.text[span.start : span.end]
    return part_of_line(span.bbox, line, max(0, start - span.start), min(end, span.end) - span.start)
