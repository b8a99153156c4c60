"""How results reach the terminal: text of documents never acts as markup or as control codes, JSON is always JSON."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_PIPED_WIDTH = 240
"""Columns of a table that goes to a file or another program: file names stay whole."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def tell(message: str) -> None:
    """Write a message for the person to standard error."""
    print(printable(message), file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """Return ``text`` without what a terminal would obey, or could not show."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def print_json(value: object) -> None:
    """Write ``value`` as JSON to standard output, whatever the encoding of the terminal is."""
    print(as_json(value, sys.stdout.encoding), flush=True)


def as_json(value: object, encoding: str | None = "utf-8") -> str:
    """Return ``value`` as JSON text that ``encoding`` can carry, lone surrogates of odd file names included."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode(encoding or "ascii")
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, indent=2)
    return text


def console(stream: TextIO | None = None) -> Console:
    """Return a console for ``stream`` (default: standard output) that takes all text literally."""
    from rich.console import Console

    file = stream or sys.stdout
    width = None if file.isatty() else _PIPED_WIDTH
    return Console(file=file, markup=False, emoji=False, highlight=False, width=width, soft_wrap=False)


def table(*columns: str, right: frozenset[str] = frozenset()) -> Table:
    """Return an empty table; ``right`` names the columns of numbers."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        made.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return made


def megabytes(count: int) -> str:
    """Return a number of bytes as people read it: "12.3 MB"."""
    return f"{count / 1_000_000:,.1f} MB"


def amount(number: int, one: str, many: str) -> str:
    """Return "1 file" or "1,204 files"."""
    return f"{number:,} {one if number == 1 else many}"
