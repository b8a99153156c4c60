"""Markdown (CommonMark with tables) by markdown-it-py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_rag.core.types import Block, ElementKind, ReadDocument
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.decoding import is_text, laid_out, read_text
from desktop_rag.ingest.readers.html import html_blocks

if TYPE_CHECKING:
    from markdown_it.token import Token

MARKDOWN_SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdwn"})
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_DEEPEST = 100
"""The parser drops without a word what is nested deeper, so that the following make such texts shallower before."""

_DEEP_INDENT = re.compile(r"^ {61,}", re.MULTILINE)
_DEEP_QUOTE = re.compile(r"^(?:> ?){21,}", re.MULTILINE)
_BREAKING_TAG = re.compile(r"</?(?:br|p|div|li|tr|table)\b", re.IGNORECASE)


class MarkdownReader:
    """Reads headings, paragraphs, lists, listings, tables and embedded HTML."""

    name = "markdown"
    version = 1

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take text that is named as Markdown."""
        return suffix in MARKDOWN_SUFFIXES and is_text(head)

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises ReadError when it cannot be opened or is blank."""
        text = read_text(path)
        front = _FRONT_MATTER.match(text)
        named = _FRONT_TITLE.search(front.group(1)) if front else None
        blocks = markdown_blocks(text[front.end() :] if front else text)
        first = next((block.text for block in blocks if block.level), "")
        return laid_out(path, (named.group(1) if named else first) or path.stem, blocks)


def markdown_blocks(text: str) -> list[Block]:
    """Return the blocks of a Markdown text in reading order."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    shallow = _DEEP_QUOTE.sub("> " * 20, _DEEP_INDENT.sub(" " * 60, text))
    return list(_Walk().blocks(parser.parse(shallow)))


@dataclass
class _Walk:
    """Goes through the tokens once, remembering the open lists, the marker to write next, and the open table."""

    lists: list[str] = field(default_factory=list)
    marker: str = ""
    level: int = 0
    rows: list[list[str]] | None = None

    def blocks(self, tokens: list[Token]) -> Iterator[Block]:
        for token in tokens:
            if token.type == "inline":
                yield from self._inline(token)
            elif token.type in ("fence", "code_block"):
                yield Block(ElementKind.CODE, token.content.rstrip())
            elif token.type == "html_block":
                yield from html_blocks(token.content)
            elif token.type == "table_close" and self.rows:
                yield Grid.of(self.rows).block()
                self.rows = None
            else:
                self._note(token)

    def _note(self, token: Token) -> None:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            self.lists.append(token.type)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self.lists.pop()
        elif token.type == "list_item_open":
            self.marker = f"{token.info}. " if self.lists[-1].startswith("ordered") else "• "
        elif token.type in ("heading_open", "heading_close"):
            self.level = int(token.tag[1:]) if token.nesting == 1 else 0
        elif token.type == "table_open":
            self.rows = []
        elif token.type == "tr_open" and self.rows is not None:
            self.rows.append([])

    def _inline(self, token: Token) -> Iterator[Block]:
        text = _plain(token)
        if self.rows is not None:
            self.rows[-1].append(text)
        elif self.level:
            yield Block(ElementKind.TEXT, text.replace("\n", " "), level=self.level)
        elif self.marker:
            shown, self.marker = self.marker + text, ""
            dash = shown.replace("• ", "- ", 1)
            yield Block(ElementKind.TEXT, shown, markdown="  " * (len(self.lists) - 1) + dash)
        elif text:
            yield Block(ElementKind.TEXT, text)


def _plain(token: Token) -> str:
    """Return the text of an inline token: link texts, code and the descriptions of pictures, without markup."""
    parts: list[str] = []
    for child in token.children or ():
        if child.type in ("text", "code_inline", "image", "text_special"):
            parts.append(child.content)
        elif child.type == "softbreak":
            parts.append(" ")
        elif child.type == "hardbreak" or (child.type == "html_inline" and _BREAKING_TAG.match(child.content)):
            parts.append("\n")
        elif child.type == "html_inline":
            parts.append(" ")
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)
