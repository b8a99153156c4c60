"""Values as a spreadsheet or chart shows them: 0.48 with the format "0%" is 48%, and dates are in ISO form."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from math import isfinite

_DIGITS = re.compile(r"[#0?][#0?,.]*")
_TOKEN = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].|(.)', re.DOTALL)
_UNFIT = re.compile(r"[eEdDmMyYhHsS/@]")
_MOST_DECIMALS = 12


def shown_number(value: float, code: str) -> str:
    """Return ``value`` as the number format ``code`` shows it; formats that are not understood give the plain value.

    Of formats with several sections the first is used. Scientific, fraction and date formats are not understood.
    """
    section = code.split(";", 1)[0]
    literal = _literal(section)
    digits = _DIGITS.search(literal)
    if (
        not isfinite(value)
        or not digits
        or _UNFIT.search(_without_quotes(section))
        or _DIGITS.search(literal, digits.end())
    ):
        return plain_number(value)
    before, after = literal[: digits.start()], literal[digits.end() :]
    percent = "%" in before + after
    pattern = digits.group()
    scaled = value * 100 if percent else value
    scaled /= 1000 ** (len(pattern) - len(pattern.rstrip(",")))  # commas at the end leave out thousands
    whole, _, fraction = pattern.rstrip(",").partition(".")
    grouped = "," if "," in whole else ""
    text = f"{abs(scaled):{grouped}.{min(len(fraction), _MOST_DECIMALS)}f}"
    optional = len(fraction) - len(fraction.rstrip("#?"))
    for _ in range(optional):
        text = text.removesuffix("0")
    text = text.rstrip(".") if fraction else text
    sign = "-" if scaled < 0 and any(character in "123456789" for character in text) else ""
    return f"{sign}{before.lstrip('+-')}{text}{after}".strip()


def shown_value(value: object, code: str = "") -> str:
    """Return the content of a cell as text: numbers by their format, dates and times in ISO form."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return shown_number(value, code) if isfinite(value) else str(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else _without_seconds(value.isoformat(" ", "seconds"))
    if isinstance(value, time):
        return _without_seconds(value.isoformat("seconds"))
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return _without_seconds(f"{minutes // 60}:{minutes % 60:02}:{seconds:02}")
    return str(value).strip()


def _without_seconds(text: str) -> str:
    return text[:-3] if text.endswith(":00") and text.count(":") == 2 else text


def plain_number(value: float) -> str:
    """Return a number as it is typed: no trailing zeros, no traces of binary fractions."""
    if isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.15g}"


def _literal(section: str) -> str:
    """Return the section with what stands in quotes, without colours, conditions and room for other characters."""
    return "".join(
        match.group(1) or match.group(2) or match.group(3) or match.group(4) or "" for match in _TOKEN.finditer(section)
    )


def _without_quotes(section: str) -> str:
    return "".join(match.group(4) or "" for match in _TOKEN.finditer(section))
