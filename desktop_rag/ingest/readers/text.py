"""Plain text: paragraphs, headings that are underlined or in capitals, list items, and program code as listings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from desktop_rag.core.types import Block, ElementKind, ReadDocument
from desktop_rag.ingest.readers.decoding import is_text, laid_out, read_text

_CODE_SUFFIXES = frozenset(
    {
        ".bat",
        ".c",
        ".cc",
        ".cfg",
        ".conf",
        ".cpp",
        ".cs",
        ".css",
        ".go",
        ".h",
        ".hpp",
        ".ini",
        ".java",
        ".js",
        ".json",
        ".jsonl",
        ".jsx",
        ".kt",
        ".lua",
        ".php",
        ".pl",
        ".ps1",
        ".py",
        ".r",
        ".rb",
        ".rs",
        ".scala",
        ".sh",
        ".sql",
        ".swift",
        ".toml",
        ".ts",
        ".tsx",
        ".vue",
        ".xml",
        ".yaml",
        ".yml",
        ".zsh",
    }
)
_LISTING_CHARACTERS = 1200
_LONGEST_TITLE = 90
_SHORTEST_PROSE = 160
_UNDERLINE = re.compile(r"(={3,}|-{3,}|~{3,}|\*{3,})\s*")
_ITEM = re.compile(r"\s*(?:[-*+•–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s+\S")
_SHORTEST_WRAPPED, _LONGEST_WRAPPED = 45, 110


class TextReader:
    """Reads any file whose content is text."""

    name = "text"
    version = 1

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take every text, whatever its name says; this reader comes last."""
        return is_text(head)

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises ReadError when it cannot be opened or is blank."""
        text = read_text(path)
        if path.suffix.lower() in _CODE_SUFFIXES:
            return laid_out(path, path.name, list(listings(text)))
        blocks = list(paragraphs(text))
        return laid_out(path, _title(blocks) or path.stem, blocks)


def paragraphs(text: str) -> Iterator[Block]:
    """Yield the paragraphs, headings and list items of plain text. Hard-wrapped lines are joined."""
    groups = list(_groups(text))
    for number, lines in enumerate(groups):
        if len(lines) >= 2 and _UNDERLINE.fullmatch(lines[1].strip()) and len(lines[0]) <= _LONGEST_TITLE:
            yield Block(ElementKind.TEXT, lines[0].strip(), level=1 if lines[1].strip()[0] == "=" else 2)
            lines = lines[2:]
        following = groups[number + 1] if number + 1 < len(groups) else []
        if len(lines) == 1 and (_in_capitals(lines[0].strip()) or _heads(lines[0].strip(), following)):
            yield Block(ElementKind.TEXT, lines[0].strip(), level=2)
        else:
            yield from _flowed(lines)


def listings(text: str) -> Iterator[Block]:
    """Yield program code as listings of whole lines, cut at blank lines where they grow long."""
    part: list[str] = []
    size = 0
    for line in text.split("\n"):
        if part and (size > 2 * _LISTING_CHARACTERS or (size > _LISTING_CHARACTERS and not line.strip())):
            yield Block(ElementKind.CODE, "\n".join(part).strip("\n"))
            part, size = [], 0
        part.append(line)
        size += len(line) + 1
    yield Block(ElementKind.CODE, "\n".join(part).strip("\n"))


def _groups(text: str) -> Iterator[list[str]]:
    """Yield runs of lines between blank lines (and form feeds)."""
    group: list[str] = []
    for line in text.replace("\f", "\n\n").split("\n"):
        if line.strip():
            group.append(line.rstrip())
        elif group:
            yield group
            group = []
    if group:
        yield group


def _flowed(lines: list[str]) -> Iterator[Block]:
    """Yield one paragraph, or one for each list item and each long line."""
    part: list[str] = []
    for line in lines:
        if part and (_ITEM.match(line) or len(part[-1]) > _LONGEST_WRAPPED):
            yield _paragraph(part)
            part = []
        part.append(line)
    if part:
        yield _paragraph(part)


def _paragraph(lines: list[str]) -> Block:
    item = _ITEM.match(lines[0])
    wrapped = all(_SHORTEST_WRAPPED <= len(line) <= _LONGEST_WRAPPED for line in lines[:-1])
    text = (" " if wrapped or item else "\n").join(line.strip() for line in lines)
    depth = (len(lines[0]) - len(lines[0].lstrip())) // 2
    return Block(ElementKind.TEXT, text, markdown=f"{'  ' * depth}- {text}" if item else "")


def _in_capitals(line: str) -> bool:
    letters = [character for character in line if character.isalpha()]
    return len(letters) >= 3 and len(line) <= _LONGEST_TITLE and line.isupper() and len(letters) > len(line) / 2


def _heads(line: str, following: list[str]) -> bool:
    """Say whether a short line that is no sentence stands alone above running text."""
    short = len(line) <= _LONGEST_TITLE and len(line.split()) <= 12 and not _ITEM.match(line)
    return short and line[0].isupper() and line[-1] not in ".,;:!?…" and sum(map(len, following)) >= _SHORTEST_PROSE


def _title(blocks: list[Block]) -> str:
    """Return the first line as the title if it looks like one: short, alone, and no sentence."""
    first = blocks[0].text if blocks else ""
    alone = len(blocks) > 1 and "\n" not in first and len(first) <= _LONGEST_TITLE
    return first if alone and first[-1] not in ".,;:!?" else ""
