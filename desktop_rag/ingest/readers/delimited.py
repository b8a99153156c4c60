"""Tables in text files: values separated by commas, semicolons, tabs or bars (CSV, TSV)."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import Block, ElementKind, ReadDocument
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.decoding import decode_head, is_text, laid_out, read_text

_SUFFIXES = {".csv": ",;\t|", ".tsv": "\t,;|", ".tab": "\t,;|"}
_UNNAMED_SUFFIXES = frozenset({".txt", ".dat", ""})
_NUMBER = re.compile(r"[-+–−]?[$€£]?\s?\d[\d.,'\s]*%?")


class DelimitedReader:
    """Reads the file as one table; lines above it that are no rows become paragraphs."""

    name = "csv"
    version = 1

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take files named as tables that parse as one, and unnamed ones whose every line has the same many cells."""
        if (suffix not in _SUFFIXES and suffix not in _UNNAMED_SUFFIXES) or not is_text(head):
            return False
        text = decode_head(head)
        if suffix in _SUFFIXES:
            return bool(_separator(text, _SUFFIXES[suffix], least_share=0.6))
        separator = _separator(text, "\t;", least_share=1.0)
        rows = _rows(text, separator) if separator else []
        return len(rows) >= 4 and len(rows[0]) >= 3

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises ReadError when it cannot be opened, is blank, or a row cannot be parsed."""
        text = read_text(path)
        wanted = _SUFFIXES.get(path.suffix.lower(), "\t;")
        separator = _separator(text[:200_000], wanted, least_share=0.0) or wanted[0]
        try:
            rows = _rows(text, separator)
        except csv.Error as error:
            raise ReadError(f"{path.name} is no well-formed table ({error}). Save it again as CSV.") from error
        return laid_out(path, path.stem, table_with_preamble(rows))


def table_with_preamble(rows: Sequence[Sequence[str]]) -> list[Block]:
    """Return the blocks of a sheet: single cells above the table as paragraphs, then the table."""
    start = 0
    if max((len(row) for row in rows), default=0) > 1:
        while start < len(rows) - 1 and sum(bool(cell.strip()) for cell in rows[start]) <= 1:
            start += 1
    above = [cell.strip() for row in rows[:start] for cell in row if cell.strip()]
    table = Grid.of(rows[start:], has_header=has_header(rows[start:]))
    return [*(Block(ElementKind.TEXT, text) for text in above), table.block()]


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether the first row names the columns: no number over numbers, and not the name and value of one thing."""
    if len(rows) < 2:
        return False
    first = [cell.strip() for cell in rows[0]]
    if not any(first) or first[0].endswith(":"):
        return False
    for index, cell in enumerate(first):
        below = [row[index].strip() for row in rows[1:50] if index < len(row) and row[index].strip()]
        same_kind = below and all(_NUMBER.fullmatch(value) for value in below)
        if _NUMBER.fullmatch(cell) and same_kind and not _names_a_year(cell, below):
            return False
    return True


def _names_a_year(cell: str, below: Sequence[str]) -> bool:
    """A column may be called 2023; then the values under it are not years themselves."""
    years = sum(bool(re.fullmatch(r"(19|20)\d\d", value)) for value in below)
    return bool(re.fullmatch(r"(19|20)\d\d", cell)) and years < len(below) / 2


def _separator(text: str, wanted: str, least_share: float) -> str:
    """Return the character at which most rows fall into the same number of cells, or "" if none does it well."""
    best, best_score = "", (0.0, 0)
    for separator in wanted:
        try:
            lengths = Counter(len(row) for row in _rows(text, separator))
        except csv.Error:
            continue
        width, count = max(
            ((width, n) for width, n in lengths.items() if width > 1), default=(0, 0), key=lambda x: x[1]
        )
        share = count / max(1, lengths.total())
        if width and share >= least_share and (round(share, 1), width) > best_score:
            best, best_score = separator, (round(share, 1), width)
    return best


def _rows(text: str, separator: str) -> list[list[str]]:
    rows = csv.reader(text.split("\n"), delimiter=separator, skipinitialspace=True)
    return [row for row in rows if any(cell.strip() for cell in row)]
