"""PowerPoint presentations (.pptx) by python-pptx: slide n is page n."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from desktop_rag.core.types import ReadDocument
from desktop_rag.ingest.readers.containers import OLE, ZIP
from desktop_rag.ingest.readers.decoding import blank
from desktop_rag.ingest.readers.office import damaged, open_office

if TYPE_CHECKING:
    from pptx.presentation import Presentation

_SUFFIXES = frozenset({".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"})
_WIDTH = 720.0
_LONGEST_TITLE = 90
_NO_TITLES = frozenset({"", "powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint"})
_WHAT = "a PowerPoint presentation"


class SlidesReader:
    """Reads titles, texts, tables, charts, diagrams, descriptions of pictures, and notes of each slide."""

    name = "slides"
    version = 3

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take archives that hold a presentation, and locked ones by their name."""
        return head.startswith((ZIP, OLE)) and suffix in _SUFFIXES

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises NeedsPasswordError when it is locked, ReadError when it is damaged or far too large."""
        from desktop_rag.ingest.print_numbered import Frame
        from desktop_rag.ingest.print_view import lay_out_numbered
        from desktop_rag.ingest.readers.slide_shapes import slide_blocks

        presentation = _open(path, password)
        slides = list(presentation.slides)
        blocks = [block for page, slide in enumerate(slides, start=1) for block in slide_blocks(slide, page)]
        width, height = presentation.slide_width or 4, presentation.slide_height or 3
        frame = Frame(_WIDTH, round(_WIDTH * min(2.0, max(0.3, height / width)), 1))
        first = next((block.text for block in blocks if block.level == 1 and block.page == 1), "")
        title = (presentation.core_properties.title or "").strip()
        if title.lower() in _NO_TITLES:
            title = shorten(first, _LONGEST_TITLE, placeholder=" …")
        document = lay_out_numbered(title or path.stem, blocks, [frame] * len(slides))
        if not document.blocks:
            raise blank(path)
        return document


def _open(path: Path, password: str | None) -> Presentation:
    import pptx

    file = open_office(path, password, _WHAT)
    try:
        return pptx.Presentation(file)
    except Exception as error:  # whatever a damaged package makes the library raise is the file's fault
        raise damaged(path, _WHAT) from error
