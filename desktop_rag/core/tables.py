"""A whole table for other programs: rows of cells as the document has them, and the texts that are made of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableData:
    """A table of a document, under an ``id`` that is unique within it.

    All rows have the same length; the first ``header_rows`` of them name the columns. A cell that was merged with its
    neighbours is repeated in each place that it covers. ``pages`` are those on which it has rows.
    """

    id: str
    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    pages: tuple[int, ...] = ()
    caption: str = ""
    unit: str = ""

    @property
    def header(self) -> tuple[str, ...]:
        """The full name of each column, as :func:`column_names` has it."""
        return column_names(self.rows, self.header_rows)

    def as_csv(self) -> str:
        """Return all rows, the header too, as CSV (RFC 4180); the caption is left out, as it is no row."""
        text = io.StringIO()
        csv.writer(text).writerows(self.rows)
        return text.getvalue()

    def as_markdown(self) -> str:
        """Return the caption and the table in Markdown, which knows one header row only."""
        lead = f"{self.caption} ({self.unit})" if self.caption and self.unit else self.caption or self.unit
        table = markdown_table(self.header, self.rows[self.header_rows :])
        return f"{lead}\n\n{table}" if lead else table

    def as_json(self) -> dict[str, object]:
        """Return the table in types that JSON knows; :meth:`from_json` reads it back."""
        return {
            "pages": list(self.pages),
            "caption": self.caption,
            "unit": self.unit,
            "header_rows": self.header_rows,
            "rows": [list(row) for row in self.rows],
        }

    @staticmethod
    def from_json(identity: str, told: dict[str, object]) -> TableData:
        """Return the table that :meth:`as_json` told."""
        rows, pages = told["rows"], told["pages"]
        assert isinstance(rows, list)
        assert isinstance(pages, list)
        return TableData(
            identity,
            tuple(tuple(row) for row in rows),
            int(str(told["header_rows"])),
            tuple(pages),
            str(told["caption"]),
            str(told["unit"]),
        )


def column_names(rows: Sequence[Sequence[str]], header_rows: int) -> tuple[str, ...]:
    """Return the full name of each column: its header rows from top to bottom, each different text once."""
    if not header_rows:
        return ("",) * len(rows[0]) if rows else ()
    names = []
    for column in zip(*rows[:header_rows], strict=True):
        parts = [text for index, text in enumerate(column) if text and text not in column[:index]]
        names.append(" ".join(parts))
    return tuple(names)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown: bars inside cells are escaped, and their line ends become ``<br>``."""
    lines = [_markdown_row(header), "|" + " --- |" * len(header)]
    return "\n".join([*lines, *(_markdown_row(row) for row in rows)])


def _markdown_row(row: Sequence[str]) -> str:
    cells = (cell.replace("|", "\\|").replace("\n", "<br>") for cell in row)
    return "| " + " | ".join(cells) + " |"
