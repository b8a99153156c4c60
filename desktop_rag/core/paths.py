"""Where things lie. Everything the program writes is under one folder: ``DESKTOP_RAG_HOME`` or the platform's own."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import platformdirs

from desktop_rag.core.errors import UserFacingError

DEFAULT_WORKSPACE = "default"
_WORKSPACE_NAME = re.compile(r"[^\W_][\w .-]{0,63}")


def home() -> Path:
    """Return the data folder: ``DESKTOP_RAG_HOME``, or the platform's user data directory."""
    given = os.environ.get("DESKTOP_RAG_HOME")
    if given:
        return Path(given).expanduser().resolve()
    return Path(platformdirs.user_data_dir("desktop-rag", appauthor=False))


def resource(*parts: str) -> Path:
    """Return the path of a file that ships with the program, e.g. ``resource("prompts", "answer.txt")``.

    An installed wheel holds them inside the package; a checkout holds them at its top, and the samples in assets/.
    Raises FileNotFoundError when the installation is incomplete.
    """
    package = Path(str(resources.files("desktop_rag")))
    checkout = package.parent
    candidates = [package / "resources", checkout / "resources", checkout / "assets"]
    for base in candidates:
        path = base.joinpath(*parts)
        if path.exists():
            return path
    raise FileNotFoundError(f"the program's own file {'/'.join(parts)} is missing: install Desktop RAG again")


@dataclass(frozen=True, slots=True)
class WorkspacePaths:
    """The places of one workspace."""

    name: str
    root: Path

    @property
    def catalogue(self) -> Path:
        """The SQLite file."""
        return self.root / "catalogue.sqlite"

    @property
    def elements(self) -> Path:
        """The LanceDB directory."""
        return self.root / "lancedb"

    @property
    def print_views(self) -> Path:
        """The folder of laid-out PDFs, one per document without fixed pages: ``<document id>.pdf``."""
        return self.root / "print_views"

    @property
    def attachments(self) -> Path:
        """The folder of the files that are attached to messages: ``<document id of the message>/<hash>/<name>``."""
        return self.root / "attachments"

    @property
    def lock(self) -> Path:
        """The file whose holder may write."""
        return self.root / "writer.lock"

    @property
    def log(self) -> Path:
        """The log file."""
        return self.root / "desktop-rag.log"


def workspace_paths(name: str, base: Path | None = None) -> WorkspacePaths:
    """Return the places of workspace ``name`` under ``base`` (default :func:`home`); creates nothing.

    Raises UserFacingError for a name that could not be a folder on every platform.
    """
    if not _WORKSPACE_NAME.fullmatch(name) or name.endswith((".", " ")):
        raise UserFacingError(
            f"'{name}' cannot be the name of a workspace. Use 1 to 64 letters, digits, spaces, dots, dashes or "
            "underscores, beginning with a letter or digit."
        )
    return WorkspacePaths(name, (base or home()) / "workspaces" / name)


def workspace_names(base: Path | None = None) -> tuple[str, ...]:
    """Return the names of the workspaces that exist under ``base``, sorted; the default one is always there."""
    folder = (base or home()) / "workspaces"
    found = {entry.name for entry in folder.iterdir() if entry.is_dir()} if folder.is_dir() else set()
    return tuple(sorted(found | {DEFAULT_WORKSPACE}))
