"""What a page says and where, for an embedder that takes words: from the elements that are in the index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import blake3

from desktop_rag.core.types import BBox, Element, Page, Span
from desktop_rag.ingest.box_cuts import part_of_line
from desktop_rag.models.page_embedder import PageContent, PageWord, Passage

_WORD = re.compile(r"\S{1,12}")
"""Longer runs are cut, so that a line of Chinese or Thai is not all in one place."""


def word_content(page: Page, elements: Sequence[Element]) -> PageContent:
    """Return a page by its words; ``elements`` are those of the page in reading order."""
    passages = tuple(_passage(element) for element in elements)
    return PageContent(page.number, page.width, page.height, _digest(page, elements), passages)


def _passage(element: Element) -> Passage:
    text = element.retrieval_text
    before = len(text) - len(element.text)
    return Passage(text, tuple(_words(element, before)))


def _words(element: Element, before: int) -> Iterable[PageWord]:
    spans = sorted(element.spans, key=lambda span: span.start)
    at = 0
    for match in _WORD.finditer(element.text):
        while at < len(spans) and spans[at].end <= match.start():
            at += 1
        inside = at < len(spans) and spans[at].start <= match.start()
        box = _box(element.text, spans[at], match) if inside else element.bbox
        yield PageWord(before + match.start(), before + match.end(), box)


def _box(text: str, span: Span, match: re.Match[str]) -> BBox:
    line = text[span.start : span.end]
    return part_of_line(span.bbox, line, match.start() - span.start, min(match.end(), span.end) - span.start)


def _digest(page: Page, elements: Iterable[Element]) -> str:
    digest = blake3.blake3(f"{page.width:.1f} {page.height:.1f}\n".encode())
    for element in elements:
        places = " ".join(f"{value:.1f}" for span in element.spans for value in span.bbox.as_list())
        digest.update(f"{element.content_hash} {places}\n".encode())
    return digest.hexdigest()[:32]
