"""Word documents (.docx) by python-docx: paragraphs, headings, lists, tables and footnotes in the order of the body."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_rag.core.errors import NeedsPasswordError, ReadError
from desktop_rag.core.types import Block, ReadDocument
from desktop_rag.ingest.readers.decoding import laid_out

if TYPE_CHECKING:
    from docx.document import Document

_SUFFIXES = frozenset({".docx", ".docm", ".dotx", ".dotm"})
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MOST_UNPACKED_BYTES = 400_000_000
_MOST_PARTS = 20_000


class WordReader:
    """Reads the body text. Headers, footers, comments, deleted and hidden text are left out."""

    name = "word"
    version = 1

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take archives that hold a Word document, and locked ones by their name (what is in them cannot be seen)."""
        if head.startswith(_OLE):
            return suffix in _SUFFIXES
        return head.startswith(_ZIP) and (suffix in _SUFFIXES or b"word/" in head)

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises NeedsPasswordError when it is locked, ReadError when it is damaged or far too large."""
        from desktop_rag.ingest.readers.word_body import body_blocks

        _check_package(path)
        document = _open(path)
        blocks = body_blocks(document)
        return laid_out(path, _title(document, blocks), blocks)


def _title(document: Document, blocks: list[Block]) -> str:
    """Return the title: as the file's properties have it, or the highest heading if it is the only one of its kind."""
    named = (document.core_properties.title or "").strip()
    highest = [block.text for block in blocks if block.level == 1]
    return named or (highest[0] if len(highest) == 1 else "")


def _check_package(path: Path) -> None:
    """Refuse files that are locked, damaged, or unpack to more than any real document does."""
    try:
        with path.open("rb") as file:
            locked = file.read(len(_OLE)) == _OLE
        if locked:
            raise _locked(path)
        with zipfile.ZipFile(path) as package:
            parts = package.infolist()
    except OSError as error:
        raise ReadError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    except zipfile.BadZipFile as error:
        raise _damaged(path) from error
    size = sum(part.file_size for part in parts)
    if size > _MOST_UNPACKED_BYTES or len(parts) > _MOST_PARTS:
        raise ReadError(
            f"{path.name} would unpack to {size / 1e6:,.0f} MB in {len(parts):,} parts, which no document needs, "
            "so it was not opened. If you trust it, save its text as a new document."
        )


def _locked(path: Path) -> ReadError:
    """Return the error for an OLE file with the name of a Word document: locked, or of the old format."""
    if _ENCRYPTED in path.read_bytes():
        return NeedsPasswordError(
            f"{path.name} is protected by a password, and locked Word files cannot be opened here yet. "
            "Open it in Word and save a copy without the password."
        )
    return ReadError(f"{path.name} is an old Word document (.doc). Save it as .docx or PDF to make it searchable.")


def _damaged(path: Path) -> ReadError:
    return ReadError(f"{path.name} is damaged: no Word document could be read from it. Try to save it again in Word.")


def _open(path: Path) -> Document:
    import docx

    try:
        return docx.Document(str(path))
    except Exception as error:  # whatever a damaged package makes the library raise is the file's fault
        raise _damaged(path) from error
