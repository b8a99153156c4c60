"""PDF files, read with PyMuPDF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from desktop_rag.core.types import ReadDocument


class PdfReader:
    """Reads PDF files page by page: columns, headings, labels, rotated pages; hidden text is left out."""

    name = "pdf"
    version = 4

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take what begins like a PDF; the mark may come after some stray bytes, as viewers allow that too."""
        return b"%PDF-" in head[:1024]

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the whole file. Raises NeedsPasswordError for a locked file, ReadError for an unreadable one."""
        from desktop_rag.ingest.readers.pdf_document import read_pdf

        return read_pdf(path, password)

    def count_pages(self, path: Path, password: str | None) -> int:
        """Return the number of pages, or 0 if it cannot be told before reading."""
        from desktop_rag.ingest.readers.pdf_document import count_pages

        return count_pages(path, password)

    def open_pages(self, path: Path, password: str | None) -> Any:
        """Return the file as an open pymupdf document; raises as :meth:`read`."""
        from desktop_rag.ingest.readers.pdf_document import open_pdf

        return open_pdf(path, password)
