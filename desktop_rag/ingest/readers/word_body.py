"""The body of a Word document as blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from desktop_rag.core.types import Block, ElementKind
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.chart_xml import chart_block
from desktop_rag.ingest.readers.delimited import has_header
from desktop_rag.ingest.readers.modern_chart import MODERN
from desktop_rag.ingest.readers.office import FILE_NAME, parse_xml

if TYPE_CHECKING:
    from docx.document import Document

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_PARAGRAPH, _TABLE, _ROW, _CELL = f"{_W}p", f"{_W}tbl", f"{_W}tr", f"{_W}tc"
_CONTAINERS = frozenset({f"{_W}sdt", f"{_W}sdtContent", f"{_W}customXml", f"{_W}ins", f"{_W}smartTag"})
_SKIPPED = frozenset({f"{_W}pPr", f"{_W}del", f"{_W}moveFrom", f"{_W}txbxContent", f"{_W}instrText", _FALLBACK})
_CHARACTERS = {
    f"{_W}tab": "\t",
    f"{_W}ptab": "\t",
    f"{_W}br": "\n",
    f"{_W}cr": "\n",
    f"{_W}noBreakHyphen": "-",
    f"{_W}softHyphen": "",
}
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|rubrik) ?([1-9])")
_CONTENTS_LINE = re.compile(r"\S[^\n]*\t *[\divxlc]+(?:[-.–]\d+)?$", re.IGNORECASE)
_SHORTEST_CONTENTS = 4
_BULLET = "bullet"
_WIDEST_SPAN = 200


def body_blocks(document: Document) -> list[Block]:
    """Return paragraphs, headings, list items and tables in the order in which they stand.

    Tables of contents are left out: they name every subject of the document and tell nothing about any.
    """
    found = list(_Body(document).blocks(document.element.body))
    kept: list[Block] = []
    for in_contents, group in groupby(found, key=lambda block: bool(_CONTENTS_LINE.search(block.text))):
        run = list(group)
        if not in_contents or len(run) < _SHORTEST_CONTENTS:
            kept += run
    return kept


@dataclass(frozen=True, slots=True)
class _Style:
    """What counts of a paragraph style: its heading level (0: none), its list (numId, ilvl) or None, listing or not."""

    level: int
    numbering: tuple[str, int] | None
    contents: bool
    code: bool


@dataclass
class _Body:
    document: Document
    styles: dict[str, _Style] = field(default_factory=dict)
    formats: dict[tuple[str, int], str] = field(default_factory=dict)
    counters: dict[tuple[str, int], int] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.styles = {style.style_id: _style(style) for style in self.document.styles if style.type == 1}
        self.formats = _list_formats(self.document)
        self.notes = _footnotes(self.document)

    def blocks(self, container: Any) -> Iterator[Block]:
        for node in _children(container):
            if node.tag == _PARAGRAPH:
                yield from self._paragraph(node)
            elif node.tag == _TABLE:
                yield from self._table(node)

    def _paragraph(self, node: Any) -> Iterator[Block]:
        style = self.styles.get(_attribute(node, "pPr/pStyle"), _Style(0, None, False, False))
        text = _text(node).strip("\n").rstrip()
        if text.strip() and not style.contents:
            yield self._text_block(node, style, text)
        for box in _outermost(node, f"{_W}txbxContent"):
            yield from self.blocks(box)
        yield from self._figures(node)
        for reference in node.iter(f"{_W}footnoteReference"):
            note = self.notes.get(reference.get(f"{_W}id", ""), "")
            if note:
                yield Block(ElementKind.TEXT, f"Footnote: {note}")

    def _figures(self, node: Any) -> Iterator[Block]:
        """Yield the charts of a paragraph, and the descriptions of its pictures unless they are names of files."""
        for anchor in _outermost(node, f"{_DRAWING}inline", f"{_DRAWING}anchor"):
            for chart in anchor.iter(f"{_CHART}chart", f"{MODERN}chart"):
                part = self.document.part.related_parts.get(chart.get(f"{_R}id", ""))
                block = chart_block(parse_xml(part.blob)) if part is not None else None
                if block is not None:
                    yield block
            properties = anchor.find(f"{_DRAWING}docPr")
            text = " ".join(properties.get("descr", "").split()) if properties is not None else ""
            text = text if " " in text and not FILE_NAME.search(text) else ""
            picture = self._picture(anchor)
            if text or picture:
                yield Block(ElementKind.FIGURE, text, picture=picture)

    def _picture(self, anchor: Any) -> bytes:
        """Return the bytes of the picture that is drawn in a place; a linked one is not in the file."""
        blip = next(anchor.iter(f"{_A}blip"), None)
        part = self.document.part.related_parts.get(blip.get(f"{_R}embed", "")) if blip is not None else None
        return bytes(part.blob) if part is not None else b""

    def _text_block(self, node: Any, style: _Style, text: str) -> Block:
        outline = _attribute(node, "pPr/outlineLvl")
        level = int(outline) + 1 if outline.isdigit() and int(outline) < 9 else style.level
        if level:
            return Block(ElementKind.TEXT, " ".join(text.split()), level=min(level, 6))
        if style.code:
            return Block(ElementKind.CODE, text)
        marker, depth = self._marker(node, style)
        shown = marker + text.strip()
        markdown = "  " * depth + shown.replace("• ", "- ", 1) if marker else ""
        return Block(ElementKind.TEXT, shown, markdown=markdown)

    def _marker(self, node: Any, style: _Style) -> tuple[str, int]:
        """Return the bullet or number before a list item, and how deep the list is."""
        number, depth = style.numbering or ("0", 0)
        number = _attribute(node, "pPr/numPr/numId") or number
        own_depth = _attribute(node, "pPr/numPr/ilvl")
        depth = int(own_depth) if own_depth.isdigit() else depth
        if number == "0":
            return "", 0
        kind = self.formats.get((number, depth), _BULLET)
        count = self.counters[(number, depth)] = self.counters.get((number, depth), 0) + 1
        for other, deeper in list(self.counters):
            if other == number and deeper > depth:
                del self.counters[(other, deeper)]
        if kind == "none":
            return "", 0
        return ("• " if kind == _BULLET else f"{_numeral(count, kind)}. "), depth

    def _table(self, node: Any) -> Iterator[Block]:
        rows = [row for row in _children(node) if row.tag == _ROW]
        grid = [_row(row) for row in rows]
        _fill_merged(grid)
        texts = [[cell or "" for cell in row] for row in grid]
        if max((len(row) for row in texts), default=0) < 2:
            for row in rows:
                for cell in _children(row):
                    yield from self.blocks(cell)
            return
        marked = bool(rows) and rows[0].find(f"{_W}trPr/{_W}tblHeader") is not None
        yield Grid.of(texts, has_header=len(texts) > 1 and (marked or has_header(texts))).block()


def _children(node: Any) -> Iterator[Any]:
    """Yield the children of a node, with those of content controls and tracked insertions in their place."""
    stack = list(reversed(node))
    while stack:
        child = stack.pop()
        if child.tag in _CONTAINERS:
            stack.extend(reversed(child))
        else:
            yield child


def _text(paragraph: Any) -> str:
    """Return the visible text of a paragraph, without deleted and hidden runs and without text boxes."""
    parts: list[str] = []
    stack = list(reversed(paragraph))
    while stack:
        node = stack.pop()
        if node.tag in _SKIPPED or (node.tag == f"{_W}r" and _is_on(node, "rPr/vanish")):
            continue
        if node.tag == f"{_W}t":
            parts.append(node.text or "")
        elif node.tag in _CHARACTERS:
            parts.append(_CHARACTERS[node.tag])
        else:
            stack.extend(reversed(node))
    return "".join(parts)


def _row(row: Any) -> list[str | None]:
    """Return the texts of a row's cells; None stands for a cell that continues the one above it."""
    cells: list[str | None] = []
    for cell in _children(row):
        if cell.tag != _CELL:
            continue
        across = _attribute(cell, "tcPr/gridSpan")
        merge = cell.find(f"{_W}tcPr/{_W}vMerge")
        goes_on = merge is not None and merge.get(f"{_W}val", "continue") == "continue"
        cells.append(None if goes_on else _cell_text(cell))
        extra = min(int(across), _WIDEST_SPAN) - 1 if across.isdigit() else 0
        cells.extend([None if goes_on else ""] * extra)
    return cells


def _fill_merged(rows: list[list[str | None]]) -> None:
    for above, row in pairwise(rows):
        for index, cell in enumerate(row):
            if cell is None:
                row[index] = above[index] if index < len(above) else ""


def _cell_text(cell: Any) -> str:
    """Return the text of a cell; a table inside it has one line a row."""
    lines: list[str] = []
    for node in _children(cell):
        if node.tag == _PARAGRAPH:
            lines.append(_text(node).strip())
        elif node.tag == _TABLE:
            for row in node.iter(_ROW):
                inner = (" ".join(_text(paragraph).split()) for paragraph in row.iter(_PARAGRAPH))
                lines.append(", ".join(text for text in inner if text))
    return "\n".join(line for line in lines if line)


def _outermost(node: Any, *tags: str) -> Iterator[Any]:
    """Yield the descendants of these tags that are not inside another one, nor in a copy for old programs."""
    stack = list(reversed(node))
    while stack:
        child = stack.pop()
        if child.tag in tags:
            yield child
        elif child.tag != _FALLBACK:
            stack.extend(reversed(child))


def _attribute(node: Any, path: str) -> str:
    """Return the value of the element at ``path`` ("pPr/pStyle"), or "" where there is none."""
    found = node.find("/".join(f"{_W}{step}" for step in path.split("/")))
    return "" if found is None else str(found.get(f"{_W}val", ""))


def _is_on(node: Any, path: str) -> bool:
    found = node.find("/".join(f"{_W}{step}" for step in path.split("/")))
    return found is not None and found.get(f"{_W}val", "1") not in ("0", "false", "off")


def _style(style: Any) -> _Style:
    """Sum up a paragraph style and those that it is based on."""
    chain: list[Any] = []
    while style is not None and len(chain) < 20:
        chain.append(style)
        style = style.base_style
    names = [(entry.name or "").lower() for entry in chain]
    levels = [_level(entry, name) for entry, name in zip(chain, names, strict=True)]
    lists = [_style_list(entry.element) for entry in chain]
    return _Style(
        next(filter(None, levels), 0),
        next(filter(None, lists), None),
        contents=names[0].startswith(("toc ", "table of figures")),
        code=any("code" in name or "preformatted" in name for name in names[:1]),
    )


def _level(style: Any, name: str) -> int:
    named = _HEADING.fullmatch(name)
    if named:
        return int(named.group(1))
    if name == "title":
        return 1
    outline = _attribute(style.element, "pPr/outlineLvl")
    return int(outline) + 1 if outline.isdigit() and int(outline) < 9 else 0


def _style_list(element: Any) -> tuple[str, int] | None:
    number, depth = _attribute(element, "pPr/numPr/numId"), _attribute(element, "pPr/numPr/ilvl")
    return (number, int(depth) if depth.isdigit() else 0) if number else None


def _list_formats(document: Document) -> dict[tuple[str, int], str]:
    """Return the number format ("bullet", "decimal", …) of each list and depth."""
    try:
        root = document.part.numbering_part.element
    except (KeyError, NotImplementedError):
        return {}
    abstract: dict[str, dict[int, str]] = {}
    for definition in root.findall(f"{_W}abstractNum"):
        levels = {
            int(level.get(f"{_W}ilvl", "0")): _attribute(level, "numFmt") for level in definition.iter(f"{_W}lvl")
        }
        abstract[definition.get(f"{_W}abstractNumId", "")] = levels
    formats = {}
    for instance in root.findall(f"{_W}num"):
        for depth, kind in abstract.get(_attribute(instance, "abstractNumId"), {}).items():
            formats[(instance.get(f"{_W}numId", ""), depth)] = kind
    return formats


def _footnotes(document: Document) -> dict[str, str]:
    from docx.oxml import parse_xml

    part = next((rel.target_part for rel in document.part.rels.values() if rel.reltype.endswith("/footnotes")), None)
    if part is None:
        return {}
    notes = parse_xml(part.blob).findall(f"{_W}footnote")
    return {
        note.get(f"{_W}id", ""): " ".join(" ".join(_text(line).split()) for line in note.iter(_PARAGRAPH)).strip()
        for note in notes
        if note.get(f"{_W}type") is None
    }


def _numeral(count: int, kind: str) -> str:
    """Return a list number in its format; formats that are rare come out as Arabic numerals."""
    if kind in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (count - 1) % 26) * (1 + (count - 1) // 26)
        return letter if kind == "lowerLetter" else letter.upper()
    if kind in ("lowerRoman", "upperRoman"):
        roman = _roman(count)
        return roman.lower() if kind == "lowerRoman" else roman
    return str(count)


def _roman(count: int) -> str:
    pairs = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
    text = ""
    for value, letters in pairs:
        text += letters * (count // value)
        count %= value
    return text
