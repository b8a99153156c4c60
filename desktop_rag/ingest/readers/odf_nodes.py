"""The XML of OpenDocument files: names, visible text, styles, and tables as rows of cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop_rag.ingest.readers.sheet_blocks import MOST_CELLS, Merge

if TYPE_CHECKING:
    from lxml.etree import _Element

_BASE = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE = f"{{{_BASE}office:1.0}}"
TEXT = f"{{{_BASE}text:1.0}}"
TABLE = f"{{{_BASE}table:1.0}}"
DRAW = f"{{{_BASE}drawing:1.0}}"
STYLE = f"{{{_BASE}style:1.0}}"
PRESENTATION = f"{{{_BASE}presentation:1.0}}"
CHART = f"{{{_BASE}chart:1.0}}"
SVG = f"{{{_BASE}svg-compatible:1.0}}"
FO = f"{{{_BASE}xsl-fo-compatible:1.0}}"
XLINK = "{http://www.w3.org/1999/xlink}"

_UNSEEN = frozenset(
    {
        f"{TEXT}note",
        f"{TEXT}hidden-text",
        f"{TEXT}hidden-paragraph",
        f"{TEXT}ruby-text",
        f"{TEXT}tracked-changes",
        f"{OFFICE}annotation",
        f"{OFFICE}annotation-end",
        f"{DRAW}frame",
        f"{DRAW}custom-shape",
        f"{DRAW}g",
    }
)
_ROW_PARENTS = frozenset(
    {f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group", "shapes")}
)
_MOST_COPIES = 1000
_WIDEST = 16_384


@dataclass(frozen=True, slots=True)
class Cells:
    """A table: its filled rows by their index, its merged cells, and how many rows at the top are marked as header."""

    rows: Mapping[int, list[str]]
    merges: tuple[Merge, ...]
    header_rows: int


def visible_text(node: _Element) -> str:
    """Return the text of a paragraph as it is seen: without notes and comments, with its line breaks."""
    lines = "".join(_pieces(node)).split("\v")
    return "\n".join(" ".join(line.split()) for line in lines).strip()


def _pieces(node: _Element) -> Iterator[str]:
    yield node.text or ""
    for child in node:
        if child.tag in (f"{TEXT}s", f"{TEXT}tab"):
            yield " "
        elif child.tag == f"{TEXT}line-break":
            yield "\v"
        elif isinstance(child.tag, str) and child.tag not in _UNSEEN:
            yield from _pieces(child)
        yield child.tail or ""


def paragraphs_text(node: _Element) -> str:
    """Return the texts of the paragraphs of a cell or frame, one line each; those of comments are left out."""
    lines = [
        visible_text(line)
        for line in node.iter(f"{TEXT}p", f"{TEXT}h")
        if not any(parent.tag in (f"{OFFICE}annotation", f"{TEXT}note") for parent in line.iterancestors())
    ]
    return "\n".join(line for line in lines if line)


def cells_of(table: _Element) -> Cells:
    """Return the cells of a table. What is repeated blankly, to the end of the sheet, is not unrolled."""
    rows: dict[int, list[str]] = {}
    merges: list[Merge] = []
    at = header_rows = filled = 0
    for row in _rows(table):
        if filled > MOST_CELLS:
            break
        texts, spans = _row(row)
        copies = _number(row, f"{TABLE}number-rows-repeated")
        if any(texts):
            for copy in range(min(copies, _MOST_COPIES)):
                rows[at + copy] = list(texts)
                filled += len(texts)
            merges += [Merge(at, left, at + height, left + width) for left, width, height in spans]
        parent = row.getparent()
        if parent is not None and parent.tag == f"{TABLE}table-header-rows":
            header_rows = at + copies
        at += copies
    return Cells(rows, tuple(merges), header_rows)


def _rows(node: _Element) -> Iterator[_Element]:
    for child in node:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif child.tag in _ROW_PARENTS:
            yield from _rows(child)


def _row(row: _Element) -> tuple[list[str], list[tuple[int, int, int]]]:
    """Return the texts of a row and its merged cells as (column, width, height)."""
    texts: list[str] = []
    spans: list[tuple[int, int, int]] = []
    column = 0
    for cell in row:
        if cell.tag not in (f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
            continue
        copies = min(_number(cell, f"{TABLE}number-columns-repeated"), _WIDEST)
        text = _cell_text(cell) if cell.tag == f"{TABLE}table-cell" else ""
        width, height = (_number(cell, f"{TABLE}number-{name}-spanned") for name in ("columns", "rows"))
        if text:
            texts += [""] * (column - len(texts)) + [text] * min(copies, _MOST_COPIES)
            if width > 1 or height > 1:
                spans.append((column, width, height))
        column += copies
    return texts, spans


def _cell_text(cell: _Element) -> str:
    """Return what a cell shows; dates in ISO form."""
    moment = str(cell.get(f"{OFFICE}date-value", ""))
    if moment:
        return moment.removesuffix("T00:00:00").replace("T", " ")
    return paragraphs_text(cell) or str(cell.get(f"{OFFICE}string-value") or cell.get(f"{OFFICE}value", ""))


def _number(node: _Element, name: str) -> int:
    value = node.get(name, "1")
    return max(1, int(value)) if value.isdigit() else 1
