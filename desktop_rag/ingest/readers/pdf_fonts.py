"""Text layers that lie: fonts that say nothing of which letters their glyphs are, and glyphs without any letter."""

from __future__ import annotations

import re
from typing import Any

_UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f]")
_LEADER = re.compile(r"(.)\1{3,}", re.DOTALL)
_MOSTLY = 0.3
_NO_MAP = re.compile(r"/ToUnicode|/Encoding\s*(?:/(?!Identity)|\d|<<)")
_GUESSED = ("TrueType", "Type3", "Type0")


class LayerCheck:
    """Counts, over the pages of a document, the signs that no search could find."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._guessed: dict[int, bool] = {}

    def is_usable(self, page: Any, spans: list[dict[str, Any]]) -> bool:
        """Say whether the visible text of a page is real text: not empty, and mostly of known letters."""
        text = _LEADER.sub(r"\1", "\n".join(span["text"] for span in spans))
        signs = len(text) - text.count(" ") - text.count("\n")
        unmapped = len(_UNMAPPED.findall(text))
        if signs == 0:
            return False
        if unmapped <= _MOSTLY * signs:
            unmapped += self._garbled(page, spans)
        return unmapped <= _MOSTLY * signs

    def _garbled(self, page: Any, spans: list[dict[str, Any]]) -> int:
        """Signs in fonts whose letters MuPDF had to guess, if what came out does not look like language."""
        names = {name.split("+")[-1] for xref, _, kind, name, *_ in page.get_fonts() if self._is_guessed(xref, kind)}
        text = "".join(span["text"] for span in spans if span["font"].split("+")[-1] in names)
        signs = len(text) - text.count(" ")
        letters = sum(char.isalpha() for char in text)
        return 0 if letters + sum(char.isdigit() for char in text) >= 0.7 * signs else signs

    def _is_guessed(self, xref: int, kind: str) -> bool:
        if xref not in self._guessed:
            known = kind not in _GUESSED or bool(_NO_MAP.search(self._document.xref_object(xref)))
            self._guessed[xref] = not known
        return self._guessed[xref]
