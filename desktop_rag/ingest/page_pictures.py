"""Pictures of pages, as sharp as the screen asks for: from the PDF itself or from a document's print view."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.types import Page, PagePicture

_OPEN_DOCUMENTS = 4
_MOST_PIXELS = 16_000_000
"""64 MB as RGBA: more than any screen shows, and what a 200-inch page is scaled down to."""


class PagePictures:
    """Renders pages; keeps a few documents open. MuPDF is not made for threads, so one picture is made at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: OrderedDict[tuple[Path, int], Any] = OrderedDict()

    def render(self, path: Path, number: int, scale: float, label: str = "") -> PagePicture:
        """Return page ``number`` (from 1) of the PDF at ``path`` at ``scale`` pixels per point, or less if huge.

        Raises UserFacingError when the file is gone, locked or damaged, or has no such page.
        """
        import pymupdf

        with self._lock:
            try:
                document = self._document(path)
                if not 1 <= number <= document.page_count:
                    raise UserFacingError(f"{path.name} has {document.page_count} pages; there is no page {number}.")
                page = document[number - 1]
                width, height = page.rect.width, page.rect.height
                scale = min(scale, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
                pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
                shown = Page(number, width, height, label)
                return PagePicture(pixmap.tobytes("png"), pixmap.width, pixmap.height, shown, document.page_count)
            except (pymupdf.FileDataError, pymupdf.FileNotFoundError, OSError, RuntimeError, ValueError) as error:
                raise UserFacingError(
                    f"Page {number} of {path.name} cannot be shown: {error}. Check that the file is still there."
                ) from error

    def close(self) -> None:
        """Close all documents, so that their files can be deleted on every platform."""
        with self._lock:
            for document in self._open.values():
                document.close()
            self._open.clear()

    def _document(self, path: Path) -> Any:
        import pymupdf

        pymupdf.TOOLS.mupdf_display_errors(False)
        key = (path, path.stat().st_mtime_ns)
        if key in self._open:
            self._open.move_to_end(key)
            return self._open[key]
        document = pymupdf.open(path, filetype="pdf")
        self._open[key] = document
        while len(self._open) > _OPEN_DOCUMENTS:
            _, oldest = self._open.popitem(last=False)
            oldest.close()
        return document
