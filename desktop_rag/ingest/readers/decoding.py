"""From bytes to text: whether a file is text at all, and in which encoding."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import Block, ReadDocument

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_TEXT = (b"%PDF-", b"%!PS", b"{\\rtf", b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_CONTROL = bytes(set(range(32)) - {9, 10, 12, 13, 27}) + b"\x7f"
_SAMPLE_BYTES = 200_000
_COMMON = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "koi8_r", "iso8859_2"),
    *("cp932", "shift_jis", "euc_jp", "iso2022_jp", "gb18030", "big5", "cp949"),
)
"""Where one byte can be many things, rare encodings (those of DOS and old Macs) only make the guess worse."""

_KANA = re.compile("[\u3041-\u30ff]")


def is_text(head: bytes) -> bool:
    """Say whether a file that begins with ``head`` is text in some encoding."""
    if any(head.startswith(bom) for bom, _ in _BOMS):
        return True
    if any(mark in head[:1024] if mark == b"%PDF-" else head.startswith(mark) for mark in _NOT_TEXT):
        return False
    if _utf16_without_bom(head):
        return True
    controls = len(head) - len(head.translate(None, _CONTROL))
    return b"\0" not in head and controls <= 0.005 * len(head)


def decode(data: bytes) -> str:
    """Return ``data`` as text with "\\n" line ends: by its mark, as UTF-8, or as what its bytes look like most."""
    return _decode(data).replace("\r\n", "\n").replace("\r", "\n")


def decode_head(head: bytes) -> str:
    """Return the beginning of a file as text; the last line, which may be torn, is left out if there are others."""
    text = decode(head)
    cut = text.rfind("\n")
    return text[:cut] if cut > 0 else text


def read_text(path: Path) -> str:
    """Return the text of the file at ``path``; raises ReadError when it cannot be read or holds nothing visible."""
    try:
        text = decode(path.read_bytes())
    except OSError as error:
        raise ReadError(f"{path.name} cannot be read: {error.strerror or error}. Check that it may be read.") from error
    if not text.strip():
        raise blank(path)
    return text


def blank(path: Path) -> ReadError:
    """Return the error for a file without any visible text."""
    return ReadError(f"{path.name} holds no text. Put the full file there, or delete it.")


def laid_out(path: Path, title: str, blocks: list[Block]) -> ReadDocument:
    """Return the document with its print view; raises ReadError when no block has visible text."""
    from desktop_rag.ingest.print_view import lay_out

    document = lay_out(title.strip() or path.stem, blocks)
    if not document.blocks:
        raise blank(path)
    return document


def _decode(data: bytes) -> str:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, errors="replace")
    wide = _utf16_without_bom(data[:4096])
    if wide:
        return data.decode(wide, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(data) - 3 and error.reason == "unexpected end of data":
            return data.decode("utf-8", errors="ignore")
    return data.decode(_guess(data), errors="replace")


def _guess(data: bytes) -> str:
    """Return the likeliest encoding of those in common use."""
    import charset_normalizer

    matches = list(charset_normalizer.from_bytes(_sample(data), cp_isolation=list(_COMMON)))
    if not matches:
        return "cp1252"
    best = matches[0]
    for match in matches:
        as_good = match.chaos <= best.chaos + 0.02 and match.coherence >= best.coherence - 0.1
        if _share(_KANA, str(match)) > 0.2 or (match.encoding == "cp1252" and as_good):
            return match.encoding
    return best.encoding


def _share(pattern: re.Pattern[str], text: str) -> float:
    """Return how much of the text that is not ASCII consists of such characters."""
    foreign = sum(not character.isascii() for character in text)
    return len(pattern.findall(text)) / max(1, foreign)


def _sample(data: bytes) -> bytes:
    """Return a stretch of whole lines around the first byte that is not ASCII, for the guess."""
    if len(data) <= _SAMPLE_BYTES:
        return data
    first = next((index for index, byte in enumerate(data) if byte > 127), 0)
    start = data.rfind(b"\n", 0, first) + 1
    end = data.rfind(b"\n", start, start + _SAMPLE_BYTES)
    return data[start : end if end > start else start + _SAMPLE_BYTES]


def _utf16_without_bom(head: bytes) -> str:
    """Return the encoding of UTF-16 text without a mark: every other byte of mostly Latin text is zero."""
    pairs = len(head) // 2
    if pairs < 8:
        return ""
    low, high = head[1 : pairs * 2 : 2].count(0), head[0 : pairs * 2 : 2].count(0)
    if low > 0.6 * pairs and high < 0.02 * pairs:
        return "utf-16-le"
    if high > 0.6 * pairs and low < 0.02 * pairs:
        return "utf-16-be"
    return ""
