"""Says in a sentence what a file is that no reader takes."""

from __future__ import annotations

from pathlib import Path

from desktop_rag.core.errors import UnsupportedError

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"SQLite format 3", "a SQLite database"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"OggS", "a sound or film file"),
    (b"ID3", "a sound file"),
    (b"fLaC", "a sound file"),
    (b"%!PS", "a PostScript file"),
    (b"GGUF", "a language model"),
)
_ZIP_SUFFIXES = {
    ".xlsb": "a binary Excel workbook",
    ".jar": "a Java program",
    ".odg": "an OpenDocument drawing",
}
_OLE_SUFFIXES = {
    ".doc": "an old Word document",
    ".ppt": "an old PowerPoint presentation",
}


def describe(head: bytes, suffix: str) -> str:
    """Return what a file with this beginning is, with its article: "a ZIP archive"."""
    if head.startswith(b"PK\x03\x04"):
        return _ZIP_SUFFIXES.get(suffix, "a ZIP archive")
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return _OLE_SUFFIXES.get(suffix, "an old Office document")
    if head[:4] == b"RIFF":
        return "a sound or film file"
    if head[4:8] == b"ftyp":
        return "a sound or film file"
    found = next((name for magic, name in _MAGIC if head.startswith(magic)), "")
    return found or (f"a file of the type '{suffix}'" if suffix else "a file of an unknown type")


def unsupported(path: Path, head: bytes, suffix: str) -> UnsupportedError:
    """Return the error for a file that no reader takes; ``suffix`` is the one that it deserves."""
    kind = describe(head, suffix)
    if "picture" in kind:
        advice = " Save it as PNG or JPEG to make it searchable."
    elif "archive" in kind:
        advice = " Unpack it to make what is in it searchable."
    else:
        advice = " Save it as PDF to make it searchable." if _is_document(kind) else ""
    return UnsupportedError(f"{path.name} is {kind}, which is not supported.{advice}")


def _is_document(kind: str) -> bool:
    """Return whether a person could print what this is."""
    return not any(word in kind for word in ("sound", "program", "database", "language model"))
