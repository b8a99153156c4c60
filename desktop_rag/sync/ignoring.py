"""Ignore files: patterns as git has them, in ``.gitignore`` and ``.ragignore`` files and in the rules of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_rag.core.log import get_logger
from desktop_rag.core.rules import FolderRules

_log = get_logger(__name__)

IGNORE_FILES = (".gitignore", ".ragignore")
"""In the order of their weight: what .ragignore says of a file counts more."""

_LARGEST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class _Listed:
    """The patterns of one ignore file; paths are looked at from ``prefix`` characters on: relative to its folder."""

    prefix: int
    name: str
    spec: Any


@dataclass(frozen=True, slots=True)
class Ignores:
    """The ignore files that hold in a folder: its own and those of the folders above it, up to the watched one."""

    files: tuple[_Listed, ...] = ()

    def below(self, folder: str, names: frozenset[str]) -> Ignores:
        """Return what holds in ``folder``, whose entries are ``names``."""
        found = [name for name in IGNORE_FILES if name in names]
        if not found:
            return self
        more = [one for name in found if (one := _read(folder, name)) is not None]
        return Ignores((*self.files, *more))

    def reason(self, path: str, *, is_folder: bool = False) -> str:
        """Return why ``path`` is left alone, as a sentence; empty when it is not. The nearest file that says counts."""
        for one in reversed(self.files):
            relative = path[one.prefix :]
            verdict = one.spec.check_file(relative + "/" if is_folder else relative).include
            if verdict is not None:
                return f"Left out by {one.name} in its folder or above." if verdict else ""
        return ""


class RuleMatcher:
    """The rules that a person gave a watched folder."""

    def __init__(self, root: str, rules: FolderRules) -> None:
        self._prefix = prefix_length(root)
        self._include = _spec(rules.include) if rules.include else None
        self._exclude = _spec(rules.exclude) if rules.exclude else None

    def leaves_folder(self, path: str) -> bool:
        """Return whether a folder is not entered at all."""
        return self._exclude is not None and bool(self._exclude.match_file(path[self._prefix :] + "/"))

    def reason(self, path: str) -> str:
        """Return why a file is left alone, as a sentence; empty when it is not."""
        relative = path[self._prefix :]
        if self._exclude is not None and self._exclude.match_file(relative):
            return "Left out by the rules of this folder."
        if self._include is not None and not self._include.match_file(relative):
            return "Not among the files that the rules of this folder let in."
        return ""


def prefix_length(folder: str) -> int:
    """Return how many characters of a path below ``folder`` come before the part that is relative to it."""
    return len(folder.rstrip("/\\")) + 1


def _read(folder: str, name: str) -> _Listed | None:
    path = Path(folder, name)
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_BYTES:
            return None
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        _log.warning("an ignore file cannot be read: %s", error.strerror)
        return None
    return _Listed(prefix_length(folder), name, _spec(lines))


def _spec(lines: Sequence[str]) -> Any:
    """Return a matcher for ``lines``; one that is no pattern is left out, as git does."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
