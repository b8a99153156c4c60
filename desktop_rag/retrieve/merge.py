"""One hit for what belongs together: neighbours on a page are joined, copies of one text folded behind the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from desktop_rag.core.types import BBox, Element, ElementKind
from desktop_rag.retrieve.agreement import words_of
from desktop_rag.retrieve.routes import Ranked

_LONGEST = 2_400
"""Characters of a joined element: about a page of a book, still something to read at a glance."""

_JOINED_KINDS = (ElementKind.TEXT, ElementKind.SCAN)
_COPY = 0.9
_FEWEST_WORDS = 8


def joined(ranking: Sequence[Ranked]) -> list[Ranked]:
    """Join each hit with hits that stand right before or behind it on its page; the best one's place and id are kept.

    Only running text is joined: a table's rows and a listing are cited by themselves.
    """
    hits: list[Ranked] = []
    for ranked in ranking:
        at = next((index for index, hit in enumerate(hits) if _touch(hit, ranked)), None)
        if at is None:
            hits.append(ranked)
        else:
            hits[at] = _join(hits[at], ranked)
    return hits


def _touch(hit: Ranked, other: Ranked) -> bool:
    first, second = hit.element, other.element
    return (
        (first.document, first.page, first.kind, first.heading)
        == (second.document, second.page, second.kind, second.heading)
        and first.kind in _JOINED_KINDS
        and min(hit.position, other.position) >= 0
        and (other.position == hit.last + 1 or other.last == hit.position - 1)
        and len(first.text) + len(second.text) <= _LONGEST
    )


def _join(hit: Ranked, other: Ranked) -> Ranked:
    before, behind = (hit, other) if hit.position < other.position else (other, hit)
    element = _concatenated(before.element, behind.element)
    element = replace(element, id=hit.element.id, content_hash=hit.element.content_hash)
    return replace(hit, element=element, position=before.position, last=behind.last)


def _concatenated(before: Element, behind: Element) -> Element:
    offset = len(before.text) + 1
    moved = (replace(span, start=span.start + offset, end=span.end + offset) for span in behind.spans)
    return replace(
        before,
        text=f"{before.text}\n{behind.text}",
        spans=(*before.spans, *moved),
        bbox=BBox.around((before.bbox, behind.bbox)),
        markdown="\n\n".join(part for part in (before.markdown, behind.markdown) if part),
    )


def folded(ranking: Sequence[Ranked]) -> list[Ranked]:
    """Return ``ranking`` with the copies of a better hit put behind all others.

    A copy has nine of ten words in common with the better hit; short texts must be equal. Two reports made from one
    form are no copies: what differs between them, numbers above all, is what is looked for.
    """
    kept: list[tuple[Ranked, frozenset[str]]] = []
    copies: list[Ranked] = []
    for ranked in ranking:
        words = words_of(ranked.element.text)
        if any(_same(words, others) for _, others in kept):
            copies.append(ranked)
        else:
            kept.append((ranked, words))
    return [ranked for ranked, _ in kept] + copies


def _same(words: frozenset[str], others: frozenset[str]) -> bool:
    if words == others:
        return True
    if min(len(words), len(others)) < _FEWEST_WORDS:
        return False
    different = words ^ others
    return len(words & others) >= _COPY * len(words | others) and not any(
        char.isdigit() for word in different for char in word
    )
