"""Filters as people write them: ``type:pdf kind:table page:3-10 folder:reports date:2024 language:de tag:tax``.

A term is ``key:value``, with quotes round a value that has blanks: ``file:"annual report"``. Terms of one key are
alternatives; terms of different keys must all hold; a minus in front leaves out what fits: ``-type:csv``.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.languages import LANGUAGES
from desktop_rag.core.tags import checked_tag
from desktop_rag.core.types import ElementKind

KEYS = ("folder", "file", "type", "kind", "page", "date", "language", "tag")
_TERM = re.compile(r"\s*(?P<minus>-?)(?P<key>[A-Za-z]+):(?:\"(?P<quoted>[^\"]*)\"|(?P<plain>[^\s\"]+))(?=\s|$)")
_LOOKS_LIKE_TERMS = re.compile(r"\s*-?[A-Za-z]+:")
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


@dataclass(frozen=True, slots=True)
class Range:
    """From ``first`` to ``last``, both included; None where it is open."""

    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Days:
    """From ``first`` to ``last``, both included; None where it is open."""

    first: date | None
    last: date | None

    def holds(self, day: date) -> bool:
        """Return whether ``day`` is inside."""
        return (self.first is None or day >= self.first) and (self.last is None or day <= self.last)


@dataclass(frozen=True, slots=True)
class Terms:
    """Alternatives by key; an empty tuple says nothing. Texts are in lower case, ``types`` have no dot."""

    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    kinds: tuple[ElementKind, ...] = ()
    pages: tuple[Range, ...] = ()
    dates: tuple[Days, ...] = ()
    languages: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filters:
    """What must fit, and what must not."""

    wanted: Terms = Terms()
    unwanted: Terms = Terms()


def parse_filters(text: str) -> Filters | None:
    """Return the filters that ``text`` says, or None when it is no list of terms (it may be an SQL condition).

    Raises UserFacingError, naming the term, for an unknown key or a value that cannot be.
    """
    if not text.strip():
        return Filters()
    if not _LOOKS_LIKE_TERMS.match(text):
        return None
    found: dict[bool, dict[str, list[str]]] = {False: {}, True: {}}
    at = 0
    while text[at:].strip():
        match = _TERM.match(text, at)
        if match is None:
            raise _bad(text[at:].strip(), "Write terms such as type:pdf, with quotes round a value that has blanks")
        key = match["key"].lower()
        if key not in KEYS:
            raise _bad(match.group().strip(), f"The keys are {', '.join(KEYS)}")
        value = match["plain"] if match["quoted"] is None else match["quoted"]
        found[bool(match["minus"])].setdefault(key, []).append(value.strip())
        at = match.end()
    return Filters(_terms(found[False]), _terms(found[True]))


def _terms(values: dict[str, list[str]]) -> Terms:
    return Terms(
        folders=tuple(value.lower().rstrip("/\\") for value in values.get("folder", ())),
        files=tuple(value.lower() for value in values.get("file", ())),
        types=tuple(value.lower().lstrip(".") for value in values.get("type", ())),
        kinds=tuple(map(_kind, values.get("kind", ()))),
        pages=tuple(map(_pages, values.get("page", ()))),
        dates=tuple(map(_days, values.get("date", ()))),
        languages=tuple(map(_language, values.get("language", ()))),
        tags=tuple(map(checked_tag, values.get("tag", ()))),
    )


def _language(value: str) -> str:
    if value.lower() not in LANGUAGES:
        raise _bad(f"language:{value}", f"The languages are {', '.join(LANGUAGES)}")
    return value.lower()


def _kind(value: str) -> ElementKind:
    try:
        return ElementKind(value.lower())
    except ValueError:
        raise _bad(f"kind:{value}", f"The kinds are {', '.join(ElementKind)}") from None


def _pages(value: str) -> Range:
    match = re.fullmatch(r"(\d{0,9})(-?)(\d{0,9})", value)
    if match is None or not (match[1] or match[3]):
        raise _bad(f"page:{value}", "Write page:7, page:3-10, page:20- or page:-5")
    first, last = (int(part) if part else None for part in (match[1], match[3]))
    return Range(first, last if match[2] else first)


def _days(value: str) -> Days:
    first, dots, last = value.partition("..")
    try:
        begin = _day(first, end=False) if first else None
        finish = (_day(last, end=True) if last else None) if dots else _day(first, end=True)
    except ValueError:
        begin = finish = None
    if begin is None and finish is None:
        raise _bad(f"date:{value}", "Write date:2024, date:2024-05, date:2024-05-01..2024-06-30 or date:2024..")
    return Days(begin, finish)


def _day(value: str, *, end: bool) -> date:
    match = _DAY.fullmatch(value)
    if match is None:
        raise ValueError(value)
    year, month, day = (int(part) if part else None for part in match.groups())
    month = month or (12 if end else 1)
    day = day or (calendar.monthrange(year or 1, month)[1] if end else 1)
    return date(year or 1, month, day)


def _bad(term: str, remedy: str) -> UserFacingError:
    return UserFacingError(f"The filter `{term}` cannot be used. {remedy}.")
