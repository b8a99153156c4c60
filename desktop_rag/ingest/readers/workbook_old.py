"""Excel workbooks of the old format (.xls) by xlrd: sheet n is page n."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import Block, ReadDocument
from desktop_rag.ingest.readers.containers import OLE
from desktop_rag.ingest.readers.number_format import shown_value
from desktop_rag.ingest.readers.office import damaged, unlocked
from desktop_rag.ingest.readers.sheet_blocks import MOST_CELLS, Merge, sheet_blocks
from desktop_rag.ingest.readers.workbook import laid_out_sheets

_WHAT = "an Excel workbook"


class OldWorkbookReader:
    """Reads the values of all sheets; hidden ones are named as hidden."""

    name = "workbook-old"
    version = 1

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take OLE files that hold a workbook."""
        return head.startswith(OLE) and suffix in (".xls", ".xlt")

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises NeedsPasswordError when it is locked, ReadError when it is damaged."""
        import xlrd

        try:
            data = path.read_bytes()
        except OSError as error:
            raise ReadError(f"{path.name} cannot be read: {error.strerror or error}.") from error
        data = unlocked(path, data, password, _WHAT)
        try:
            book = xlrd.open_workbook(file_contents=data, formatting_info=True, logfile=io.StringIO())
            pages = _Pages(book)
            sheets = [pages.blocks(sheet, page) for page, sheet in enumerate(book.sheets(), start=1)]
        except Exception as error:  # whatever a damaged file makes the library raise is the file's fault
            raise damaged(path, _WHAT) from error
        return laid_out_sheets(path, "", sheets, too_long=pages.too_long)


class _Pages:
    def __init__(self, book: Any) -> None:
        self._book = book
        self._cells = 0
        self.too_long = False

    def blocks(self, sheet: Any, page: int) -> list[Block]:
        rows: dict[int, list[str]] = {}
        for at in range(sheet.nrows):
            if self._cells > MOST_CELLS:
                self.too_long = True
                break
            texts = [self._text(cell) for cell in sheet.row(at)]
            if any(texts):
                rows[at] = texts
                self._cells += sum(map(bool, texts))
        merges = [Merge(top, left, bottom, right) for top, bottom, left, right in sheet.merged_cells]
        return list(sheet_blocks(sheet.name + (" (hidden sheet)" if sheet.visibility else ""), rows, merges, page))

    def _text(self, cell: Any) -> str:
        import xlrd

        if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
            return ""
        if cell.ctype == xlrd.XL_CELL_DATE:
            return _date(cell.value, self._book.datemode)
        if cell.ctype == xlrd.XL_CELL_BOOLEAN:
            return shown_value(bool(cell.value))
        if cell.ctype == xlrd.XL_CELL_ERROR:
            return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
        return shown_value(cell.value, self._format(cell))

    def _format(self, cell: Any) -> str:
        key = self._book.xf_list[cell.xf_index].format_key if cell.xf_index is not None else 0
        form = self._book.format_map.get(key)
        return str(form.format_str) if form is not None else ""


def _date(value: float, datemode: int) -> str:
    import xlrd

    try:
        moment = xlrd.xldate.xldate_as_datetime(value, datemode)
    except (ValueError, OverflowError, xlrd.xldate.XLDateError):
        return shown_value(value)
    return shown_value(moment.time() if 0 <= value < 1 else moment)
