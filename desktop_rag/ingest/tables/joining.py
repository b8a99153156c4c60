"""Tables that go on over the end of a page, put together again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from desktop_rag.ingest.tables.captions import is_caption
from desktop_rag.ingest.tables.found import FoundTable
from desktop_rag.ingest.tables.pages import PageTable

_CONTINUED = re.compile(r"\W*\b(?:cont(?:inued|'d|d|\.)?|Fortsetzung|Forts\.|suite)\b[\s.]*\d*\W*", re.IGNORECASE)
_SPACES = re.compile(r"\W+")
_FURNITURE = 30
_ALIGNED = 8.0
_ALIKE = 0.75


def join_pages(found: Sequence[PageTable]) -> tuple[FoundTable, ...]:
    """Return the tables of a file, those that go on over several pages as one; ``found`` is in the order of pages."""
    joined: list[FoundTable] = []
    last: PageTable | None = None
    for index, current in enumerate(found):
        previous = found[index - 1] if index else None
        if last is not None and previous is last and _goes_on(last, current, joined[-1]):
            joined[-1] = _put_together(joined[-1], current.table)
        else:
            joined.append(current.table)
        last = current
    return tuple(joined)


def _goes_on(last: PageTable, current: PageTable, whole: FoundTable) -> bool:
    """Say whether ``current`` is the next part of ``whole``, the last part of which is ``last``."""
    if current.table.page != last.table.page + 1 or current.turn != last.turn:
        return False
    if len(current.columns) != len(last.columns) or not _captions_agree(whole.caption, current.table.caption):
        return False
    if current.before > _FURNITURE or last.after > 2 * _FURNITURE:
        return False
    same_header = bool(_repeats(whole, current.table))
    if whole.header_rows and current.table.header_rows:
        return same_header
    if current.table.header_rows and not same_header:
        return False
    continued = bool(_CONTINUED.search(current.table.caption))
    return (continued or not is_caption(current.table.caption)) and _line_up(last, current)


def _captions_agree(first: str, second: str) -> bool:
    if not second or not first:
        return True
    left, right = (_SPACES.sub("", _CONTINUED.sub(" ", text)).casefold() for text in (first, second))
    shorter, longer = sorted((left, right), key=len)
    return longer.startswith(shorter) or not (is_caption(first) or is_caption(second))


def _repeats(whole: FoundTable, part: FoundTable) -> int:
    """Return how many rows of ``part`` say the header again: the very rows, or a header of nearly the same words."""
    count = whole.header_rows
    if not count:
        return 0
    rows = zip(part.rows[:count], whole.rows[:count], strict=False)
    if len(part.rows) > count and all(_key(a) == _key(b) for a, b in rows):
        return count
    first, second = _words(whole), _words(part)
    alike = len(first & second) >= _ALIKE * len(first | second)
    return part.header_rows if part.header_rows and alike else 0


def _words(table: FoundTable) -> set[str]:
    return {word for name in table.header for word in name.casefold().split()}


def _key(header: Sequence[str]) -> tuple[str, ...]:
    return tuple(_SPACES.sub("", name).casefold() for name in header)


def _line_up(last: PageTable, current: PageTable) -> bool:
    """Columns line up if their left edges, right edges or centres do, those of the labels apart."""
    pairs = zip(last.columns[1:], current.columns[1:], strict=True)
    return all(min(abs(a[0] - b[0]), abs(a[1] - b[1]), abs(a[0] + a[1] - b[0] - b[1]) / 2) < _ALIGNED for a, b in pairs)


def _put_together(whole: FoundTable, part: FoundTable) -> FoundTable:
    """Add the rows of the next page; a header that is said again is left out."""
    skip = _repeats(whole, part)
    return replace(
        whole,
        rows=whole.rows + part.rows[skip:],
        places=whole.places + part.places[skip:],
        said_again=whole.said_again + part.places[:skip],
        unit=whole.unit or part.unit,
    )
