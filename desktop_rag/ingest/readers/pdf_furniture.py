"""Headers, footers and page numbers: what stands at the edge of most pages is not part of what any of them says."""

from __future__ import annotations

import re
from collections import defaultdict

from desktop_rag.ingest.readers.pdf_parts import Fragment, PageText

_EDGE = 0.13
_END_NUMBER = re.compile(
    r"^\W*(?:page |seite |p\. ?)?(\d{1,4}|[ivxlc]{1,7})\b|\b(\d{1,4}|[ivxlc]{1,7})\W*$", re.IGNORECASE
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_FEWEST = 3
_SHARE = 0.5

Line = list[Fragment]


def without_furniture(pages: list[PageText]) -> None:
    """Take repeated headers and footers out of ``pages``; a page that has nothing else keeps them."""
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    lines: dict[int, list[tuple[list[tuple[str, int]], Line]]] = {}
    readable = [page for page in pages if page.groups]
    if len(readable) < _FEWEST:
        return
    for page in readable:
        lines[page.number] = [(_keys(line, page), line) for line in _edge_lines(page)]
        for keys, _ in lines[page.number]:
            for key in keys:
                seen[key].add(page.number)
    least = max(_FEWEST, _SHARE * len(readable))
    # left and right pages often differ: each of the two then stands on nearly half of the pages
    least = min(least, max(_FEWEST, 0.4 * len(readable))) if len(readable) >= 6 else least
    common = {key for key, numbers in seen.items() if len(numbers) >= least}
    for page in readable:
        repeated = {id(f) for keys, line in lines[page.number] if common.intersection(keys) for f in line}
        kept = [[f for f in group if id(f) not in repeated] for group in page.groups]
        if any(kept):
            page.groups = [group for group in kept if group]


def _edge_lines(page: PageText) -> list[Line]:
    """The lines at the top and at the bottom of the page as it is shown, from its upright text."""
    height = page.height
    lines: list[Line] = []
    for fragment in sorted(page.groups[0], key=lambda item: item.place.y1):
        if _EDGE * height < fragment.place.y1 and fragment.place.y0 < (1 - _EDGE) * height:
            continue
        if lines and abs(lines[-1][-1].place.y1 - fragment.place.y1) < 0.4 * fragment.size:
            lines[-1].append(fragment)
        else:
            lines.append([fragment])
    return lines


def _keys(line: Line, page: PageText) -> list[tuple[str, int]]:
    """What a line must share with others to be one with them: its words and height, page numbers apart.

    A number at its end is taken for a page number only as its distance from the real one: where the distance is the
    same on most pages it counts pages, and any other number stays.
    """
    text = " ".join(f.text for f in sorted(line, key=lambda item: item.place.x0)).casefold()
    height = round(line[0].place.y1 / max(page.height, 1) * 100)
    keys = [(text, place) for place in (height - 1, height, height + 1)]
    for match in _END_NUMBER.finditer(text):
        group = 1 if match.group(1) else 2
        value = _value(match.group(group))
        if value is not None:
            rest = text[: match.start(group)] + f"#{value - page.number}" + text[match.end(group) :]
            keys.extend((rest, place) for place in (height - 1, height, height + 1))
    return keys


def _value(number: str) -> int | None:
    if number.isdigit():
        return int(number)
    values = [_ROMAN[char] for char in number]
    return sum(-v if v < max(values[i + 1 :], default=0) else v for i, v in enumerate(values))
