"""From blocks to elements: pieces of a size that a text model reads whole, each on one page and under one heading."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from blake3 import blake3

from desktop_rag.core.types import BBox, Block, Element, ElementKind, ReadDocument, Span
from desktop_rag.ingest.box_cuts import part_of_line
from desktop_rag.ingest.grids import split_markdown
from desktop_rag.ingest.normalise import clean, clean_text, move_spans
from desktop_rag.ingest.sentences import split_sentences

CHUNKS_VERSION = 5
"""Raised when the same document would be cut otherwise."""

_TOKEN = re.compile(r"[A-Za-z]+|\d+|\s+|[^\W\d_]+|.", re.DOTALL)
_COSTLY_TOKEN = re.compile(r"[A-Za-z]+|\d+|[^\W\d_]+|\S")
_CONTEXT_TOKENS = 40
_LEAST_TOKENS = 32
_SHORT = 0.35
_ID_LENGTH = 24


def estimate_tokens(text: str) -> int:
    """Estimate, on the high side, how many word pieces a text model makes of ``text``; needs no model."""
    pieces = _COSTLY_TOKEN.findall(text)
    # most of what is written are signs and short words, at 1 each: only the others are looked at more closely
    return len(pieces) + sum(_cost(piece) - 1 for piece in pieces if len(piece) > 1 and not _is_short_word(piece))


def _is_short_word(piece: str) -> bool:
    return len(piece) <= 8 and piece.isascii() and piece.islower()


def _cost(piece: str) -> int:
    first = piece[0]
    if first.isspace():
        return 0
    if first.isdigit():
        return (len(piece) + 1) // 2
    if not piece.isascii():
        return len(piece) if first > "\u2e80" else 1 + len(piece) // 2
    if piece.islower() or piece.istitle():
        return 1 if len(piece) <= 8 else 1 + len(piece) // 5
    return (len(piece) + 2) // 3  # abbreviations and camelCase are rarely in a vocabulary as a whole


@dataclass(slots=True)
class _Piece:
    """Text that is not cut further: a sentence, a row of a table, a line of code, or a heading."""

    text: str
    spans: tuple[Span, ...]
    kind: ElementKind
    glue: str
    tokens: int
    level: int = 0
    markdown: str = ""
    table: str = ""
    begins: bool = False
    """A table, or a part of one with its own header, that no element shares with what stands before it."""
    frame: BBox | None = None
    head: str = ""
    """The Markdown over a row of a table, which each element with rows of it repeats."""


@dataclass(slots=True)
class _Section:
    """Pieces of one page under one heading path; a heading that begins it is its first piece."""

    page: int
    heading: tuple[str, ...]
    pieces: list[_Piece]
    context: str = ""

    @property
    def path(self) -> tuple[str, ...]:
        return (*self.heading, self.context) if self.context else self.heading

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    @property
    def only_heading(self) -> bool:
        return all(piece.level for piece in self.pieces)


def chunk(document_id: str, doc: ReadDocument, max_tokens: int) -> tuple[Element, ...]:
    """Cut a document into elements of about ``max_tokens`` at most, title and headings counted separately.

    Elements keep to one page and end where sentences, rows or lines do. Short neighbours under one parent heading
    share an element, with their own headings in its text.
    """
    budget = max(max_tokens, _LEAST_TOKENS)
    title = clean_text(doc.title)
    occurrences: Counter[tuple[int, ElementKind, str]] = Counter()
    elements: list[Element] = []
    for section in _shared(_sections(doc.blocks, budget), budget):
        room = max(budget - max(0, _context_cost(title, section.path) - _CONTEXT_TOKENS), _LEAST_TOKENS)
        for pieces in _packed(section.pieces, room):
            element = _element(document_id, title, section, pieces, occurrences)
            if element is not None:
                elements.append(element)
    return tuple(elements)


def _context_cost(title: str, heading: tuple[str, ...]) -> int:
    return estimate_tokens(" > ".join((title, *heading)))


def _sections(blocks: Iterable[Block], budget: int) -> Iterator[_Section]:
    """Yield the parts between headings and page borders, in reading order."""
    path: list[tuple[int, str]] = []
    current: _Section | None = None
    for block in blocks:
        pieces = list(_pieces(block, budget))
        if not pieces:
            continue
        if block.level:
            heading = " ".join(piece.text for piece in pieces)
            path = [(level, text) for level, text in path if level < block.level] + [(block.level, heading)]
        if current is None or block.level or (block.page, block.context) != (current.page, current.context):
            if current is not None:
                yield current
            current = _Section(block.page, tuple(text for _, text in path), [], block.context)
        current.pieces.extend(pieces)
    if current is not None:
        yield current


def _pieces(block: Block, budget: int) -> Iterator[_Piece]:
    cleaned = clean(block.text) if block.kind is not ElementKind.CODE else None
    text = block.text if cleaned is None else cleaned.text
    spans = block.spans if cleaned is None else move_spans(block.spans, cleaned)
    table = block.kind is ElementKind.TABLE
    rows = _row_markdown(text, block) if table and block.markdown else {}
    markdown = block.markdown if block.markdown and not rows and estimate_tokens(text) <= budget else ""
    first = True
    for start, end, glue in _cuts(text, block, budget):
        part = text[start:end]
        piece = _Piece(
            part,
            _clipped(text, spans, start, end, cut_boxes=not table),
            block.kind,
            glue if not first else "\n",
            estimate_tokens(part),
            block.level,
            table=block.table,
            begins=first and table and bool(block.markdown),
            frame=block.frame,
        )
        if rows:
            piece.head, piece.markdown = rows.pop(text.count("\n", 0, start), ("", ""))
        elif first:
            piece.markdown = markdown
        yield piece
        first = False


def _row_markdown(text: str, block: Block) -> dict[int, tuple[str, str]]:
    """Return, by the number of its line in ``text``, what stands over each row of a table in Markdown, and the row."""
    head, rows = split_markdown(block.markdown)
    first = text.count("\n") + 1 - len(rows)
    return {first + at: (head, row) for at, row in enumerate(rows)} if first >= 0 else {}


def _cuts(text: str, block: Block, budget: int) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, what stands before it) for each piece of a block's text."""
    if block.level:
        ranges = [(0, len(text))] if text.strip() else []
    elif block.kind in (ElementKind.TEXT, ElementKind.SCAN) and "\n" not in text:
        ranges = split_sentences(text)
    else:
        ranges = [m.span() for m in re.finditer(r"[^\n]*\S[^\n]*", text)]
    at = 0
    for start, end in ranges:
        glue = "\n" if "\n" in text[at:start] else text[at:start]
        for position, (left, right) in enumerate(_hard_split(text, start, end, budget)):
            yield left, right, glue if position == 0 else text[at:left]
            at = right


def _hard_split(text: str, start: int, end: int, budget: int) -> Iterator[tuple[int, int]]:
    """Cut what is too long by itself at blanks where there are any, at any character where there are none."""
    if estimate_tokens(text[start:end]) <= budget:
        yield start, end
        return
    left, used, blank = start, 0, -1
    for match in _TOKEN.finditer(text, start, end):
        cost = _cost(match.group())
        if match.group().isspace():
            blank = match.start()
        if cost > budget:
            step = max(budget // 2, 1)
            yield from ((at, min(at + step, match.end())) for at in range(left, match.end(), step))
            left, used, blank = match.end(), 0, -1
            continue
        if used + cost > budget:
            cut = blank if blank > left else match.start()
            yield left, cut
            left = cut + 1 if cut == blank else cut
            used, blank = estimate_tokens(text[left : match.start()]), -1
        used += cost
    if text[left:end].strip():
        yield left, end


def _clipped(text: str, spans: tuple[Span, ...], start: int, end: int, *, cut_boxes: bool) -> tuple[Span, ...]:
    """Return the spans of ``text[start:end]``, from ``start``; a line that is cut gives that part of its box.

    A row of a table is no line: its cells may have several lines, so that no part of its box is that of its text.
    """
    found = []
    for span in spans:
        if span.start >= end or span.end <= start or span.start == span.end:
            continue
        left, right = max(span.start, start), min(span.end, end)
        line = text[span.start : span.end]
        part = part_of_line(span.bbox, line, left - span.start, right - span.start) if cut_boxes else span.bbox
        found.append(Span(left - start, right - start, part, span.confidence))
    return tuple(found)


def _shared(sections: Iterable[_Section], budget: int) -> Iterator[_Section]:
    """Join short sections of one page with what follows, under the headings that they have in common."""
    held: _Section | None = None
    for section in sections:
        if held is not None and _may_join(held, section, budget):
            held = _joined(held, section)
        else:
            if held is not None:
                yield held
            held = section
    if held is not None:
        yield held


def _may_join(first: _Section, second: _Section, budget: int) -> bool:
    if (first.page, first.context) != (second.page, second.context):
        return False
    if {p.kind for p in first.pieces} != {p.kind for p in second.pieces}:
        return False
    if first.only_heading:
        return first.tokens + second.tokens <= budget or len(second.heading) >= len(first.heading)
    return first.tokens + second.tokens <= budget and min(first.tokens, second.tokens) <= _SHORT * budget


def _joined(first: _Section, second: _Section) -> _Section:
    heading = second.heading if first.only_heading and _is_under(second, first) else _common(first, second)
    return _Section(first.page, heading, first.pieces + second.pieces, first.context)


def _is_under(inner: _Section, outer: _Section) -> bool:
    return inner.heading[: len(outer.heading)] == outer.heading


def _common(first: _Section, second: _Section) -> tuple[str, ...]:
    shared = []
    for left, right in zip(first.heading, second.heading, strict=False):
        if left != right:
            break
        shared.append(left)
    return tuple(shared)


def _packed(pieces: list[_Piece], budget: int) -> list[list[_Piece]]:
    """Fill elements in order; a heading stays with what follows, and a short rest joins the one before it."""
    packs: list[list[_Piece]] = []
    used = 0
    for piece in pieces:
        fits = packs and not piece.begins and used + piece.tokens <= budget and packs[-1][-1].kind is piece.kind
        alone = packs and all(p.level for p in packs[-1])  # a heading goes with a table below it as with a sentence
        if packs and (fits or (alone and piece.tokens + used <= budget + _CONTEXT_TOKENS // 2)):
            packs[-1].append(piece)
            used += piece.tokens
        else:
            packs.append([piece])
            used = piece.tokens
    return _evened(packs, budget)


def _evened(packs: list[list[_Piece]], budget: int) -> list[list[_Piece]]:
    """Give a short last element sentences of the one before it, so that no crumb is left to be found by itself."""
    if len(packs) < 2 or packs[-1][0].kind is not packs[-2][-1].kind or packs[-1][0].begins:
        return packs
    before, last = packs[-2], packs[-1]
    size = sum(piece.tokens for piece in last)
    if size > _SHORT * budget:
        return packs
    while len(before) > 1 and not before[-2].level:
        moved = before[-1].tokens
        if size + moved > sum(piece.tokens for piece in before) - moved:
            break
        last.insert(0, before.pop())
        size += moved
    return packs


def _element(
    document: str,
    title: str,
    section: _Section,
    pieces: list[_Piece],
    occurrences: Counter[tuple[int, ElementKind, str]],
) -> Element | None:
    text, spans = _assembled(pieces)
    if not spans or not text.strip():
        return None
    kind = next((piece.kind for piece in pieces if not piece.level), pieces[0].kind)
    key = (section.page, kind, text)
    occurrences[key] += 1
    return Element(
        id=element_id(document, section.page, kind, text, occurrences[key]),
        document=document,
        page=section.page,
        bbox=BBox.around([*(span.bbox for span in spans), *(p.frame for p in pieces if p.frame is not None)]),
        kind=kind,
        text=text,
        spans=spans,
        title=title,
        heading=section.path,
        content_hash=content_hash(kind, title, section.path, text),
        markdown=_joined_markdown(pieces),
        table=next((piece.table for piece in pieces if piece.table), ""),
    )


def _joined_markdown(pieces: Iterable[_Piece]) -> str:
    markdown = head = ""
    for piece in pieces:
        if not piece.markdown:
            continue
        goes_on = bool(piece.head) and piece.head == head
        gap = "" if not markdown else "\n" if goes_on else "\n\n"
        markdown += gap + (f"{piece.head}\n" if piece.head and not goes_on else "") + piece.markdown
        head = piece.head
    return markdown


def element_id(document: str, page: int, kind: ElementKind, text: str, occurrence: int) -> str:
    """Return the id of an element; ``occurrence`` counts from 1 those of one page that are alike."""
    return _digest(document, str(page), kind, text, str(occurrence))[:_ID_LENGTH]


def content_hash(kind: ElementKind, title: str, heading: Iterable[str], *texts: str) -> str:
    """Return the digest of what an element is found by."""
    return _digest(kind, title, *heading, *texts)


def _assembled(pieces: list[_Piece]) -> tuple[str, tuple[Span, ...]]:
    text = ""
    spans: list[Span] = []
    for piece in pieces:
        if text:
            text += piece.glue
        at = len(text)
        spans.extend(replace(span, start=span.start + at, end=span.end + at) for span in piece.spans)
        text += piece.text
    return text, tuple(spans)


def _digest(*parts: str) -> str:
    return blake3("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
