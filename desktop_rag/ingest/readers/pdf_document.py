"""A whole PDF: opened with care, read page by page, and put together to blocks with headings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from desktop_rag.core.errors import NeedsPasswordError, ReadError
from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import Block, ElementKind, Page, ReadDocument
from desktop_rag.ingest.locked import unlock_pdf
from desktop_rag.ingest.normalise import clean_text
from desktop_rag.ingest.readers.pdf_columns import in_reading_order
from desktop_rag.ingest.readers.pdf_fonts import LayerCheck
from desktop_rag.ingest.readers.pdf_furniture import without_furniture
from desktop_rag.ingest.readers.pdf_glyphs import read_page
from desktop_rag.ingest.readers.pdf_headings import Outline, mark_headings
from desktop_rag.ingest.readers.pdf_lines import TextBuilder, paragraphs_of, rows_of
from desktop_rag.ingest.readers.pdf_parts import PageText, Paragraph

_WORDS = re.compile(r"\w[\w'-]*\w")
_NO_TITLE = re.compile(r"^(microsoft|untitled|document\d*$|powerpoint|slide 1$|.*\.\w{2,5}$)", re.IGNORECASE)
_CAPTION = re.compile(r"(?:table|tab\.|figure|fig\.)\s*\S*\d", re.IGNORECASE)
_TITLE_WORD = re.compile(r"[^\W\d_]{2,}")
_LONGEST_TITLE = 120
_HARMLESS = re.compile(
    r"(outline|optional content|layer config|icc|colorspace|font|cmap|annotation|encoding)", re.IGNORECASE
)
_DAMAGE = re.compile(
    r"(repair|xref|cannot find object|syntax error|corrupt|zlib|premature|truncated|broken)", re.IGNORECASE
)


def read_pdf(path: Path, password: str | None) -> ReadDocument:
    """Read the PDF at ``path``. Raises NeedsPasswordError or ReadError with a sentence that names the file."""
    pymupdf = _quiet_mupdf()
    document = open_pdf(path, password)
    try:
        return _read(pymupdf, document, path)
    finally:
        document.close()
        pymupdf.TOOLS.reset_mupdf_warnings()


def count_pages(path: Path, password: str | None) -> int:
    """Return the number of pages of the PDF at ``path``, or 0 if it cannot be told before reading."""
    pymupdf = _quiet_mupdf()
    try:
        with pymupdf.open(path, filetype="pdf") as document:
            shut = document.needs_pass and not (password and document.authenticate(password))
            return 0 if shut else int(document.page_count)
    except (RuntimeError, ValueError, OSError):
        return 0


def _quiet_mupdf() -> Any:
    """Return pymupdf with its printing off; what it has to say is kept, and asked for at the end."""
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.TOOLS.reset_mupdf_warnings()
    return pymupdf


def open_pdf(path: Path, password: str | None) -> Any:
    """Return the open pymupdf document at ``path``; it has at least one page. Raises as :func:`read_pdf`."""
    pymupdf = _quiet_mupdf()
    try:
        document = pymupdf.open(path, filetype="pdf")
    except (RuntimeError, ValueError, OSError) as error:
        raise ReadError(f"{path.name} is damaged or not a PDF: it cannot be opened. Get a fresh copy of it.") from error
    try:
        unlock_pdf(document, path.name, password)
    except NeedsPasswordError:
        document.close()
        raise
    if document.page_count == 0:
        document.close()
        raise ReadError(f"{path.name} has no pages. Get a fresh copy of it, or delete it.")
    return document


def _read(pymupdf: Any, document: Any, path: Path) -> ReadDocument:
    texts: list[PageText] = []
    pages: list[Page] = []
    lost: list[int] = []
    layer = LayerCheck(document)
    for index in range(document.page_count):
        text, label = _page(document, index, layer)
        if text is None:
            lost.append(index + 1)
            text = PageText(index + 1, 612.0, 792.0, usable=False)
        texts.append(text)
        pages.append(Page(index + 1, text.width, text.height, "" if label == str(index + 1) else label))
    if len(lost) == len(pages):
        raise ReadError(f"{path.name} is damaged: none of its {len(pages)} pages can be read. Get a fresh copy of it.")
    without_furniture(texts)
    paragraphs = _paragraphs(texts)
    mark_headings(paragraphs, _outline(document))
    scans = [text.number for text in texts if text.scanned]
    damaged = bool(document.is_repaired) or bool(_damage(pymupdf.TOOLS.mupdf_warnings()))
    return ReadDocument(
        title=_title(document, paragraphs, path),
        pages=tuple(pages),
        blocks=tuple(_block(paragraph) for paragraph in paragraphs),
        problem=_problem(len(pages), lost, damaged),
        waiting=_waiting(len(scans), len(pages)),
        missing=f"{_of(scans, len(pages))} {_scan_words(len(scans))}." if scans else "",
    )


def _waiting(scans: int, pages: int) -> frozenset[Stage]:
    """Tables and figures are looked for where there are words, and words where there are only pictures."""
    parts = {Stage.TABLES, Stage.FIGURES} if scans < pages else set()
    return frozenset(parts | {Stage.OCR} if scans else parts)


def _page(document: Any, index: int, layer: LayerCheck) -> tuple[PageText | None, str]:
    """Return the text of a page and its label; a page that MuPDF cannot load is None and does not end the file."""
    try:
        page = document[index]
        return read_page(page, index + 1, layer), page.get_label() or ""
    except (RuntimeError, ValueError, AttributeError, KeyError):
        return None, ""


def _paragraphs(texts: list[PageText]) -> list[Paragraph]:
    words = frozenset(
        word.lower() for text in texts for group in text.groups for f in group for word in _WORDS.findall(f.text)
    )
    builder = TextBuilder(words)
    paragraphs: list[Paragraph] = []
    for text in texts:
        for group in text.groups:
            for region in in_reading_order(group):
                found = paragraphs_of(rows_of(region))
                for paragraph in found:
                    paragraph.page = text.number
                    builder.finish(paragraph)
                paragraphs.extend(found)
    return paragraphs


def _outline(document: Any) -> Outline:
    outline: Outline = {}
    try:
        entries = document.get_toc(simple=True)
    except (RuntimeError, ValueError, AttributeError, IndexError, TypeError):
        return outline
    for level, title, page in entries:
        outline.setdefault(page, []).append((level, title))
    return outline


def _block(paragraph: Paragraph) -> Block:
    kind = ElementKind.CODE if paragraph.listing and paragraph.mono else ElementKind.TEXT
    return Block(kind, paragraph.text, paragraph.page, paragraph.spans, paragraph.level)


def _title(document: Any, paragraphs: list[Paragraph], path: Path) -> str:
    """The document's own title, else the largest telling heading of its first page, else the file's name."""
    given = clean_text((document.metadata or {}).get("title") or "")
    if _is_telling(given) and not _NO_TITLE.match(given):
        return given[:_LONGEST_TITLE]
    headings = [p for p in paragraphs if p.page == 1 and p.level and _is_telling(p.text)]
    if headings:
        return max(headings, key=lambda p: p.size).text[:_LONGEST_TITLE]
    return clean_text(path.stem.replace("_", " ").replace("-", " "))[:_LONGEST_TITLE]


def _is_telling(text: str) -> bool:
    """Say whether a line tells documents apart: it has two words, or some signs of a script without blanks."""
    words = _TITLE_WORD.findall(text)
    return not _CAPTION.match(text) and (len(words) >= 2 or any(len(w) > 2 and w[0] > "\u2e80" for w in words))


def _damage(warnings: str) -> list[str]:
    return [line for line in warnings.splitlines() if _DAMAGE.search(line) and not _HARMLESS.search(line)]


def _problem(pages: int, lost: list[int], damaged: bool) -> str:
    if lost:
        return f"{_of(lost, pages)} cannot be read because the file is damaged: get a fresh copy."
    return "The file is damaged; what could be repaired was read, but text may be missing." if damaged else ""


def _scan_words(count: int) -> str:
    what = "is a scan or picture" if count == 1 else "are scans or pictures"
    words = "its words are" if count == 1 else "their words are"
    return f"{what} with little or no usable text layer: {words} found only after text recognition"


def _of(numbers: list[int], pages: int) -> str:
    if pages == 1:
        return "The only page"
    if len(numbers) == pages:
        return "Both pages" if pages == 2 else f"All {pages} pages"
    return f"{len(numbers)} of {pages} pages (" + _listed(numbers) + ")"


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:8])
    return f"page {shown}" if len(numbers) == 1 else f"pages {shown}" + (", …" if len(numbers) > 8 else "")
