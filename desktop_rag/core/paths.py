"""Where things lie. Everything the program writes is under one folder: ``DESKTOP_RAG_HOME`` or the platform's own."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import platformdirs

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.places import Place, load_places

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
    index: str = ""
    """Where LanceDB keeps the elements, if not in the workspace's own folder: an object-store address, or a folder."""

    home: Path | None = None
    """The data folder, if the workspace does not lie in it as usual."""

    @property
    def catalogue(self) -> Path:
        """The SQLite file."""
        return self.root / "catalogue.sqlite"

    @property
    def elements_uri(self) -> str:
        """The LanceDB directory, or its address on an object store."""
        return self.index or str(self.root / "lancedb")

    @property
    def is_remote(self) -> bool:
        """Whether the elements lie on an object store or a LanceDB server."""
        return "://" in self.index

    @property
    def print_views(self) -> Path:
        """The folder of laid-out PDFs, one per document without fixed pages: ``<document id>.pdf``."""
        return self.root / "print_views"

    @property
    def attachments(self) -> Path:
        """The folder of the files that are attached to messages: ``<document id of the message>/<hash>/<name>``."""
        return self.root / "attachments"

    @property
    def pictures(self) -> Path:
        """The folder of page pictures that were shown: ``<document id>/<picture>``. It may be deleted at any time."""
        return self.root / "pictures"

    @property
    def lock(self) -> Path:
        """The file whose holder may write."""
        return self.root / "writer.lock"

    @property
    def log(self) -> Path:
        """The log file; while the disk of the workspace is not there, one in the data folder."""
        return self.root / "desktop-rag.log" if self.is_reachable else self.base / "desktop-rag.log"

    @property
    def base(self) -> Path:
        """The data folder that the workspace belongs to."""
        return self.home or self.root.parent.parent

    @property
    def is_reachable(self) -> bool:
        """Whether the workspace's folder is there, or may be made: not so where its disk is not connected."""
        return self.root.parent == self.base / "workspaces" or self.root.is_dir()


def workspace_paths(name: str, base: Path | None = None) -> WorkspacePaths:
    """Return the places of workspace ``name`` under ``base`` (default :func:`home`); creates nothing.

    Raises UserFacingError for a name that could not be a folder on every platform.
    """
    if not _WORKSPACE_NAME.fullmatch(name) or name.endswith((".", " ")):
        raise UserFacingError(
            f"'{name}' cannot be the name of a workspace. Use 1 to 64 letters, digits, spaces, dots, dashes or "
            "underscores, beginning with a letter or digit."
        )
    base = base or home()
    place = load_places(base).get(name, Place())
    root = Path(place.folder) if place.folder else base / "workspaces" / name
    return WorkspacePaths(name, root, place.index, base)


def workspace_names(base: Path | None = None) -> tuple[str, ...]:
    """Return the names of the workspaces that exist under ``base``, sorted; the default one is always there."""
    folder = (base or home()) / "workspaces"
    found = {entry.name for entry in folder.iterdir() if entry.is_dir()} if folder.is_dir() else set()
    visible = {name for name in found if _WORKSPACE_NAME.fullmatch(name)}
    return tuple(sorted(visible | load_places(base or home()).keys() | {DEFAULT_WORKSPACE}))
