"""The content of OpenDocument files as blocks: texts, spreadsheets and presentations."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from desktop_rag.core.types import Block, ElementKind
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.delimited import has_header
from desktop_rag.ingest.readers.odf_nodes import (
    CHART,
    DRAW,
    OFFICE,
    PRESENTATION,
    STYLE,
    SVG,
    TABLE,
    TEXT,
    XLINK,
    cells_of,
    paragraphs_text,
    visible_text,
)
from desktop_rag.ingest.readers.office import parse_xml
from desktop_rag.ingest.readers.sheet_blocks import sheet_blocks

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTAINERS = frozenset(
    {f"{TEXT}section", f"{TEXT}numbered-paragraph", f"{DRAW}text-box", f"{DRAW}g", f"{DRAW}a", f"{TABLE}shapes"}
)
_SHAPES = frozenset({f"{DRAW}{name}" for name in ("custom-shape", "rect", "ellipse", "circle", "polygon", "path")})
_FURNITURE = frozenset({"date-time", "footer", "header", "page-number", "page"})
_DEEPEST = 60


@dataclass
class OdfBody:
    """Walks through ``content`` (the root of content.xml) of ``package``; what it yields stands on ``page``."""

    package: zipfile.ZipFile
    content: _Element
    page: int = 0
    parents: dict[str, str] = field(default_factory=dict)
    unseen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for style in self.content.iter(f"{STYLE}style"):
            name = style.get(f"{STYLE}name", "")
            self.parents[name] = style.get(f"{STYLE}parent-style-name", "")
            for properties in style:
                hidden = properties.get(f"{TABLE}display") == "false"
                if hidden or properties.get(f"{PRESENTATION}visibility") == "hidden":
                    self.unseen.add(name)

    def text(self) -> list[Block]:
        """Return the blocks of a text document."""
        return [block for root in self.content.iter(f"{OFFICE}text") for block in self._blocks(root, 0)]

    def sheets(self) -> list[list[Block]]:
        """Return the blocks of each sheet of a spreadsheet, on the page of its number."""
        return [
            list(self._sheet(table)) for book in self.content.iter(f"{OFFICE}spreadsheet") for table in _tables(book)
        ]

    def slides(self) -> list[list[Block]]:
        """Return the blocks of each slide of a presentation, on the page of its number."""
        return [list(self._slide(slide)) for slide in self.content.iter(f"{DRAW}page")]

    def _sheet(self, table: _Element) -> Iterator[Block]:
        self.page += 1
        hidden = " (hidden sheet)" if table.get(f"{TABLE}style-name", "") in self.unseen else ""
        cells = cells_of(table)
        yield from sheet_blocks(table.get(f"{TABLE}name", "") + hidden, cells.rows, cells.merges, self.page)
        for frame in table.iter(f"{DRAW}frame"):
            yield from self._frame(frame, 0)
        for note in table.iter(f"{OFFICE}annotation"):
            text = " ".join(filter(None, map(visible_text, note.iter(f"{TEXT}p"))))
            if text:
                yield Block(ElementKind.TEXT, f"Note: {text}", self.page)

    def _slide(self, slide: _Element) -> Iterator[Block]:
        self.page += 1
        shapes = [node for node in slide if node.get(f"{PRESENTATION}class") not in _FURNITURE]
        title = next((node for node in shapes if node.get(f"{PRESENTATION}class") == "title"), None)
        named = " ".join(paragraphs_text(title).split()) if title is not None else ""
        content = [block for node in shapes if node is not title for block in self._node(node, 0)]
        notes = [block for node in slide.iter(f"{PRESENTATION}notes") for block in self._notes(node)]
        hidden = " (hidden slide)" if slide.get(f"{DRAW}style-name", "") in self.unseen else ""
        if named or content or notes:
            yield Block(ElementKind.TEXT, (named or f"Slide {self.page}") + hidden, self.page, level=1)
        yield from content
        yield from notes

    def _notes(self, notes: _Element) -> Iterator[Block]:
        frames = [node for node in notes if node.get(f"{PRESENTATION}class") == "notes"]
        blocks = [block for frame in frames for block in self._node(frame, 0)]
        if blocks:
            yield Block(ElementKind.TEXT, "Notes", self.page, level=2)
        yield from blocks

    def _blocks(self, parent: _Element, depth: int) -> Iterator[Block]:
        for node in parent:
            yield from self._node(node, depth)

    def _node(self, node: _Element, depth: int) -> Iterator[Block]:
        if depth > _DEEPEST:
            return
        if node.tag in (f"{TEXT}p", f"{TEXT}h"):
            yield from self._paragraph(node, depth)
        elif node.tag == f"{TEXT}list":
            yield from self._list(node, depth)
        elif node.tag == f"{TABLE}table":
            yield from self._table(node, depth)
        elif node.tag == f"{DRAW}frame":
            yield from self._frame(node, depth)
        elif node.tag in _CONTAINERS or node.tag in _SHAPES:
            yield from self._blocks(node, depth + 1)

    def _paragraph(self, node: _Element, depth: int) -> Iterator[Block]:
        text = visible_text(node)
        if text:
            yield self._text_block(node, text)
        for inner in node.iter(f"{DRAW}frame", *_SHAPES):
            if next(inner.iterancestors(f"{TEXT}p", f"{TEXT}h"), None) is node:
                yield from self._node(inner, depth + 1)
        for note in node.iter(f"{TEXT}note-body"):
            body = " ".join(filter(None, map(visible_text, note.iter(f"{TEXT}p"))))
            if body:
                yield Block(ElementKind.TEXT, f"Footnote: {body}", self.page)

    def _text_block(self, node: _Element, text: str) -> Block:
        styles = self._styles(node.get(f"{TEXT}style-name", ""))
        if node.tag == f"{TEXT}h" or "title" in styles:
            level = node.get(f"{TEXT}outline-level", "1")
            level_number = min(6, max(1, int(level))) if level.isdigit() else 1
            return Block(ElementKind.TEXT, text.replace("\n", " "), self.page, level=level_number)
        if any("preformatted" in style for style in styles):
            return Block(ElementKind.CODE, text, self.page)
        return Block(ElementKind.TEXT, text, self.page)

    def _styles(self, name: str) -> list[str]:
        """Return the names of a style and of those that it is based on, in lower case."""
        chain: list[str] = []
        while name and name not in chain and len(chain) < 20:
            chain.append(name)
            name = self.parents.get(name, "")
        return [style.lower() for style in chain]

    def _list(self, node: _Element, depth: int, indent: int = 0) -> Iterator[Block]:
        for item in node:
            marker = "" if item.tag == f"{TEXT}list-header" else "• "
            for child in item:
                if child.tag == f"{TEXT}list" and depth < _DEEPEST:
                    yield from self._list(child, depth + 1, indent + 1)
                    continue
                for block in self._node(child, depth + 1):
                    if marker and block.kind is ElementKind.TEXT and not block.level:
                        dash = f"{'  ' * indent}- {block.text}"
                        yield Block(block.kind, marker + block.text, self.page, markdown=dash)
                        marker = ""
                    else:
                        yield block

    def _table(self, node: _Element, depth: int) -> Iterator[Block]:
        cells = cells_of(node)
        rows = [list(cells.rows[at]) for at in sorted(cells.rows)]
        for merge in cells.merges:
            for at in range(merge.top + 1, merge.bottom):
                if at in cells.rows:
                    row = rows[sorted(cells.rows).index(at)]
                    row.extend([""] * (merge.left + 1 - len(row)))
                    row[merge.left] = cells.rows[merge.top][merge.left]
        if max((len(row) for row in rows), default=0) < 2:
            for cell in node.iter(f"{TABLE}table-cell"):
                yield from self._blocks(cell, depth + 1)
            return
        block = Grid.of(rows, has_header=len(rows) > 1 and (cells.header_rows > 0 or has_header(rows))).block()
        yield Block(block.kind, block.text, self.page, markdown=block.markdown)

    def _frame(self, frame: _Element, depth: int) -> Iterator[Block]:
        """Yield what is in a frame: a text box, a table, a chart, or the description of a picture."""
        for child in frame:
            if child.tag == f"{DRAW}text-box":
                yield from self._blocks(child, depth + 1)
            elif child.tag == f"{TABLE}table":
                yield from self._table(child, depth + 1)
            elif child.tag == f"{DRAW}object":
                yield from self._chart(child.get(f"{XLINK}href", ""))
        yield from self._picture(frame)

    def _picture(self, frame: _Element) -> Iterator[Block]:
        """Yield the picture of a frame with what the file says of it. Of several forms the first is the best one."""
        said = (node for node in frame if node.tag in (f"{SVG}title", f"{SVG}desc"))
        lines = [text for node in said if " " in (text := " ".join((node.text or "").split()))]
        places = [child.get(f"{XLINK}href", "").removeprefix("./") for child in frame if child.tag == f"{DRAW}image"]
        part = next((place for place in places if place in self.package.namelist()), "")
        drawn = any(child.tag in (f"{DRAW}object", f"{DRAW}text-box", f"{TABLE}table") for child in frame)
        picture = self.package.read(part) if part and not drawn else b""
        if lines or picture:
            yield Block(ElementKind.FIGURE, "\n".join(dict.fromkeys(lines)), self.page, picture=picture)

    def _chart(self, place: str) -> Iterator[Block]:
        """Yield a chart with the numbers that it is drawn from; they lie in its own part of the package."""
        part = f"{place.removeprefix('./').strip('/')}/content.xml"
        if part not in self.package.namelist():
            return
        root = parse_xml(self.package.read(part))
        chart = next(root.iter(f"{CHART}chart"), None)
        table = next(root.iter(f"{TABLE}table"), None)
        if chart is None or table is None:
            return
        cells = cells_of(table)
        grid = Grid.of([cells.rows[at] for at in sorted(cells.rows)])
        if not grid.rows:
            return
        kind = chart.get(f"{CHART}class", "").rsplit(":", 1)[-1] or "chart"
        title = next((paragraphs_text(node) for node in chart.findall(f"{CHART}title")), "")
        axes = [text for node in chart.iter(f"{CHART}axis") if (text := paragraphs_text(node))]
        head = f"{kind.capitalize()} chart: {title}" if title else f"{kind.capitalize()} chart"
        lines = [head, *([f"Axes: {'; '.join(axes)}"] if axes else []), *grid.lines()]
        yield Block(ElementKind.FIGURE, "\n".join(lines), self.page, markdown=grid.markdown())


def _tables(book: _Element) -> list[_Element]:
    return [node for node in book if node.tag == f"{TABLE}table"]
