"""The hard facts of a text: quantities, dates, identifiers and names, in forms that can be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from desktop_rag.answer.dates import Date, find_dates
from desktop_rag.answer.quantities import Quantity, as_quantity, find_quantities
from desktop_rag.core.words import STOP_WORDS, content_words, fold, is_identifier, stem, tokens

_NAME = re.compile(r"(?<![\w'’])[^\W\d_a-zß-öø-ÿ][\w'’-]*")
_LETTERED = re.compile(r"\b([^\W\d_]{4,}|[A-Z]{2,3}) ([A-HJ-Z])(?![\w.'’&-])")
"""Zone B, vitamin C: one letter that tells two things apart."""
_SHORTENED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Sen|Rep|Gen|Hr|Fr|No|vs|[A-Z])\.$")
_PIECES = re.compile(r"\d+|[^\W\d_]+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a text says that must not be changed. ``names`` are stems of capitalised words."""

    quantities: tuple[Quantity, ...]
    dates: tuple[Date, ...]
    identifiers: tuple[str, ...]
    names: tuple[str, ...]


@lru_cache(maxsize=4096)
def find_facts(text: str) -> Facts:
    """Return the facts of ``text``; a digit belongs to one fact only: date before identifier before quantity."""
    dates, rest = find_dates(text)
    names = find_names(rest)
    identifiers = []
    for token in tokens(rest):
        if is_identifier(token) and not as_quantity(token):
            identifiers.append(token)
            if any(char.isalpha() for char in token) or len(re.findall(r"\d+", token)) > 2:
                rest = _blank(rest, token)
    identifiers += [fold(f"{match[1]} {match[2]}") for match in _LETTERED.finditer(text)]
    return Facts(tuple(find_quantities(rest)), tuple(dates), tuple(identifiers), tuple(names))


def find_names(text: str) -> list[str]:
    """Return the stems of the capitalised words of ``text`` that can be names.

    The first word of a sentence is capitalised anyway, so it counts only when it is written unlike a common word
    ("NASA", "McDonnell") or when another capitalised word follows it at once.
    """
    found = []
    for match in _NAME.finditer(text):
        word = match.group()
        if _starts_sentence(text, match.start()) and word[1:].islower() and not _name_follows(text, match.end()):
            continue
        found.extend(_stems(word))
    return found


def first_word(text: str) -> str:
    """Return the stem of the first word of ``text`` if it is capitalised and carries content, else ""."""
    match = _NAME.match(text.lstrip(" \"'“‘(*"))
    stems = _stems(match.group()) if match else []
    return stems[0] if stems else ""


def stands_in(identifier: str, text: str) -> bool:
    """Return whether a folded ``identifier`` stands in ``text`` as a whole; "150kw" also as "150 kW"."""
    spaced = r"\s?".join(re.escape(piece) for piece in _PIECES.findall(identifier))
    return re.search(rf"(?<![\w]){spaced}(?![\w])", fold(text)) is not None


def acronyms(text: str) -> frozenset[str]:
    """Return the folded initials of every run of two to six words of ``text``: "gross domestic product" gives "gdp"."""
    words = [word for word in re.findall(r"[a-z]+", fold(text)) if word not in ("of", "the", "and", "for")]
    return frozenset(
        "".join(word[0] for word in words[start : start + length])
        for start in range(len(words))
        for length in range(2, 7)
        if start + length <= len(words)
    )


def _stems(word: str) -> list[str]:
    plain = fold(word).removesuffix("'s").removesuffix("'")
    if plain in STOP_WORDS or len(plain) < 2 or any(char.isdigit() for char in plain):
        return []
    return content_words(plain) or [stem(plain)]


def _starts_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip(" \t\"'“”‘’(*[")
    if _SHORTENED.search(before):
        return False
    return not before or before[-1] in ".!?:\n•"


def _name_follows(text: str, at: int) -> bool:
    return re.match(r"\s[^\W\d_a-zß-öø-ÿ][\w'’-]+", text[at:]) is not None


def _blank(text: str, token: str) -> str:
    """Return ``text`` with the first folded ``token`` made spaces, so that no number is read from it."""
    at = fold(text).find(token) if len(fold(text)) == len(text) else -1
    if at < 0:
        match = re.search(re.escape(token), text, re.IGNORECASE)
        at = match.start() if match else -1
    return text if at < 0 else text[:at] + " " * len(token) + text[at + len(token) :]
