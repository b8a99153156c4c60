"""A stream of model output, cut into whole sentences as it grows."""

from __future__ import annotations

import re

from desktop_rag.answer.dates import begins_with_a_month
from desktop_rag.ingest.sentences import split_sentences

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_OPENING = re.compile(r"<(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?)?\Z")
_LEADING_MARKS = re.compile(r"\s*(?:[\[【]\d{1,2}(?:\s*[,;]\s*\d{1,2})*[\]】]\s*\.?)+")
_LEADING_PART = re.compile(r"\s*[\[【]?[\d,;\s]*\Z")
_DAY = re.compile(r"(?<![\d.,])\d{1,2}\.\Z")
_NUMBERING = re.compile(r"\(?\d{1,2}[.)]|[-*•–]")


class ProseReader:
    """Collects pieces of text and gives back each sentence once, as soon as the next one has begun.

    Citation marks after the full stop belong to the sentence before them; thinking blocks are left out.
    """

    def __init__(self) -> None:
        self._raw = ""
        self._given = 0

    def feed(self, piece: str) -> list[str]:
        """Add ``piece`` and return the sentences that are complete now."""
        self._raw += piece
        return self._take(final=False)

    def finish(self) -> list[str]:
        """Return what is left, complete or not."""
        return self._take(final=True)

    @property
    def thinking(self) -> bool:
        """Whether the text so far ends inside a thinking block, which is not for the reader."""
        return self._raw.rfind("<think") > self._raw.rfind("</think")

    @property
    def text(self) -> str:
        """All that was written so far, thinking blocks included."""
        return self._raw

    def _take(self, final: bool) -> list[str]:
        text = _THINKING.sub("", self._raw)
        if not final:
            text = _OPENING.sub("", text)
        rest = text[self._given :]
        ready: list[str] = []
        at = 0
        ends = _sentence_ends(rest)
        for end in ends if final else ends[:-1]:
            if not final and _LEADING_PART.match(rest[end:]):
                break  # a citation mark may follow, or only a part of one is there
            if rest[at:end].strip():
                ready.append(rest[at:end].strip())
            at = end
        self._given += at
        return ready


def _sentence_ends(text: str) -> list[int]:
    """Return where the sentences of ``text`` end, behind their citation marks; list numbers and "12. Mai" end none."""
    ends: list[int] = []
    start = 0
    for _, end in split_sentences(text):
        if end <= start:
            continue
        marks = _LEADING_MARKS.match(text[end:])
        end += marks.end() if marks else 0
        in_a_date = _DAY.search(text[start:end]) and begins_with_a_month(text[end:])
        if not in_a_date and not _NUMBERING.fullmatch(text[start:end].strip()):
            ends.append(end)
            start = end
    return ends
