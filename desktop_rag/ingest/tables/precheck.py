"""Which pages could hold a table: a cheap look at the words and rulings that MuPDF sees, before the costly one."""

from __future__ import annotations

import re
from typing import Any

_THIN = 3.0
_GAP = 0.9
_MOST_PATHS = 6000
_LEAST_LINES = 3
_FEW_TURNED = 6
_DIGIT = re.compile(r"\d")
_MARK = re.compile(r"[•◦▪●○■□–—*·‣➢✓-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)]")

Word = tuple[float, float, float, float, str]


def may_hold_table(page: Any) -> bool:
    """Say whether a pymupdf page has words, and rulings or level words apart, as the tables of a page have."""
    words = [word[:5] for word in page.get_text("words")]
    if len(words) < 6:
        return False
    paths = [box for kind, box in page.get_bboxlog() if kind in ("fill-path", "stroke-path")]
    if len(paths) > _MOST_PATHS:
        return False  # a map or a drawing: pdfplumber would take minutes for it
    return _has_cells(words) or _has_grid(paths)


def _has_grid(paths: list[tuple[float, float, float, float]]) -> bool:
    """Rulings both ways, or many boxes: a page has a line or two under its header without a table."""
    level = sum(1 for x0, y0, x1, y1 in paths if y1 - y0 < _THIN and x1 - x0 > 20)
    upright = sum(1 for x0, y0, x1, y1 in paths if x1 - x0 < _THIN and y1 - y0 > 6)
    boxes = sum(1 for x0, y0, x1, y1 in paths if x1 - x0 > 15 and y1 - y0 > 6)
    return (level >= 3 and upright >= 2) or boxes >= 4


def _has_cells(words: list[Word]) -> bool:
    """Lines with parts well apart that are not prose side by side: three in one direction of the page are enough."""
    turned = [word for word in words if word[3] - word[1] > 1.3 * (word[2] - word[0]) and len(word[4]) > 2]
    if len(turned) > _FEW_TURNED:
        upright = [(y0, x0, y1, x1, text) for x0, y0, x1, y1, text in words]
        if _lines_with_cells(upright) >= _LEAST_LINES:
            return True
    return _lines_with_cells(words) >= _LEAST_LINES


def _lines_with_cells(words: list[Word]) -> int:
    lines: dict[int, list[Word]] = {}
    for word in words:
        lines.setdefault(round((word[1] + word[3]) / 2 / 3), []).append(word)
    return sum(1 for line in lines.values() if _is_row(sorted(line)))


def _is_row(line: list[Word]) -> bool:
    parts = [[line[0]]] if line else []
    for word in line[1:]:
        size = max(word[3] - word[1], 1.0)
        if word[0] - parts[-1][-1][2] > _GAP * size:
            parts.append([word])
        else:
            parts[-1].append(word)
    if parts and _MARK.fullmatch(parts[0][0][4]) and len(parts[0]) == 1:
        parts = parts[1:]
    if len(parts) < 2:
        return _figures(line) >= 3
    return any(len(part) <= 5 for part in parts)


def _figures(line: list[Word]) -> int:
    """Numbers at the end of a line, one after the other, as in dense tables."""
    count = 0
    for word in reversed(line):
        if not _DIGIT.search(word[4]):
            break
        count += 1
    return count
