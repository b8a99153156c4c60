"""Reading order by column: a page is cut into bands, bands into columns, columns into bands again, and so on.

The idea is the recursive XY-cut (Nagy and Seth 1984), with two changes: bands are the longest stretches through which
a gutter of white runs, so that headings across the page do not hide the columns; and a gutter counts only between
columns of prose, or of lines that do not stand level, so that the rows of a table stay whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from desktop_rag.ingest.readers.pdf_parts import Fragment

Interval = tuple[float, float]
_DEEPEST = 12


def in_reading_order(fragments: list[Fragment], depth: int = 0) -> list[list[Fragment]]:
    """Return ``fragments`` as regions in the order in which they are read; no region has columns left in it."""
    if len(fragments) < 4 or depth > _DEEPEST:
        return [fragments] if fragments else []
    gap = max(4.0, 0.5 * median(fragment.size for fragment in fragments))
    regions: list[list[Fragment]] = []
    plain: list[Fragment] = []
    for band in _bands(_strips(fragments), gap):
        columns = _columns(band, gap)
        if len(columns) == 1:
            plain.extend(columns[0])
            continue
        if plain:
            regions.append(plain)
            plain = []
        for column in columns:
            regions.extend(in_reading_order(column, depth + 1))
    if plain:
        regions.append(plain)
    return regions


@dataclass(slots=True)
class _Strip:
    """Fragments that no level line across the region can part."""

    fragments: list[Fragment]

    def free(self, gap: float) -> list[Interval]:
        """The white intervals between its fragments, those outside them included."""
        return _free(self.fragments, gap)


def _strips(fragments: list[Fragment]) -> list[_Strip]:
    strips: list[_Strip] = []
    bottom = float("-inf")
    for fragment in sorted(fragments, key=lambda item: item.core):
        top, base = fragment.core
        if top >= bottom:
            strips.append(_Strip([]))
        strips[-1].fragments.append(fragment)
        bottom = max(bottom, base)
    return strips


def _free(fragments: list[Fragment], gap: float) -> list[Interval]:
    free: list[Interval] = []
    right = float("-inf")
    for x0, x1 in sorted((fragment.box.x0, fragment.box.x1) for fragment in fragments):
        if x0 - right >= gap:
            free.append((right, x0))
        right = max(right, x1)
    free.append((right, float("inf")))
    return free


def _common(first: list[Interval], second: list[Interval], gap: float) -> list[Interval]:
    pairs = ((max(a0, b0), min(a1, b1)) for a0, a1 in first for b0, b1 in second)
    return [(x0, x1) for x0, x1 in pairs if x1 - x0 >= gap]


def _inner(free: list[Interval]) -> list[Interval]:
    return [(x0, x1) for x0, x1 in free if x0 != float("-inf") and x1 != float("inf")]


def _bands(strips: list[_Strip], gap: float) -> list[list[Fragment]]:
    """Group strips into the longest stretches through which a gutter runs; other strips stay by themselves."""
    bands: list[list[Fragment]] = []
    at = 0
    while at < len(strips):
        end = _band_end(strips, at, gap)
        band = [fragment for strip in strips[at:end] for fragment in strip.fragments]
        if end - at > 1:
            _take_heads(bands, band, gap)
        bands.append(band)
        at = end
    return bands


def _take_heads(bands: list[list[Fragment]], band: list[Fragment], gap: float) -> None:
    """Move what stands closely above a column other than the first, a heading as a rule, into the band below it."""
    lefts = _column_lefts(band, gap)[1:]
    while bands:
        above = bands[-1]
        top, size = min(f.core[0] for f in band), max(f.size for f in above)
        inside = any(all(x0 - 3 <= f.box.x0 and f.box.x1 <= x1 + 3 for f in above) for x0, x1 in lefts)
        if not inside or top - max(f.base for f in above) > 2.5 * size:
            return
        band.extend(bands.pop())


def _band_end(strips: list[_Strip], start: int, gap: float) -> int:
    """Return the strip after the band that begins at ``start``: it ends at the last strip on both sides of a gutter."""
    free = strips[start].free(gap)
    gutters = _inner(free)
    if not gutters:
        return start + 1
    end = start + 1
    for index in range(start + 1, len(strips)):
        own = strips[index].free(gap)
        free = _common(free, own, gap)
        gutters = _inner(free) if len(_inner(free)) else []
        if not gutters:
            break
        if any(_on_both_sides(strips[index].fragments, gutter) for gutter in gutters):
            end = index + 1
    return _with_tail(strips, start, end, gap)


def _on_both_sides(fragments: list[Fragment], gutter: Interval) -> bool:
    left = any(fragment.box.x1 <= gutter[0] + 0.1 for fragment in fragments)
    return left and any(fragment.box.x0 >= gutter[1] - 0.1 for fragment in fragments)


def _with_tail(strips: list[_Strip], start: int, end: int, gap: float) -> int:
    """Let a column that is longer than its neighbours keep its last lines: they follow closely and stay within it."""
    band = [fragment for strip in strips[start:end] for fragment in strip.fragments]
    lefts = _column_lefts(band, gap)
    while end < len(strips):
        above, below = strips[end - 1].fragments, strips[end].fragments
        leading = min(f.base for f in below) - max(f.base for f in above)
        size = max(f.size for f in below)
        column = next((i for i, (x0, x1) in enumerate(lefts) if all(x0 - 3 <= f.box.x0 <= x1 for f in below)), None)
        fits = column is not None and all(f.box.x1 <= lefts[column][1] + 3 for f in below)
        if not fits or leading > 1.5 * size:
            return end
        end += 1
    return end


def _column_lefts(band: list[Fragment], gap: float) -> list[Interval]:
    gutters = _inner(_free(band, gap))
    edges = [min(f.box.x0 for f in band), *(x for gutter in gutters for x in gutter), max(f.box.x1 for f in band)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _columns(band: list[Fragment], gap: float) -> list[list[Fragment]]:
    """Cut a band at those gutters that part columns; returns one column where the band has none."""
    columns: list[list[Fragment]] = []
    for x0, x1 in _column_lefts(band, gap):
        column = [fragment for fragment in band if x0 - 0.1 <= fragment.box.x0 and fragment.box.x1 <= x1 + 0.1]
        if columns and not _apart(columns[-1], column):
            columns[-1] = columns[-1] + column
        elif column:
            columns.append(column)
    return columns


def _apart(left: list[Fragment], right: list[Fragment]) -> bool:
    """Say whether two neighbours are read one after the other, and not row by row."""
    left_lines, right_lines = _lines(left), _lines(right)
    fewer = min(len(left_lines), len(right_lines))
    if fewer < 2:
        return False
    prose = _is_prose(left_lines) + _is_prose(right_lines)
    if prose == 2:
        return True
    if prose == 0 and not (_is_wordy(left_lines) and _is_wordy(right_lines)):
        return False  # labels and their values, in a chart or a loose table
    return _level_share(left_lines, right_lines) < 0.5


def _lines(fragments: list[Fragment]) -> list[list[Fragment]]:
    lines: list[list[Fragment]] = []
    for fragment in sorted(fragments, key=lambda item: item.base):
        if lines and fragment.base - lines[-1][-1].base < 0.3 * fragment.size:
            lines[-1].append(fragment)
        else:
            lines.append([fragment])
    return lines


def _is_prose(lines: list[list[Fragment]]) -> bool:
    """Prose fills its column with lines of several words; cells are short or full of numbers."""
    if len(lines) < 3 or not _is_wordy(lines, 3):
        return False
    width = max(f.box.x1 for line in lines for f in line) - min(f.box.x0 for line in lines for f in line)
    return median(sum(f.box.x1 - f.box.x0 for f in line) for line in lines) >= 0.6 * width


def _is_wordy(lines: list[list[Fragment]], least: int = 2) -> bool:
    """Say whether the lines are mostly letters, in ``least`` words or more each."""
    texts = [" ".join(fragment.text for fragment in line) for line in lines]
    whole = "".join(texts)
    if sum(map(str.isalpha, whole)) < 0.7 * (len(whole) - whole.count(" ")):
        return False
    return median(max(len(text.split()), sum(char > "\u2e80" for char in text) // 3) for text in texts) >= least


def _level_share(left: list[list[Fragment]], right: list[list[Fragment]]) -> float:
    """The share of lines of the side with fewer lines that have one on the other side at the same height."""
    fewer, more = sorted((left, right), key=len)
    heights = [line[0].base for line in more]
    level = sum(1 for line in fewer if any(abs(line[0].base - y) < 0.2 * line[0].size for y in heights))
    return level / len(fewer)
