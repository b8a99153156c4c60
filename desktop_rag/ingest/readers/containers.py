"""What a ZIP archive or an OLE file really holds, whatever its name says: told by its entries or streams."""

from __future__ import annotations

import zipfile
from pathlib import Path

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MIME_TYPES = (
    ("application/epub+zip", ".epub"),
    ("application/vnd.oasis.opendocument.text", ".odt"),
    ("application/vnd.oasis.opendocument.spreadsheet", ".ods"),
    ("application/vnd.oasis.opendocument.presentation", ".odp"),
)
_ENTRIES = (
    ("word/document", ".docx"),
    ("xl/workbook.bin", ".xlsb"),
    ("xl/workbook", ".xlsx"),
    ("ppt/presentation", ".pptx"),
    ("META-INF/container.xml", ".epub"),
)
_STREAMS = (
    ("WordDocument", ".doc"),
    ("PowerPoint Document", ".ppt"),
    ("Workbook", ".xls"),
    ("Book", ".xls"),
    ("__properties_version1.0", ".msg"),
)
_LONGEST_MIME_TYPE = 200


def true_suffix(path: Path, head: bytes) -> str:
    """Return the suffix that a file deserves: by what a container holds, else as it is named, in lower case.

    A locked Office document shows nothing of its kind, so its name has to be believed.
    """
    named = path.suffix.lower()
    try:
        if head.startswith(ZIP):
            return _of_zip(path) or named
        if head.startswith(OLE):
            return _of_ole(path) or named
    except (OSError, ValueError, RuntimeError, zipfile.BadZipFile, NotImplementedError):
        return named  # a damaged container; its reader says what is wrong with it
    return named


def _of_zip(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if "mimetype" in names:
            with archive.open("mimetype") as file:
                kind = file.read(_LONGEST_MIME_TYPE).decode("latin-1").strip()
            found = next((suffix for mark, suffix in _MIME_TYPES if kind.startswith(mark)), "")
            if found:
                return found
    return next((suffix for mark, suffix in _ENTRIES if any(name.startswith(mark) for name in names)), "")


def _of_ole(path: Path) -> str:
    import olefile

    with olefile.OleFileIO(str(path)) as container:
        return next((suffix for stream, suffix in _STREAMS if container.exists(stream)), "")
