"""Conditions in LanceDB's SQL, with every value quoted."""

from __future__ import annotations

from collections.abc import Iterable


def quoted(value: str) -> str:
    """Return ``value`` as an SQL string."""
    return "'" + value.replace("'", "''") + "'"


def equals(column: str, value: str) -> str:
    """Return the condition that ``column`` is ``value``."""
    return f"{column} = {quoted(value)}"


def one_of(column: str, values: Iterable[str]) -> str:
    """Return the condition that ``column`` is one of ``values``; without values it is never true."""
    listed = ", ".join(quoted(value) for value in values)
    return f"{column} IN ({listed})" if listed else "false"


def both(*conditions: str | None) -> str | None:
    """Return the condition that all ``conditions`` that are given hold, or None when there is none."""
    # Brackets round a single one too: LanceDB ignores what follows a complete condition, but not inside brackets.
    return " AND ".join(f"({condition})" for condition in conditions if condition) or None
