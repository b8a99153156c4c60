"""Where a part of an element's text stands on its page."""

from __future__ import annotations

from collections.abc import Container

from desktop_rag.answer.dates import YEAR
from desktop_rag.core.types import BBox, Element, ElementKind, Span
from desktop_rag.core.words import content_words
from desktop_rag.ingest.box_cuts import part_of_line


def boxes_of(element: Element, start: int, end: int) -> tuple[BBox, ...]:
    """Return the boxes of the characters ``start`` to ``end`` of the element's text, line by line.

    A line that the part covers only partly is cut in proportion to its characters' widths; a cell of a table is
    kept whole, as it may have several lines. The element's own box stands in where no line is known.
    """
    touched = [span for span in element.spans if span.start < end and span.end > start]
    return tuple(_cut(element, span, start, end) for span in touched) or (element.bbox,)


def lit_boxes(element: Element, start: int, end: int, asked: Container[str]) -> tuple[BBox, ...]:
    """Return what is lit of a quote: its lines, but of a table's row the cells that have a word of ``asked``, if any.

    The name of a column counts for its cells: of "Month: January; Rain: 40 mm; Wind: 3 m/s" a question for the rain in
    January lights two. Where they have no more of it than a year, as every row of a table by years has, all are lit.
    ``asked`` holds the stems of the question's content words.
    """
    if element.kind is not ElementKind.TABLE:
        return boxes_of(element, start, end)
    touched = [span for span in element.spans if span.start < end and span.end > start]
    words = [{word for word in content_words(element.text[one.start : one.end]) if word in asked} for one in touched]
    if all(YEAR.fullmatch(word) for found in words for word in found):
        return boxes_of(element, start, end)
    return tuple(span.bbox for span, found in zip(touched, words, strict=True) if found)


def confidence_of(element: Element, start: int, end: int) -> float:
    """Return how sure the least certain line is that the characters ``start`` to ``end`` touch, from 0 to 1."""
    return min((span.confidence for span in element.spans if span.start < end and span.end > start), default=1.0)


def _cut(element: Element, span: Span, start: int, end: int) -> BBox:
    if element.kind is ElementKind.TABLE:
        return span.bbox
    line = element.text[span.start : span.end]
    return part_of_line(span.bbox, line, max(0, start - span.start), min(end, span.end) - span.start)
