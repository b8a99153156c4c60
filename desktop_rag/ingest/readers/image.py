"""Pictures as documents: photographed or scanned pages, screenshots, charts. Their words come with the OCR stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from desktop_rag.core.types import ReadDocument

_MARKS: tuple[tuple[int, bytes], ...] = (
    (0, b"\x89PNG\r\n\x1a\n"),
    (0, b"\xff\xd8\xff"),
    (0, b"II*\x00"),
    (0, b"MM\x00*"),
    (0, b"II+\x00"),
    (0, b"MM\x00+"),
    (8, b"WEBP"),
    (0, b"GIF87a"),
    (0, b"GIF89a"),
)
HEIC = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1", b"hevc", b"msf1"})
"""The brands of files that hold pictures packed by HEVC, or, with "mif1" and "msf1", by something that they name."""

_AVIF = frozenset({b"avif", b"avis"})
_BITMAP_HEADERS = (12, 16, 40, 52, 56, 64, 108, 124)


class ImageReader:
    """Takes PNG, JPEG, TIFF (each page), HEIC, AVIF, WebP, BMP and GIF files; of moving pictures the first one."""

    name = "image"
    version = 1

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take what begins like a picture, whatever it is called."""
        if head[4:8] == b"ftyp":
            return head[8:12] in HEIC or head[8:12] in _AVIF
        if head[:4] == b"RIFF" or not head.startswith(b"BM"):
            return any(head[at : at + len(mark)] == mark for at, mark in _MARKS)
        return len(head) > 18 and int.from_bytes(head[14:18], "little") in _BITMAP_HEADERS

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Make a page of each picture. Raises ReadError for a damaged or far too large picture."""
        from desktop_rag.ingest.readers.image_pages import read_image

        return read_image(path)

    def open_pages(self, path: Path, password: str | None) -> Any:
        """Return the pages as an open pymupdf document; raises as :meth:`read`."""
        import pymupdf

        from desktop_rag.ingest.readers.image_pages import to_pdf

        return pymupdf.open(stream=to_pdf(path), filetype="pdf")
