"""Which files are left alone, and why: hidden and temporary files, tool folders, and what is too large."""

from __future__ import annotations

from pathlib import PurePath

_TOOL_FOLDERS = frozenset(
    {"__pycache__", "node_modules", "bower_components", "site-packages", "$RECYCLE.BIN", "System Volume Information"}
)
_TEMPORARY_ENDS = (".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".swp", ".swo", "~")
_SYSTEM_FILES = frozenset({"thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r"})


def ignored_folder(name: str) -> bool:
    """Return whether a folder of this name is not entered: hidden, or made and filled by a tool."""
    return name.startswith(".") or name in _TOOL_FOLDERS


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
