"""Which files are left alone without anybody saying so: hidden and temporary ones, tool folders, what is too large."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import PurePath

_TOOL_FOLDERS = frozenset(
    {"__pycache__", "node_modules", "bower_components", "site-packages", "$RECYCLE.BIN", "System Volume Information"}
)
_BUILD_FOLDERS = frozenset({"build", "dist", "target", "out", "bin", "obj", "venv", "env"})
_PROJECT_FILES = frozenset(
    {
        "pyproject.toml", "setup.py", "package.json", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts",
        "CMakeLists.txt", "Makefile", "meson.build", "go.mod",
    }
)  # fmt: skip
_TEMPORARY_ENDS = (".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".swp", ".swo", "~")
_SYSTEM_FILES = frozenset({"thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r"})
_LAST_THREE = frozenset(
    "".join(letters)
    for end in (*_TEMPORARY_ENDS, *_SYSTEM_FILES)
    for letters in product(*zip(end[-3:].lower(), end[-3:].upper(), strict=True))
)
"""How the names that :func:`ignored_file` looks for end, in all their spellings."""
_CACHE_TAG = "CACHEDIR.TAG"
"""A file that tools put into folders of theirs that can be made again (https://bford.info/cachedir/)."""


def ignored_folder(name: str, beside: frozenset[str] = frozenset()) -> bool:
    """Return whether a folder of this name is not entered: hidden, or made and filled by a tool.

    A word like "build" may name a folder of documents too, so it counts only where a project's file lies ``beside``.
    """
    if name.startswith(".") or name in _TOOL_FOLDERS:
        return True
    return name in _BUILD_FOLDERS and not _PROJECT_FILES.isdisjoint(beside)


def is_tools_own(names: frozenset[str]) -> bool:
    """Return whether a folder with these entries belongs to a tool: marked as a cache, or a Python environment."""
    return _CACHE_TAG in names or "pyvenv.cfg" in names


def doubtful_names(names: Iterable[str]) -> frozenset[str]:
    """Return those of ``names`` of which :func:`ignored_file` must be asked: few, and all that it may leave alone."""
    return frozenset([name for name in names if name[0] == "." or "~" in name or name[-3:] in _LAST_THREE])


def ignored_file(name: str, size: int, largest_bytes: int) -> str:
    """Return the reason, as a sentence, why a file is not read; empty when it is.

    ``size`` and ``largest_bytes`` are in bytes.
    """
    if name.startswith("."):
        return "Hidden file: left alone."
    lower = name.lower()
    if name.startswith("~$") or lower.endswith(_TEMPORARY_ENDS):
        return "Temporary file of another program: left alone."
    if lower in _SYSTEM_FILES:
        return "A file of the operating system: left alone."
    if size > largest_bytes:
        megabytes = largest_bytes // 1_000_000
        return f"Larger than {megabytes} MB, the limit in the settings (largest_file_megabytes): not read."
    return ""


def is_inside(path: PurePath, folder: PurePath) -> bool:
    """Return whether ``path`` is ``folder`` itself or lies below it; both absolute."""
    return path == folder or folder in path.parents
