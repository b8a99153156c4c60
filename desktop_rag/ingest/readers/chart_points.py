"""What charts of both kinds have in common: points with their number formats, categories of several levels, titles."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import TYPE_CHECKING

from desktop_rag.ingest.readers.number_format import plain_number, shown_number

if TYPE_CHECKING:
    from lxml.etree import _Element

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MOST_POINTS = 5000
_DAY_ZERO = date(1899, 12, 30)


def shown_point(text: str, code: str) -> str:
    """Return a number or date as its format ``code`` shows it, or ``text`` where it is none."""
    try:
        value = float(text)
    except ValueError:
        return text
    return _date(value) if _is_date(code) else shown_number(value, code)


def joined_levels(levels: Iterable[dict[int, str]]) -> dict[int, str]:
    """Return the points by their index, those of several levels joined; the innermost level comes first."""
    found: dict[int, str] = {}
    for texts in levels:
        outer = _spread(texts, found) if found else texts
        found = {at: f"{outer[at]} {found[at]}" if at in found else outer[at] for at in sorted({*outer, *found})}
        if len(found) > _MOST_POINTS:
            break
    return found


def title_text(node: _Element | None) -> str:
    """Return the text of a title: typed, or taken from a cell."""
    if node is None:
        return ""
    typed = "".join(run.text or "" for run in node.iter(f"{_A}t"))
    cached = "" if typed else " ".join(value.text or "" for value in node.iter("{*}v"))
    return " ".join((typed or cached).split())


def _spread(outer: dict[int, str], inner: dict[int, str]) -> dict[int, str]:
    """Give each inner category the outer one that began last before it."""
    spread, current = {}, ""
    for at in sorted(inner):
        current = outer.get(at, current)
        spread[at] = current
    return spread


def _is_date(code: str) -> bool:
    plain = code.lower()
    return "yy" in plain or ("m" in plain and "d" in plain)


def _date(value: float) -> str:
    try:
        return (_DAY_ZERO + timedelta(days=int(value))).isoformat()
    except (OverflowError, ValueError):
        return plain_number(value)
