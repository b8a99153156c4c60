"""Word documents (.docx) by python-docx: paragraphs, headings, lists, tables and footnotes in the order of the body."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from desktop_rag.core.types import Block, ReadDocument
from desktop_rag.ingest.readers.containers import OLE, ZIP
from desktop_rag.ingest.readers.decoding import laid_out
from desktop_rag.ingest.readers.office import damaged, open_office

if TYPE_CHECKING:
    from docx.document import Document

_SUFFIXES = frozenset({".docx", ".docm", ".dotx", ".dotm"})
_WHAT = "a Word document"


class WordReader:
    """Reads the body text. Headers, footers, comments, deleted and hidden text are left out."""

    name = "word"
    version = 4

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take archives that hold a Word document, and locked ones by their name."""
        return head.startswith((ZIP, OLE)) and suffix in _SUFFIXES

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises NeedsPasswordError when it is locked, ReadError when it is damaged or far too large."""
        from desktop_rag.ingest.readers.word_body import body_blocks

        document = _open(path, password)
        blocks = body_blocks(document)
        return laid_out(path, _title(document, blocks), blocks)


def _title(document: Document, blocks: list[Block]) -> str:
    """Return the title: as the file's properties have it, or the highest heading if it is the only one of its kind."""
    named = (document.core_properties.title or "").strip()
    highest = [block.text for block in blocks if block.level == 1]
    return named or (highest[0] if len(highest) == 1 else "")


def _open(path: Path, password: str | None) -> Document:
    import docx

    file = open_office(path, password, _WHAT)
    try:
        return docx.Document(file)
    except Exception as error:  # whatever a damaged package makes the library raise is the file's fault
        raise damaged(path, _WHAT) from error
