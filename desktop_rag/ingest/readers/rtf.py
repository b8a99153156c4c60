"""Rich text (.rtf) by striprtf: paragraphs, headings by their outline level, and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import Block, ElementKind, ReadDocument
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.decoding import laid_out
from desktop_rag.ingest.readers.delimited import has_header

_START = b"{\\rtf"
_DATA = re.compile(r"[0-9a-fA-F\r\n]{400,}")
_OUTLINE = re.compile(r"\\outlinelevel([0-8])(?![0-9]) ?")
_MARK = re.compile("\x02([0-8])\x03")
_TITLE = re.compile(r"\{\\title ([^{}\\]+)\}")


class RtfReader:
    """Reads the text; headers, footers, notes and pictures are left out."""

    name = "rtf"
    version = 1

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take what begins as rich text."""
        return head.lstrip().startswith(_START)

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises ReadError when it cannot be opened, is damaged, or is blank."""
        from striprtf.striprtf import rtf_to_text

        try:
            source = path.read_bytes().decode("latin-1")
        except OSError as error:
            raise ReadError(f"{path.name} cannot be read: {error.strerror or error}.") from error
        title = _TITLE.search(source)
        try:
            text = rtf_to_text(_marked(source), errors="replace")
        except (ValueError, LookupError, IndexError, KeyError) as error:
            raise ReadError(f"{path.name} is damaged: its rich text cannot be understood. Save it again.") from error
        blocks = list(_blocks(text))
        first = next((block.text for block in blocks if block.level == 1), "")
        return laid_out(path, title.group(1) if title else first, blocks)


def _marked(source: str) -> str:
    """Return the source without the data of pictures, and with a mark in each heading, which survives as text."""
    return _OUTLINE.sub("\x02\\1\x03", _DATA.sub("", source))


def _blocks(text: str) -> Iterator[Block]:
    for tabular, group in groupby(text.split("\n"), key=lambda line: line.rstrip().endswith("|")):
        lines = [line for line in group if line.strip(" |")]
        if tabular and lines:
            rows = [[_MARK.sub("", cell) for cell in line.rstrip()[:-1].split("|")] for line in lines]
            yield Grid.of(rows, has_header=len(rows) > 1 and has_header(rows)).block()
        else:
            yield from (_paragraph(line) for line in lines)


def _paragraph(line: str) -> Block:
    mark = _MARK.search(line)
    shown = " ".join(_MARK.sub("", line).split())
    return Block(ElementKind.TEXT, shown, level=min(6, int(mark.group(1)) + 1) if mark else 0)
