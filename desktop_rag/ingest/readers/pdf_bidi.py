"""Right-to-left script in PDFs: where MuPDF gives letters as they stand and not as they are read, they are turned."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_DIGITS = re.compile("[\u0660-\u0669\u06f0-\u06f9]{2,}")
_LEAST_LETTERS = 3
_Char = dict[str, Any]


def in_reading_order(raw: dict[str, Any]) -> dict[str, Any]:
    """Give each span of a ``rawdict`` its ``text``, in the order in which it is read, and take its ``chars`` off.

    MuPDF guesses the order of letters. Words that stand beside Latin ones come out from left to right at times, and
    Arabic-Indic numbers, which run to the right, turned around with the words beside them. Where the letters stand
    tells which is which.
    """
    for block in raw["blocks"]:
        for line in block["lines"]:
            spans = line["spans"]
            chars = [char for span in spans for char in span["chars"]]
            if abs(line["dir"][0]) > 0.9 and any(RIGHT_TO_LEFT.match(char["c"]) for char in chars):
                chars = _numbers_turned(_words_turned(chars))
            at = 0
            for span in spans:
                size = len(span.pop("chars"))
                span["text"] = "".join(char["c"] for char in chars[at : at + size])
                at += size
    return raw


def _words_turned(chars: list[_Char]) -> list[_Char]:
    """Turn each stretch whose right-to-left letters run to the right, with the blanks and numbers inside it."""
    letters = [at for at, char in enumerate(chars) if _is_letter(char["c"])]
    turned = list(chars)
    for first, last in _rising(chars, letters):
        turned[first : last + 1] = chars[first : last + 1][::-1]
    return turned


def _rising(chars: Sequence[_Char], letters: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last places of stretches of letters each of which stands right of the one before."""
    stretches: list[list[int]] = []
    for at in letters:
        if stretches and _x(chars[at]) > _x(chars[stretches[-1][-1]]):
            stretches[-1].append(at)
        else:
            stretches.append([at])
    return [(stretch[0], stretch[-1]) for stretch in stretches if len(stretch) >= _LEAST_LETTERS]


def _numbers_turned(chars: list[_Char]) -> list[_Char]:
    for match in _DIGITS.finditer("".join(char["c"][:1] or " " for char in chars)):
        chars[match.start() : match.end()] = sorted(chars[match.start() : match.end()], key=_x)
    return chars


def _is_letter(char: str) -> bool:
    return bool(RIGHT_TO_LEFT.match(char)) and unicodedata.bidirectional(char) in ("R", "AL")


def _x(char: _Char) -> float:
    return float(char["origin"][0])
