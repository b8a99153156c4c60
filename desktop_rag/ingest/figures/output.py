"""Found figures as elements: caption and labels are their text, each line in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from desktop_rag.core.types import BBox, Element, ElementKind, Span
from desktop_rag.ingest.chunks import content_hash, element_id, estimate_tokens
from desktop_rag.ingest.figures.found import FoundFigure, Label

_SAME_ROW = 0.5
_MOST_LABELS = 400


@dataclass(frozen=True, slots=True)
class PlacedFigure:
    """A figure among its document: what the text around says of it, the headings above, its picture's digest."""

    figure: FoundFigure
    nearby: str
    heading: tuple[str, ...]
    picture: str


def figure_elements(document: str, title: str, figures: Sequence[PlacedFigure], max_tokens: int) -> tuple[Element, ...]:
    """Return the elements of figures.

    A figure with more labels than ``max_tokens`` becomes several elements; each begins with the caption. Their box is
    that of the whole figure. One without any words has an element with an empty text, which is found only by what
    stands nearby or by what a vision model sees.
    """
    made: list[Element] = []
    seen: Counter[tuple[int, str]] = Counter()
    for placed in figures:
        figure = placed.figure
        for lines in _portions(figure, max_tokens):
            text, spans = _assembled(lines)
            seen[figure.page, text] += 1
            element = Element(
                id=element_id(document, figure.page, ElementKind.FIGURE, text, seen[figure.page, text]),
                document=document,
                page=figure.page,
                bbox=BBox.around((figure.bbox, *(span.bbox for span in spans))),
                kind=ElementKind.FIGURE,
                text=text,
                spans=spans,
                title=title,
                heading=placed.heading,
                content_hash="",
                nearby=placed.nearby,
                picture=placed.picture,
            )
            made.append(with_hash(element))
    return tuple(made)


def with_hash(element: Element) -> Element:
    """Return a figure's element with the digest of everything that it is found by."""
    texts = (element.text, element.nearby, element.described)
    return replace(element, content_hash=content_hash(element.kind, element.title, element.heading, *texts))


def _portions(figure: FoundFigure, max_tokens: int) -> Iterator[list[Label]]:
    """Yield the lines of each element: the caption, then as many labels as there is room for."""
    room = max(max_tokens - sum(estimate_tokens(line.text) for line in figure.caption), max_tokens // 2)
    lines: list[Label] = []
    used = 0
    labels = [label for label in figure.labels[:_MOST_LABELS] if label.text.strip()]
    for label in labels:
        cost = estimate_tokens(label.text)
        if lines and used + cost > room:
            yield [*figure.caption, *lines]
            lines, used = [], 0
        lines.append(label)
        used += cost
    yield [*figure.caption, *lines]


def _assembled(lines: Sequence[Label]) -> tuple[str, tuple[Span, ...]]:
    """Join lines to a text: what stands on one row of the page stands on one line of the text."""
    text = ""
    spans: list[Span] = []
    for at, line in enumerate(lines):
        if at:
            text += " " if _follows(lines[at - 1].bbox, line.bbox) else "\n"
        spans.append(Span(len(text), len(text) + len(line.text), line.bbox, line.confidence))
        text += line.text
    return text, tuple(spans)


def _follows(before: BBox, after: BBox) -> bool:
    middle = (after.y0 + after.y1) / 2
    return before.y0 < middle < before.y1 and after.x0 >= before.x0
