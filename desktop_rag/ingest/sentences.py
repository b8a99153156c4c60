"""Where sentences end, by the rules of the sentencex library, with places kept."""

from __future__ import annotations

import re

_ARABIC = re.compile("[\u0600-\u06ff]")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each sentence of ``text`` without the blanks around it; a newline ends one too."""
    import sentencex

    found: list[tuple[int, int]] = []
    at = 0
    for piece in sentencex.segment(_language(text), text):
        place = text.find(piece, at)
        if place < 0:
            continue
        at = place + len(piece)
        for line in re.finditer(r"[^\n]+", piece):
            part = line.group()
            start = place + line.start() + len(part) - len(part.lstrip())
            end = place + line.end() - len(part) + len(part.rstrip())
            if end > start:
                found.append((start, end))
    return found


def _language(text: str) -> str:
    """Guess whose rules of abbreviation and full stops hold, by script alone."""
    if _CJK.search(text):
        return "ja" if _KANA.search(text) else "zh"
    return "ar" if _ARABIC.search(text) else "en"
