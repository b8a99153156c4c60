"""What a person says of a watched folder: which of its files are read, and which are left alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FolderRules:
    """Patterns as in a .gitignore file, relative to the folder.

    With ``include`` only files that match one of these are read; what matches ``exclude`` is left alone in any case.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def as_json(self) -> dict[str, list[str]]:
        """Return the rules in the form of the JSON contract."""
        return {"include": list(self.include), "exclude": list(self.exclude)}


def patterns(lines: str | Iterable[str]) -> tuple[str, ...]:
    """Return the patterns in a text of one a line, or in a list; blank lines are left out."""
    listed = lines.splitlines() if isinstance(lines, str) else lines
    return tuple(line.strip() for line in listed if line.strip())
