"""Which rows of a table name its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop_rag.ingest.tables.draft import DraftRow
from desktop_rag.ingest.tables.parts import Word, is_number

_YEAR = re.compile(r"(?:FY\s?|Q[1-4]\s?)?(?:1[6-9]|20|21)\d\d(?:\s?[-–/]\s?\d{2,4})?\s?[a-z*†‡\d]?")
_MOST = 8
_FEW_WORDS = 8


def header_count(rows: Sequence[DraftRow], words: Sequence[Word]) -> int:
    """Return how many of the first rows are the header: by their numbers, weight, or length; 0 if nothing says so."""
    by_numbers = _by_numbers(rows)
    if by_numbers is not None:
        return by_numbers
    by_weight = _by_weight(rows, words)
    if by_weight:
        return by_weight
    return 1 if _is_short_and_full(rows) else 0


def is_year(text: str) -> bool:
    """Say whether a cell is a year or a span of years, as the names of columns often are."""
    return _YEAR.fullmatch(text) is not None


def has_values(row: DraftRow, numeric: Sequence[int]) -> bool:
    """Say whether a row has numbers, other than years, where columns have numbers."""
    texts = [row.cells[at].text for at in numeric if row.cells[at].text]
    if not texts:
        return False
    values = [text for text in texts if is_number(text)]
    return len(values) >= 0.5 * len(texts) and not all(is_year(text) for text in values)


def numeric_columns(rows: Sequence[DraftRow]) -> list[int]:
    """Return the columns, the first one apart, most of whose filled cells are numbers."""
    lower = rows[len(rows) // 2 :]
    columns = range(1, len(rows[0].cells) if rows else 0)
    return [at for at in columns if _share(rows, at) >= 0.55 or (_share(lower, at) >= 0.8 and _share(rows, at) >= 0.4)]


def _share(rows: Sequence[DraftRow], at: int) -> float:
    texts = [row.cells[at].text for row in rows if row.cells[at].text]
    return sum(1 for text in texts if is_number(text)) / len(texts) if texts else 0.0


def _by_numbers(rows: Sequence[DraftRow]) -> int | None:
    """Where columns hold numbers, the header ends before the first row that has some."""
    numeric = numeric_columns(rows)
    if not numeric:
        return None
    first = next((at for at, row in enumerate(rows) if has_values(row, numeric)), None)
    if first is None:
        return 1 if all(is_year(rows[0].cells[at].text) for at in numeric) else None
    if first == 0:
        return 0
    first = _without_sections(rows, first)
    return first if first <= min(_MOST, len(rows) // 2 + 1) else None


def _without_sections(rows: Sequence[DraftRow], first: int) -> int:
    """Rows with a label alone, right above the first values, head a section and not the columns."""
    while first > 1 and rows[first - 1].filled == 1 and rows[first - 1].cells[0].text:
        first -= 1
    return first


def _by_weight(rows: Sequence[DraftRow], words: Sequence[Word]) -> int:
    bold = [_is_bold(row, words) for row in rows]
    count = next((at for at, value in enumerate(bold) if not value), len(bold))
    if not 0 < count <= min(_MOST, len(rows) // 2) or rows[count - 1].filled < 2:
        return 0
    return count if sum(bold[count:]) <= 0.5 * (len(rows) - count) else min(count, 1)


def _is_bold(row: DraftRow, words: Sequence[Word]) -> bool:
    inside = [word for word in words if row.y0 <= word.middle[1] <= row.y1]
    return bool(inside) and sum(1 for word in inside if word.bold) >= 0.8 * len(inside)


def _is_short_and_full(rows: Sequence[DraftRow]) -> bool:
    """A first row with a short text without figures in each cell, above rows that are longer or have figures."""
    if len(rows) < 3:
        return False
    first = rows[0].texts
    if not all(first[1:]) or any(char.isdigit() for text in first for char in text):
        return False
    if any(len(text.split()) > _FEW_WORDS or text.endswith((".", ";", ",")) for text in first):
        return False
    rest = [text for row in rows[1:] for text in row.texts if text]
    longer = sum(len(text) for text in rest) / max(len(rest), 1) > 1.3 * sum(map(len, first)) / len(first)
    return longer or any(char.isdigit() for text in rest for char in text)
