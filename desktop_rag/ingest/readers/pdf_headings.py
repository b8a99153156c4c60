"""Which paragraphs are headings, and of which level: by the outline, and by type size and weight."""

from __future__ import annotations

import re
from collections import Counter

from desktop_rag.ingest.readers.pdf_parts import Paragraph

_LONGEST = 180
_LONGEST_BOLD = 120
_LOWEST = 6
_WORD = re.compile(r"[^\W\d_]{2,}")
_NOT_ALNUM = re.compile(r"\W+")

Outline = dict[int, list[tuple[int, str]]]
"""For each page the entries of the outline that point to it: level from 1, title."""


def mark_headings(paragraphs: list[Paragraph], outline: Outline) -> None:
    """Set the level of each paragraph that is a heading."""
    body = _body_size(paragraphs)
    plain_body = not _mostly_bold(paragraphs, body)
    large = [p for p in paragraphs if not p.listing and _is_large(p, body)]
    sizes = sorted({_rounded(p.size) for p in large}, reverse=True)
    rank = {size: min(index + 1, _LOWEST - 1) for index, size in enumerate(sizes)}
    for paragraph in paragraphs:
        listed = _listed_level(paragraph, outline)
        if listed:
            paragraph.level = min(listed, _LOWEST)
        elif paragraph.listing:
            continue
        elif _is_large(paragraph, body):
            paragraph.level = rank[_rounded(paragraph.size)]
        elif plain_body and (_is_bold_heading(paragraph, body) or _is_italic_heading(paragraph, body)):
            paragraph.level = min(len(sizes) + 1, _LOWEST)


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _body_size(paragraphs: list[Paragraph]) -> float:
    counts: Counter[float] = Counter()
    for paragraph in paragraphs:
        for row in paragraph.rows:
            counts[_rounded(row.size)] += len(row.text)
    return counts.most_common(1)[0][0] if counts else 10.0


def _mostly_bold(paragraphs: list[Paragraph], body: float) -> bool:
    rows = [row for p in paragraphs for row in p.rows if _rounded(row.size) == body]
    return sum(len(row.text) for row in rows if row.bold) > 0.5 * sum(len(row.text) for row in rows)


def _is_large(paragraph: Paragraph, body: float) -> bool:
    text = paragraph.text
    words = _WORD.findall(text)
    if len(text) > _LONGEST or len(paragraph.rows) > 4 or not words:
        return False
    if paragraph.size < 1.13 * body or text.endswith((",", ";")):
        return False
    return len(words) >= 2 or (paragraph.size >= 1.3 * body and len(words[0]) > 2)


def _is_bold_heading(paragraph: Paragraph, body: float) -> bool:
    text = paragraph.text
    if not paragraph.bold or len(text) > _LONGEST_BOLD or len(paragraph.rows) > 2 or paragraph.size < 0.95 * body:
        return False
    return len("".join(_WORD.findall(text))) >= 4 and not text.endswith((",", ";")) and _WORD.search(text) is not None


def _is_italic_heading(paragraph: Paragraph, body: float) -> bool:
    text = paragraph.text
    if not paragraph.italic or len(paragraph.rows) > 1 or len(text) > 80 or paragraph.size < 0.95 * body:
        return False
    return text[:1].isupper() and text[-1].isalnum() and len("".join(_WORD.findall(text))) >= 4


def _listed_level(paragraph: Paragraph, outline: Outline) -> int:
    entries = outline.get(paragraph.page, ())
    if not entries or len(paragraph.text) > 2 * _LONGEST or len(paragraph.rows) > 4:
        return 0
    own = _key(paragraph.text)
    return next((level for level, title in entries if own and _matches(own, _key(title))), 0)


def _key(text: str) -> str:
    return _NOT_ALNUM.sub("", text).casefold()


def _matches(own: str, title: str) -> bool:
    if own == title:
        return True
    shorter, longer = sorted((own, title), key=len)
    return len(shorter) >= 6 and len(shorter) >= 0.6 * len(longer) and longer.endswith(shorter)
