"""How blocks look in a print view: the style sheet, and the HTML of text, headings, lists, listings and tables."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from desktop_rag.core.types import Block, ElementKind
from desktop_rag.ingest.grids import Grid, Row

CSS = """
body { margin: 0; font-family: serif; font-size: 10.5px; line-height: 1.4; color: #1c1e22; }
p, h1, h2, h3, h4, h5, h6, pre { overflow-wrap: break-word; }
p { margin: 0 0 7px 0; }
p.item { margin-bottom: 4px; text-indent: -12px; }
p.picture { font-size: 9px; color: #4b5563; margin: 4px 0 9px 0; }
p.right { direction: rtl; text-align: right; }
h1, h2, h3, h4, h5, h6 { font-family: sans-serif; line-height: 1.25; color: #14213d; }
h1 { font-size: 20px; margin: 6px 0 12px 0; }
h2 { font-size: 15px; margin: 16px 0 7px 0; }
h3 { font-size: 12.5px; margin: 13px 0 6px 0; }
h4, h5, h6 { font-size: 11px; margin: 10px 0 5px 0; }
pre { font-family: monospace; font-size: 9px; line-height: 1.35; white-space: pre-wrap; margin: 0 0 9px 0; }
table { border-collapse: collapse; font-family: sans-serif; font-size: 9px; line-height: 1.3; }
td, th { border: 0.6px solid #9aa3af; padding: 3px 5px; text-align: left; vertical-align: top; }
th { background-color: #eef1f5; }
td.number { text-align: right; }
p.footer { font-family: sans-serif; font-size: 7.5px; color: #6b7280; }
"""
CELL_PADDING = 10.9
"""Points that the padding of a table cell on its left and right and one rule take together."""

_LETTER = 4.7
"""The mean width in points of a Latin character in a table, rather more than less."""

_WIDEST_NATURAL = 260.0
_LONGEST_WORD = 16
_SAMPLED_ROWS = 300
_NUMBER = re.compile(r"[-+–−(]?[$€£¥]?\s?\d[\d.,' \u00a0\u202f]*\s?[%)]?")
_LIST_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d+[.)])\s")
_AMPERSAND = re.compile(r"&amp;(?=[#\w])")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\ufeff\ufffe\uffff]|[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return ``text`` without characters that have no shape or would break the layout; tabs become four spaces."""
    return _UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    "))


def text_html(block: Block, identity: str, picture: str = "") -> str:
    """Return the HTML of a block that is no table, with ``identity`` as its id; ``picture`` is a tag that draws it."""
    attributes = f'id="{identity}"'
    if picture:
        below = f"<br/>{_escaped(block.text)}" if block.text else ""
        return f'<p class="picture" {attributes}>{picture}{below}</p>'
    if block.level:
        tag = f"h{min(block.level, 6)}"
        return f"<{tag} {attributes}>{_escaped(block.text)}</{tag}>"
    if block.kind is ElementKind.CODE:
        return f"<pre {attributes}>{_markup(block.text)}</pre>"
    item = _LIST_ITEM.match(block.markdown)
    if item:
        indent = 14 + 14 * min(len(item.group(1)) // 2, 12)
        return f'<p class="item" {attributes} style="margin-left:{indent}px">{_escaped(block.text)}</p>'
    kind = ' class="right"' if _right_to_left(block.text) else ""
    return f"<p{kind} {attributes}>{_escaped(block.text)}</p>"


def footer_html(title: str, page: int) -> str:
    """Return the line at the foot of a page."""
    shown = title if len(title) <= 90 else title[:89] + "…"
    return f'<p class="footer">{_escaped(shown)} · {page}</p>'


@dataclass(frozen=True, slots=True)
class Columns:
    """The widths of a table's columns in points, without padding; ``numeric`` columns are set flush right."""

    widths: tuple[float, ...]
    numeric: tuple[bool, ...]

    @property
    def total(self) -> float:
        """The width of the whole table."""
        return sum(self.widths) + CELL_PADDING * len(self.widths) + 1.0

    def lines(self, row: Row) -> int:
        """Estimate how many lines the row takes."""
        return max(
            (
                sum(1 + int(_width(part) // width) for part in cell.split("\n"))
                for cell, width in zip(row, self.widths, strict=True)
            ),
            default=0,
        )

    def html(self, grid: Grid, rows: Sequence[Row], first: int) -> str:
        """Return the table with the grid's header over ``rows``; the ids are "r" and numbers from ``first``."""
        body = [self._row(row, "td", f' id="r{first + number}"') for number, row in enumerate(rows)]
        head = self._row(grid.header, "th", "") if any(grid.header) else ""
        return f"<table>{head}{''.join(body)}</table>"

    def _row(self, row: Row, tag: str, attributes: str) -> str:
        cells = []
        for cell, width, numeric in zip(row, self.widths, self.numeric, strict=True):
            look = ' class="number"' if numeric and tag == "td" else ""
            cells.append(f'<{tag}{look} style="width:{width:.1f}pt">{_escaped(_breakable(cell, width))}</{tag}>')
        return f"<tr{attributes}>{''.join(cells)}</tr>"


def columns_of(grid: Grid, room: float) -> Columns:
    """Choose the widths of columns: as their content likes where ``room`` points allow it, else by need.

    The table is wider than ``room`` when even its longest words side by side are.
    """
    sample = (grid.header, *grid.rows[:_SAMPLED_ROWS])
    wanted, needed, numeric = [], [], []
    for index in range(len(grid.header)):
        cells = [row[index] for row in sample]
        words = [word[:_LONGEST_WORD] for cell in cells for word in cell.split()]
        need = max((_width(word) for word in words), default=0.0) + _LETTER
        natural = max((_width(line) for cell in cells for line in cell.split("\n")), default=0.0) + _LETTER
        needed.append(need)
        wanted.append(max(need, min(natural, _WIDEST_NATURAL)))
        numeric.append(_is_numeric([cell for cell in cells[1:] if cell]))
    inner = room - CELL_PADDING * len(grid.header) - 1.0
    return Columns(_fitted(wanted, needed, inner), tuple(numeric))


def _fitted(wanted: list[float], needed: list[float], room: float) -> tuple[float, ...]:
    if sum(wanted) <= room:
        return tuple(wanted)
    spare, wish = room - sum(needed), sum(wanted) - sum(needed)
    if spare <= 0 or wish <= 0:
        return tuple(needed)
    return tuple(need + (want - need) * spare / wish for want, need in zip(wanted, needed, strict=True))


def _width(text: str) -> float:
    if text.isascii():
        return len(text) * _LETTER
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return (len(text) + wide) * _LETTER


def _is_numeric(cells: list[str]) -> bool:
    return bool(cells) and sum(bool(_NUMBER.fullmatch(cell)) for cell in cells) >= 0.8 * len(cells)


def _breakable(cell: str, width: float) -> str:
    longest = max(4, int(width / _LETTER))
    if len(cell) <= longest:
        return cell
    return re.sub(rf"\S{{{longest}}}(?=\S)", lambda match: match.group() + "\u200b", cell)


def _escaped(text: str) -> str:
    return _markup(text).replace("\n", "<br/>")


def _markup(text: str) -> str:
    """Return the text as HTML. Story reads entities twice ("&amp;amp;" becomes "&"), so an ampersand is set apart."""
    return _AMPERSAND.sub("&amp;<span></span>", html.escape(text))


def _right_to_left(text: str) -> bool:
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False
