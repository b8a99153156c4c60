"""A workspace in one file: a zip archive of the catalogue, the index and the print views, with what it is on top."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from desktop_rag.core.errors import NewerDataError, UserFacingError
from desktop_rag.core.paths import WorkspacePaths
from desktop_rag.store.faults import explained

FORMAT = 1
_KIND = "desktop-rag workspace"
_MANIFEST = "manifest.json"
_CATALOGUE = "catalogue.sqlite"
_INDEX = "lancedb"
_VIEWS = "print_views"
_ATTACHMENTS = "attachments"


def write_archive(paths: WorkspacePaths, target: Path) -> Path:
    """Write the workspace into ``target``, whole or not at all; the caller sees to it that nobody writes to it.

    An index on an object store is left out: it is made again from the documents. Raises UserFacingError when the file
    exists or cannot be written.
    """
    target = target.expanduser().resolve()
    if target.is_dir():
        target = target / f"{paths.name}-{time.strftime('%Y-%m-%d')}.zip"
    if target.exists():
        raise UserFacingError(f"{target} exists already. Choose another name, or delete it first.")
    with explained(target):
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                _fill(archive, paths)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    return target


@dataclass(frozen=True, slots=True)
class OpenedArchive:
    """An archive that is one of ours. ``name`` is that of the workspace, ``folder`` where it lay."""

    name: str
    folder: str
    archive: zipfile.ZipFile

    def unpack(self, folder: Path) -> None:
        """Make ``folder`` from the archive, whole or not at all; raises UserFacingError when it is damaged."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".restoring-"))
        try:
            for member in self.archive.namelist():
                if member != _MANIFEST:
                    self.archive.extract(_harmless(member), fresh)
            fresh.chmod(0o755)
            fresh.replace(folder)
        except (zipfile.BadZipFile, EOFError, ValueError) as error:
            raise UserFacingError(f"{self.archive.filename} is damaged: {error}. Use another backup.") from error
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


@contextmanager
def read_archive(path: Path) -> Iterator[OpenedArchive]:
    """Open an archive; raises UserFacingError when it is none of ours, and NewerDataError for a newer format."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = json.loads(archive.read(_MANIFEST))
            if manifest.get("kind") != _KIND:
                raise KeyError(_MANIFEST)
            if manifest["format"] > FORMAT:
                raise NewerDataError(f"{path} was written by a newer version of Desktop RAG. Install that version.")
            yield OpenedArchive(str(manifest["name"]), str(manifest["folder"]), archive)
    except FileNotFoundError as error:
        raise UserFacingError(f"{path} does not exist. Check the spelling.") from error
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserFacingError(f"{path} is no backup of a workspace, or it is damaged.") from error


def _fill(archive: zipfile.ZipFile, paths: WorkspacePaths) -> None:
    manifest = {
        "kind": _KIND,
        "format": FORMAT,
        "name": paths.name,
        "folder": str(paths.root),
        "written_at": time.time(),
    }
    manifest |= {"folder": str(paths.root), "written_at": time.time()}
    archive.writestr(_MANIFEST, json.dumps(manifest, indent=2))
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / _CATALOGUE
        with closing(sqlite3.connect(paths.catalogue)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)  # with what is still in the write-ahead log
        archive.write(copy, _CATALOGUE)
    if not paths.is_remote:
        _add_folder(archive, Path(paths.elements_uri), _INDEX)
    _add_folder(archive, paths.print_views, _VIEWS)
    _add_folder(archive, paths.attachments, _ATTACHMENTS)


def _add_folder(archive: zipfile.ZipFile, folder: Path, name: str) -> None:
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file():
            archive.write(path, str(PurePosixPath(name, *path.relative_to(folder).parts)))


def _harmless(member: str) -> str:
    """Return a name that stays below the folder; zipfile makes such names harmless, but ours never need it."""
    parts = PurePosixPath(member).parts
    if (
        not parts
        or parts[0] not in (_CATALOGUE, _INDEX, _VIEWS, _ATTACHMENTS)
        or ".." in parts
        or member.startswith("/")
    ):
        raise ValueError(f"it holds '{member}'")
    return member
