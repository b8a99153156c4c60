"""The tables of a PDF file: which pages to look at, how to open them, and what the pages give together."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import BBox
from desktop_rag.ingest.locked import unlock_pdf
from desktop_rag.ingest.tables.found import FoundTable
from desktop_rag.ingest.tables.joining import join_pages
from desktop_rag.ingest.tables.pages import PageTable, tables_on
from desktop_rag.ingest.tables.precheck import may_hold_table
from desktop_rag.ingest.tables.source import Geometry, parts_of


def find_tables(
    path: Path, password: str | None = None, pages: Collection[int] | None = None
) -> tuple[FoundTable, ...]:
    """Return the tables of the PDF at ``path`` in the order of its pages; ``pages`` (from 1) limits the search.

    A page that cannot be read has no tables. Raises NeedsPasswordError for a locked file, ReadError for a file that
    cannot be opened.
    """
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        document = pymupdf.open(path, filetype="pdf")
    except (RuntimeError, ValueError, OSError) as error:
        raise ReadError(f"{path.name} is damaged or not a PDF: it cannot be opened. Get a fresh copy of it.") from error
    with document:
        unlock_pdf(document, path.name, password)
        wanted = [number for number in range(1, document.page_count + 1) if pages is None or number in pages]
        likely = [number for number in wanted if _is_likely(document, number)]
        return join_pages(_on_pages(document, path, likely)) if likely else ()


def _is_likely(document: Any, number: int) -> bool:
    try:
        return may_hold_table(document[number - 1])
    except (RuntimeError, ValueError, AttributeError, KeyError):
        return False


def _on_pages(document: Any, path: Path, numbers: list[int]) -> list[PageTable]:
    found: list[PageTable] = []
    with _quiet_pdfminer(), _opened(document, path, numbers) as plumber:
        by_number = {page.page_number: page for page in plumber.pages}
        for number in numbers:
            page = by_number.get(number)
            if page is None:
                continue
            found.extend(_on_page(document[number - 1], page))
            page.close()
    return found


def _on_page(page: Any, plumber: Any) -> list[PageTable]:
    """Return the tables of a page; what pdfminer cannot read is a page without tables, not the end of the file."""
    hidden = _hidden(page)
    try:
        parts = parts_of(plumber, Geometry.of(page, plumber), hidden)
    except Exception:  # pdfminer raises whatever a damaged page happens to break in it
        logging.getLogger(__name__).info("page %d: its tables cannot be read", plumber.page_number)
        return []
    return tables_on(plumber.page_number, parts)


def _hidden(page: Any) -> list[BBox]:
    """Where text stands that no reader sees, on the page as shown."""
    import pymupdf

    from desktop_rag.ingest.readers.pdf_visible import Visibility

    raw = page.get_text("dict", flags=pymupdf.TEXT_PRESERVE_WHITESPACE)
    spans = [span for block in raw["blocks"] for line in block["lines"] for span in line["spans"]]
    visible = Visibility(page, spans)
    shut = [pymupdf.Rect(span["bbox"]) for span in spans if span["text"].strip() and not visible.shows(span)]
    shut += _clipped_away(page)
    shown = [rect * page.rotation_matrix for rect in shut] if page.rotation else shut
    return [BBox(rect.x0, rect.y0, rect.x1, rect.y1) for rect in shown]


def _clipped_away(page: Any) -> list[Any]:
    """Return the places of words that a clip hides, and that pdfplumber therefore still sees."""
    import pymupdf

    kept, every = (
        {word[:5] for word in page.get_text("words", flags=pymupdf.TEXT_PRESERVE_WHITESPACE | clip)}
        for clip in (pymupdf.TEXT_CLIP, 0)
    )
    shown = [pymupdf.Rect(word[:4]) for word in kept - every]  # those that are cut have other borders now
    gone = [pymupdf.Rect(word[:4]) for word in every - kept]
    return [rect for rect in gone if not any(rect.intersects(part) for part in shown)]


@contextmanager
def _opened(document: Any, path: Path, numbers: list[int]) -> Iterator[Any]:
    """Open the file in pdfplumber; what MuPDF had to repair or decrypt is given to it as MuPDF's sound bytes.

    pdfplumber opens some damaged files with no pages and no error, so the pages are counted, too.
    """
    import pdfplumber

    if document.is_repaired or document.is_encrypted or document.metadata.get("encryption"):
        with _sound(pdfplumber, document, numbers) as plumber:
            yield plumber
        return
    try:
        plumber = pdfplumber.open(path, pages=numbers)
        whole = len(plumber.pages) == len(numbers)
    except Exception:  # pdfminer raises whatever a damaged file happens to break in it
        plumber, whole = None, False
    if plumber is not None and whole:
        with plumber:
            yield plumber
        return
    if plumber is not None:
        plumber.close()
    with _sound(pdfplumber, document, numbers) as plumber:
        yield plumber


def _sound(pdfplumber: Any, document: Any, numbers: list[int]) -> Any:
    import pymupdf

    return pdfplumber.open(BytesIO(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_NONE)), pages=numbers)


@contextmanager
def _quiet_pdfminer() -> Iterator[None]:
    """pdfminer warns of each odd font in a file; that belongs in no log of ours."""
    logger = logging.getLogger("pdfminer")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
