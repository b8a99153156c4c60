"""Dates in a text, complete or not, in the ways in which documents write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
"""A number that is a year in nearly all texts."""

_MONTH_NAMES = (
    "january|januar jänner|jan", "february|februar|feb", "march|märz maerz|mar mär", "april||apr", "may|mai|",
    "june|juni|jun", "july|juli|jul", "august||aug", "september||sep sept", "october|oktober|oct okt", "november||nov",
    "december|dezember|dec dez",
)  # fmt: skip
_MONTHS = {name: at for at, names in enumerate(_MONTH_NAMES, 1) for name in re.split(r"[ |]", names) if name}
_ANY = "(?P<m>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_SHORT = ("june", "july", "juni", "juli", "märz", "mai")
_FULL = sorted((name for name in _MONTHS if len(name) > 4 or name in _SHORT), key=len)
_DAY = r"(?P<d>\d{1,2})"
_ORDINAL = r"(?:st|nd|rd|th|\.)?"
_YEAR = r"(?P<y>\d{4})"
_END = r"(?![\w-]|[.,]\d)"


@dataclass(frozen=True, slots=True)
class Date:
    """A day, or as much of it as the text says. ``month`` and ``day`` may be exchanged when ``either_order``."""

    year: int | None
    month: int | None
    day: int | None
    either_order: bool = False

    def said_by(self, other: Date, years: Iterable[int] = ()) -> bool:
        """Return whether ``other`` says all that this date says; ``years`` are known from around ``other``."""
        same_year = self.year is None or self.year == other.year or (other.year is None and self.year in years)
        if not same_year:
            return False
        if self._day_and_month(self.month, self.day, other):
            return True
        turned = self.either_order or other.either_order
        return turned and self._day_and_month(self.day, self.month, other)

    @staticmethod
    def _day_and_month(month: int | None, day: int | None, other: Date) -> bool:
        return month in (None, other.month) and day in (None, other.day)


def _number(match: re.Match[str], name: str) -> int | None:
    return int(match.group(name)) if name in match.re.groupindex and match.group(name) else None


def _named(match: re.Match[str]) -> Date | None:
    day = _number(match, "d")
    if day is not None and not 1 <= day <= 31:
        return None
    return Date(_number(match, "y"), _MONTHS[match.group("m").lower()], day)


def _numeric(match: re.Match[str]) -> Date | None:
    year, month, day = (int(match.group(name)) for name in "ymd")
    year += 2000 if year < 50 else 1900 if year < 100 else 0
    either = "/" in match.group()
    if month > 12 and day <= 12 and either:
        month, day = day, month
    return Date(year, month, day, either and day <= 12) if 1 <= month <= 12 and 1 <= day <= 31 else None


_MAY = Date(None, 5, None)
_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Date | None]], ...] = (
    (re.compile(rf"\b(?P<y>\d{{4}})-(?P<m>\d{{2}})-(?P<d>\d{{2}}){_END}"), _numeric),
    (re.compile(rf"\b(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?(?P<y>\d{{4}}){_END}"), _numeric),
    (re.compile(rf"\b(?P<m>\d{{1,2}})/(?P<d>\d{{1,2}})/(?P<y>\d{{4}}|\d{{2}}){_END}"), _numeric),
    (re.compile(rf"\b{_DAY}{_ORDINAL}\s(?:of\s)?{_ANY}(?:,?\s{_YEAR}{_END})?", re.IGNORECASE), _named),
    (re.compile(rf"\b{_ANY}\s{_DAY}(?!\d|[.,]\d){_ORDINAL}(?:,?\s{_YEAR}{_END})?", re.IGNORECASE), _named),
    (re.compile(rf"\b{_ANY},?\s(?:of\s)?{_YEAR}{_END}", re.IGNORECASE), _named),
    (re.compile(rf"\b(?P<m>{'|'.join(name.capitalize() for name in _FULL)})\b"), _named),
    (re.compile(r"(?<=\b(?:in|of|by|to) )(?:May|Mai)\b|(?<=\b(?:since|until|early) )May\b"), lambda _: _MAY),
)


def begins_with_a_month(text: str) -> bool:
    """Return whether ``text`` begins with the name of a month, or, where it is no longer than that, may begin so."""
    word = re.match(r"\s*([^\W\d_]+)", text)
    if not word:
        return False
    name = word[1].lower()
    return name in _MONTHS or (word.end() == len(text) and any(month.startswith(name) for month in _MONTHS))


def find_dates(text: str) -> tuple[list[Date], str]:
    """Return the dates of ``text``, and the text with those dates made spaces (of the same length)."""
    found: list[Date] = []

    def take(read: Callable[[re.Match[str]], Date | None], match: re.Match[str]) -> str:
        date = read(match)
        if date is None:
            return match.group()
        found.append(date)
        return " " * len(match.group())

    for pattern, read in _READERS:
        text = pattern.sub(partial(take, read), text)
    return found, text
