"""What stands on a slide, as blocks: the title first, then the shapes from top to bottom, then the notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from desktop_rag.core.types import Block, ElementKind
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.chart_xml import chart_block
from desktop_rag.ingest.readers.delimited import has_header
from desktop_rag.ingest.readers.modern_chart import MODERN
from desktop_rag.ingest.readers.office import FILE_NAME, parse_xml

if TYPE_CHECKING:
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_FURNITURE = frozenset({"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER"})
_BULLETED = frozenset({"BODY", "OBJECT", "VERTICAL_BODY", "VERTICAL_OBJECT"})
_DEEPEST_GROUP = 30
_LONGEST_TITLE = 90
_LONGEST_LABEL = 60
_LABEL_REACH = 0.25


def slide_blocks(slide: Slide, page: int) -> Iterator[Block]:
    """Yield the blocks of a slide. A slide without a title is headed by its number, a hidden one is named as hidden."""
    shapes = [shape for shape in slide.shapes if not _is_furniture(shape, page)]
    title = slide.shapes.title or _title_by_place(shapes)
    named = _one_line(title.text_frame.text) if title is not None and title.has_text_frame else ""
    content = [
        *_shapes_blocks((shape for shape in shapes if title is None or shape.shape_id != title.shape_id), page),
        *_alternatives(slide, page),
        *_notes(slide, page),
    ]
    hidden = " (hidden slide)" if slide._element.get("show") in ("0", "false") else ""
    if named or content:
        yield Block(ElementKind.TEXT, (named or f"Slide {page}") + hidden, page, level=1)
    yield from content


def _title_by_place(shapes: list[BaseShape]) -> BaseShape | None:
    """Return the topmost shape if it is a short text with others below it: many slides have no marked title."""
    shown = sorted((shape for shape in shapes if shape.top is not None), key=lambda shape: shape.top or 0)
    first = shown[0] if len(shown) > 1 else None
    if first is None or not first.has_text_frame or (first.top or 0) + (first.height or 0) > (shown[1].top or 0):
        return None
    return first if 0 < len(_one_line(first.text_frame.text)) <= _LONGEST_TITLE else None


def _shapes_blocks(shapes: Iterable[BaseShape], page: int, depth: int = 0) -> Iterator[Block]:
    ordered = sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))
    for shape in ordered:
        if _is_furniture(shape, page) or _is_hidden(shape):
            continue
        inner = getattr(shape, "shapes", None)
        if inner is not None and depth < _DEEPEST_GROUP:
            yield from _shapes_blocks(inner, page, depth + 1)
        elif shape.has_text_frame:
            yield from _paragraphs(shape, page)
        elif getattr(shape, "has_table", False):
            yield from _table(shape, page)
        elif getattr(shape, "has_chart", False):
            yield from _chart(shape, ordered, page)
        else:
            yield from _diagram(shape, page)
            yield from _description(shape, page)


def _paragraphs(shape: Any, page: int) -> Iterator[Block]:
    listed = _placeholder(shape) in _BULLETED and len(shape.text_frame.paragraphs) > 1
    for paragraph in shape.text_frame.paragraphs:
        text = "\n".join(" ".join(line.split()) for line in paragraph.text.replace("\v", "\n").split("\n")).strip()
        if not text:
            continue
        if _has_bullet(paragraph, listed):
            yield Block(ElementKind.TEXT, f"• {text}", page, markdown=f"{'  ' * paragraph.level}- {text}")
        else:
            yield Block(ElementKind.TEXT, text, page)


def _has_bullet(paragraph: Any, listed: bool) -> bool:
    properties = paragraph._p.pPr
    if properties is None:
        return listed
    if properties.find(f"{_A}buNone") is not None:
        return False
    return listed or any(properties.find(f"{_A}{mark}") is not None for mark in ("buChar", "buAutoNum", "buBlip"))


def _table(shape: Any, page: int) -> Iterator[Block]:
    table = shape.table
    rows = [[_one_line(cell.text) for cell in row.cells] for row in table.rows]
    for at, row in enumerate(table.rows):
        for column, cell in enumerate(row.cells):
            if cell.is_merge_origin:
                for below in range(at + 1, min(at + cell.span_height, len(rows))):
                    rows[below][column] = rows[at][column]
    if max((len(row) for row in rows), default=0) < 2:
        yield from (Block(ElementKind.TEXT, cell, page) for row in rows for cell in row if cell)
        return
    block = Grid.of(rows, has_header=bool(table.first_row) and has_header(rows)).block()
    if block.text:
        yield Block(block.kind, block.text, page, markdown=block.markdown)


def _chart(shape: Any, others: Iterable[BaseShape], page: int) -> Iterator[Block]:
    block = chart_block(shape.chart._chartSpace, page, _label_above(shape, others))
    if block is not None:
        yield block
    yield from _description(shape, page)


def _label_above(chart: Any, others: Iterable[BaseShape]) -> str:
    """Return the short text that stands nearest to the upper edge of a chart, in its middle: it names the chart."""
    nearest, label = chart.height * _LABEL_REACH, ""
    for shape in others:
        text = _one_line(shape.text_frame.text) if shape.has_text_frame else ""
        if not 0 < len(text) <= _LONGEST_LABEL or shape.top is None:
            continue
        middle = shape.left + shape.width / 2
        distance = abs(chart.top - (shape.top + shape.height / 2))
        if chart.left <= middle <= chart.left + chart.width and distance < nearest:
            nearest, label = distance, text
    return label


def _diagram(shape: Any, page: int) -> Iterator[Block]:
    """Yield the texts of a SmartArt diagram, one paragraph for each of its points."""
    reference = next(shape._element.iter(f"{_DIAGRAM}relIds"), None)
    relation = reference.get(f"{_R}dm", "") if reference is not None else ""
    if relation not in shape.part.rels:
        return
    for point in parse_xml(shape.part.related_part(relation).blob).iter(f"{_DIAGRAM}pt"):
        lines = ("".join(run.text or "" for run in line.iter(f"{_A}t")) for line in point.iter(f"{_A}p"))
        text = "\n".join(" ".join(line.split()) for line in lines if line.strip())
        if text:
            yield Block(ElementKind.FIGURE, text, page)


def _description(shape: Any, page: int) -> Iterator[Block]:
    """Yield a picture with its alternative text, unless that is only the name of a file."""
    properties = next(shape._element.iter(f"{_P}cNvPr"), None)
    text = _one_line(properties.get("descr", "")) if properties is not None else ""
    text = text if " " in text and not FILE_NAME.search(text) else ""
    picture = _picture(shape)
    if text or picture:
        yield Block(ElementKind.FIGURE, text, page, picture=picture)


def _picture(shape: Any) -> bytes:
    """Return the bytes of a picture; a linked one is not in the file."""
    blip = next(shape._element.iter(f"{_A}blip"), None)
    relation = blip.get(f"{_R}embed", "") if blip is not None else ""
    return bytes(shape.part.related_part(relation).blob) if relation in shape.part.rels else b""


def _alternatives(slide: Slide, page: int) -> Iterator[Block]:
    """Yield the texts and charts of shapes that old programs do not know (python-pptx neither)."""
    for node in slide._element.iter(_ALTERNATIVES):
        choice = next(iter(node), None)
        if choice is None or any(parent.tag == _ALTERNATIVES for parent in node.iterancestors()):
            continue
        for line in choice.iter(f"{_A}p"):
            text = _one_line("".join(run.text or "" for run in line.iter(f"{_A}t")))
            if text:
                yield Block(ElementKind.TEXT, text, page)
        for chart in choice.iter(f"{MODERN}chart"):
            relation = chart.get(f"{_R}id", "")
            if relation in slide.part.rels:
                block = chart_block(parse_xml(slide.part.related_part(relation).blob), page)
                yield from [] if block is None else [block]


def _notes(slide: Slide, page: int) -> Iterator[Block]:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    lines = [_one_line(paragraph.text) for paragraph in frame.paragraphs] if frame is not None else []
    if any(lines):
        yield Block(ElementKind.TEXT, "Notes", page, level=2)
    yield from (Block(ElementKind.TEXT, line, page) for line in lines if line)


def _placeholder(shape: Any) -> str:
    return str(shape.placeholder_format.type.name) if shape.is_placeholder and shape.placeholder_format.type else ""


def _is_furniture(shape: Any, page: int) -> bool:
    """Say whether a shape is a footer or the like, or a box with nothing but the number of the slide."""
    return _placeholder(shape) in _FURNITURE or (shape.has_text_frame and shape.text_frame.text.strip() == str(page))


def _is_hidden(shape: Any) -> bool:
    properties = next(shape._element.iter(f"{_P}cNvPr"), None)
    return properties is not None and properties.get("hidden") in ("1", "true")


def _one_line(text: str) -> str:
    return " ".join(text.split())
