"""Excel workbooks (.xlsx) by openpyxl: sheet n is page n, with its cells as they are shown, charts and notes."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop_rag.core.types import Block, ElementKind, ReadDocument
from desktop_rag.ingest.readers.containers import OLE, ZIP
from desktop_rag.ingest.readers.decoding import blank
from desktop_rag.ingest.readers.number_format import shown_value
from desktop_rag.ingest.readers.office import damaged, open_office, parse_xml, related
from desktop_rag.ingest.readers.sheet_blocks import MOST_CELLS, Merge, sheet_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SUFFIXES = frozenset({".xlsx", ".xlsm", ".xltx", ".xltm"})
_CHARTS = ("chart", "chartEx")
_WHAT = "an Excel workbook"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MERGE = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*\bref=[\"']([A-Z]+)(\d+):([A-Z]+)(\d+)[\"']")
_UNCALCULATED = re.compile(rb"</(?:\w+:)?f>\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</|</(?:\w+:)?c>)")


class WorkbookReader:
    """Reads the values that formulas had when the file was saved. Hidden sheets are read and named as hidden."""

    name = "workbook"
    version = 3

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take archives that hold a workbook, and locked ones by their name."""
        return head.startswith((ZIP, OLE)) and suffix in _SUFFIXES

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises NeedsPasswordError when it is locked, ReadError when it is damaged or far too large."""
        data = open_office(path, password, _WHAT)
        try:
            with zipfile.ZipFile(data) as package, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # openpyxl tells of what it leaves out: styles, validation
                book = _Book(data, package)
                sheets = [book.blocks(sheet, page) for page, sheet in enumerate(book.sheets, start=1)]
        except Exception as error:  # whatever a damaged package makes the library raise is the file's fault
            raise damaged(path, _WHAT) from error
        return laid_out_sheets(path, book.title, sheets, too_long=book.too_long)


def laid_out_sheets(path: Path, title: str, sheets: Sequence[Sequence[Block]], *, too_long: bool) -> ReadDocument:
    """Return the document with a page for each sheet; raises ReadError when no sheet holds more than its name."""
    from dataclasses import replace

    from desktop_rag.ingest.print_numbered import Frame
    from desktop_rag.ingest.print_view import lay_out_numbered

    if not any(len(blocks) > 1 for blocks in sheets):
        raise blank(path)
    blocks = [block for blocks in sheets if len(blocks) > 1 for block in blocks]
    document = lay_out_numbered(title.strip() or path.stem, blocks, [Frame(842.0, 595.0)] * len(sheets))
    problem = f"{path.name} is very large: only its first {MOST_CELLS:,} cells were read." if too_long else ""
    return replace(document, problem=problem)


@dataclass(frozen=True, slots=True)
class _Sheet:
    name: str
    shown: str
    part: str


@dataclass
class _Book:
    data: io.BytesIO
    package: zipfile.ZipFile
    sheets: list[_Sheet] = field(default_factory=list)
    cells: int = 0
    too_long: bool = False

    def __post_init__(self) -> None:
        import openpyxl

        self.values = openpyxl.load_workbook(self.data, read_only=True, data_only=True, keep_links=False)
        self.formulas: Any = None
        self.title = str(self.values.properties.title or "")
        self.sheets = list(self._sheets())

    def _sheets(self) -> Iterator[_Sheet]:
        main = next((part for kind, part in related(self.package, "").values() if kind == "officeDocument"), "")
        relations = related(self.package, main)
        for node in parse_xml(self.package.read(main)).iter("{*}sheet"):
            name = node.get("name", "")
            relation = next((value for key, value in node.attrib.items() if str(key).endswith("}id")), "")
            hidden = " (hidden sheet)" if node.get("state", "visible") != "visible" else ""
            yield _Sheet(name, name + hidden, relations.get(str(relation), ("", ""))[1])

    def blocks(self, sheet: _Sheet, page: int) -> list[Block]:
        """Return the blocks of a sheet: its name, its cells, then charts, text boxes and notes."""
        xml = self.package.read(sheet.part) if sheet.part in self.package.namelist() else b""
        rows = self._rows(sheet.name, bool(_UNCALCULATED.search(xml))) if sheet.name in self.values.sheetnames else {}
        blocks = list(sheet_blocks(sheet.shown, rows, _merges(xml), page))
        for kind, part in related(self.package, sheet.part).values():
            if kind == "drawing":
                blocks += self._drawn(part, page)
            elif kind == "comments":
                blocks += self._notes(part, page)
        return blocks

    def _rows(self, name: str, uncalculated: bool) -> Mapping[int, list[str]]:
        """Return the filled rows of a sheet; formulas that were never calculated are shown themselves."""
        rows: dict[int, list[str]] = {}
        for at, cells in enumerate(_cells(self.values, name)):
            texts = [shown_value(cell.value, cell.number_format if cell.value is not None else "") for cell in cells]
            if any(texts):
                rows[at] = texts
                self.cells += sum(map(bool, texts))
            if self.cells > MOST_CELLS:
                self.too_long = True
                break
        if uncalculated and not self.too_long:
            self._add_formulas(name, rows)
        return rows

    def _add_formulas(self, name: str, rows: dict[int, list[str]]) -> None:
        import openpyxl

        if self.formulas is None:
            self.formulas = openpyxl.load_workbook(self.data, read_only=True, keep_links=False)
        for at, cells in enumerate(_cells(self.formulas, name)):
            for column, cell in enumerate(cells):
                text = str(getattr(cell.value, "text", cell.value) or "")
                row = rows.get(at, [])
                if text.startswith("=") and (column >= len(row) or not row[column]):
                    row.extend([""] * (column + 1 - len(row)))
                    row[column] = text
                    rows[at] = row

    def _drawn(self, part: str, page: int) -> Iterator[Block]:
        """Yield the charts, pictures and text boxes that lie over a sheet."""
        from desktop_rag.ingest.readers.chart_xml import chart_block

        for box in parse_xml(self.package.read(part)).iter(f"{_DRAWING}txBody"):
            lines = ("".join(run.text or "" for run in line.iter(f"{_A}t")).strip() for line in box.iter(f"{_A}p"))
            text = "\n".join(filter(None, lines))
            if text:
                yield Block(ElementKind.TEXT, text, page)
        for kind, inner in related(self.package, part).values():
            block = chart_block(parse_xml(self.package.read(inner)), page) if kind in _CHARTS else None
            if kind == "image" and inner in self.package.namelist():
                block = Block(ElementKind.FIGURE, "", page, picture=self.package.read(inner))
            if block is not None:
                yield block

    def _notes(self, part: str, page: int) -> Iterator[Block]:
        for note in parse_xml(self.package.read(part)).iter(f"{_MAIN}comment"):
            text = " ".join("".join(run.text or "" for run in note.iter(f"{_MAIN}t")).split())
            if text:
                yield Block(ElementKind.TEXT, f"Note on {note.get('ref', 'a cell')}: {text}", page)


def _cells(book: Any, name: str) -> Iterator[tuple[Any, ...]]:
    sheet = book[name]
    if not hasattr(sheet, "reset_dimensions"):  # a sheet that is one chart
        return
    sheet.reset_dimensions()  # what the file says of its size is often wrong
    yield from sheet.iter_rows()


def _merges(xml: bytes) -> list[Merge]:
    return [
        Merge(int(top) - 1, _column(left) - 1, int(bottom), _column(right))
        for left, top, right, bottom in _MERGE.findall(xml, max(0, xml.rfind(b"sheetData>")))
    ]


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number
