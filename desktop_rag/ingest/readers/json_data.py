"""Data in JSON: lists of like objects as tables, everything else as lines "path: value"."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from desktop_rag.core.types import Block, ElementKind, ReadDocument
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.decoding import is_text, laid_out, read_text
from desktop_rag.ingest.readers.text import listings

_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".geojson", ".jsonld"})
_START = re.compile(rb"(\xef\xbb\xbf)?\s*[\[{]")
_MOST_COLUMNS = 30
_MOST_VALUES = 200_000
_LEAST_SECTION = 8
_DEEPEST_HEADING = 4
_LINES_A_BLOCK = 12
_IDENTIFIER = re.compile(r"[^\W\d][\w-]*")


class JsonReader:
    """Reads JSON and JSON lines; what is not well-formed is shown as it is."""

    name = "json"
    version = 1

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take text that is named as JSON and begins like it."""
        return suffix in _SUFFIXES and bool(_START.match(head)) and is_text(head)

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises ReadError when it cannot be opened or is blank."""
        text = read_text(path)
        try:
            value = _parsed(text)
        except (ValueError, RecursionError):
            return laid_out(path, path.name, list(listings(text)))
        walk = _Walk()
        document = laid_out(path, path.name, list(walk.blocks(value, "", 0)))
        if walk.values > _MOST_VALUES:
            return replace(
                document, problem=f"{path.name} is very large: only its first {_MOST_VALUES:,} values were read."
            )
        return document


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]


class _Walk:
    """Goes through the values and counts them."""

    def __init__(self) -> None:
        self.values = 0

    def blocks(self, value: object, path: str, level: int) -> Iterator[Block]:
        """Yield the blocks of ``value``, the lines of which are named from ``path``."""
        table = _table(value)
        if table is not None:
            self.values += len(table.rows) * len(table.header)
            yield table.block()
            return
        lines: list[str] = []
        for name, child in _children(value, path):
            if self.values > _MOST_VALUES:
                break
            if level < _DEEPEST_HEADING and (_table(child) is not None or _is_large(child)):
                yield from _gathered(lines)
                lines = []
                yield Block(ElementKind.TEXT, name, level=level + 1)
                yield from self.blocks(child, name, level + 1)
            else:
                lines += self._lines(child, name)
        yield from _gathered(lines)

    def _lines(self, value: object, path: str) -> Iterator[str]:
        stack = [(path, value)]
        while stack and self.values <= _MOST_VALUES:
            name, one = stack.pop()
            if isinstance(one, (dict, list)) and one:
                stack.extend(reversed(list(_children(one, name))))
            else:
                self.values += 1
                yield f"{name}: {_scalar(one)}" if name else _scalar(one)


def _children(value: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, child in value.items():
            plain = key if _IDENTIFIER.fullmatch(key) else json.dumps(key, ensure_ascii=False)
            yield (f"{path}.{plain}" if path else plain), child
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield f"{path}[{number}]", child
    else:
        yield path, value


def _gathered(lines: list[str]) -> Iterator[Block]:
    for start in range(0, len(lines), _LINES_A_BLOCK):
        yield Block(ElementKind.TEXT, "\n".join(lines[start : start + _LINES_A_BLOCK]))


def _table(value: object) -> Grid | None:
    """Return a list of at least two flat objects as a table, or None."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(row, dict) and row for row in value):
        return None
    columns = dict.fromkeys(key for row in value for key in row)
    if not 2 <= len(columns) <= _MOST_COLUMNS or any(_is_nested(cell) for row in value for cell in row.values()):
        return None
    rows = ([_scalar(row[key]) if key in row else "" for key in columns] for row in value[:_MOST_VALUES])
    return Grid.of([list(columns), *rows])


def _is_nested(value: object) -> bool:
    return isinstance(value, (dict, list))


def _is_large(value: object) -> bool:
    """Say whether a value has so many values inside that it deserves a heading."""
    seen, stack = 0, [value]
    while stack and seen < _LEAST_SECTION:
        one = stack.pop()
        if isinstance(one, dict):
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)
        else:
            seen += 1
    return seen >= _LEAST_SECTION


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    return json.dumps(value, ensure_ascii=False)
