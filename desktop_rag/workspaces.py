"""Workspaces as wholes: made, renamed, moved to another disk, backed up, restored and removed."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from desktop_rag.core.errors import UserFacingError, WorkspaceBusyError
from desktop_rag.core.log import stop_logging_to
from desktop_rag.core.paths import DEFAULT_WORKSPACE, WorkspacePaths, home, workspace_names, workspace_paths
from desktop_rag.core.places import Place, load_places, save_places
from desktop_rag.core.reports import DiskUse, WorkspaceRow
from desktop_rag.store.archive import read_archive, write_archive
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.disk_use import disk_use
from desktop_rag.store.faults import explained
from desktop_rag.store.lock import WriterLock

_WAIT_S = 10.0
"""How long to wait for a window that was just closed to let go of a workspace."""


@dataclass(frozen=True, slots=True)
class Workspaces:
    """All workspaces under one data folder. None of the calls touches a document of the person's own."""

    base: Path
    wait_s: float = _WAIT_S

    @staticmethod
    def at_home() -> Workspaces:
        """Return those of the usual data folder."""
        return Workspaces(home())

    def all(self) -> tuple[WorkspaceRow, ...]:
        """Return the workspaces with their places and sizes; the default one is listed even before it exists."""
        return tuple(self._row(workspace_paths(name, self.base)) for name in workspace_names(self.base))

    def create(self, name: str, folder: str = "", index: str = "") -> WorkspaceRow:
        """Make an empty workspace, in ``folder`` or in its usual place; ``index`` is an address for LanceDB.

        Raises UserFacingError when there is one of that name already, or the place cannot be used.
        """
        paths = workspace_paths(name, self.base)
        if paths.catalogue.exists() or name in load_places(self.base):
            raise UserFacingError(f"There is a workspace '{name}' already. Choose another name.")
        place = Place(str(_new_folder(folder, name)) if folder else "", index)
        self._put_place(name, place)
        try:
            made = workspace_paths(name, self.base)
            with explained(made.root):
                made.root.mkdir(parents=True, exist_ok=True)
            Catalogue.open(made.catalogue).close()
        except BaseException:
            self._put_place(name, Place())
            raise
        return self._row(made)

    def rename(self, name: str, new_name: str) -> WorkspaceRow:
        """Give a workspace another name. One on another disk stays where it is."""
        paths, target = self._existing(name), workspace_paths(new_name, self.base)
        self._refuse_default(name, "renamed")
        if target.root.exists() or new_name in load_places(self.base):
            raise UserFacingError(f"There is a workspace '{new_name}' already. Choose another name.")
        place = load_places(self.base).get(name, Place())
        with self._alone(paths) as lock, explained(paths.root):
            if not place.folder:
                lock.release()  # Windows renames no folder with an open file in it
                paths.root.rename(target.root)
                _relocate(target, paths.root)
        self._put_place(name, Place())
        self._put_place(new_name, place)
        return self._row(workspace_paths(new_name, self.base))

    def move(self, name: str, folder: str) -> WorkspaceRow:
        """Move a workspace into ``folder``, which may lie on another disk; an empty text means the usual place.

        The old place is emptied only when all is copied and the new place is noted.
        """
        paths = self._existing(name)
        place = load_places(self.base).get(name, Place())
        target = _new_folder(folder, name) if folder else self.base / "workspaces" / name
        if target == paths.root:
            return self._row(paths)
        if target.exists() and any(target.iterdir()):
            raise UserFacingError(f"{target} is not empty. Choose another folder.")
        with self._alone(paths) as lock, explained(target):
            _copy(paths.root, target)
            _relocate(replace(paths, root=target), paths.root)
            self._put_place(name, replace(place, folder=str(target) if folder else ""))
            lock.release()
            shutil.rmtree(paths.root, ignore_errors=True)
        return self._row(workspace_paths(name, self.base))

    def remove(self, name: str) -> None:
        """Delete a workspace with its index and conversations; documents stay where they are.

        An index on an object store is emptied too.
        """
        paths = self._existing(name)
        with self._alone(paths) as lock, explained(paths.root):
            if paths.is_remote:
                _drop_remote(paths.elements_uri)
            lock.release()
            shutil.rmtree(paths.root)
        self._put_place(name, Place())

    def back_up(self, name: str, archive: str) -> Path:
        """Write a workspace into one archive, which :meth:`restore` reads; the workspace may be read meanwhile."""
        paths = self._existing(name)
        with self._alone(paths):
            return write_archive(paths, Path(archive))

    def restore(self, archive: str, name: str = "", folder: str = "") -> WorkspaceRow:
        """Make a workspace from an archive, under the name that it had or another one.

        Raises UserFacingError for a file that is no such archive, is damaged or of a newer version, and for a name
        that is taken. Nothing is left behind then.
        """
        with read_archive(Path(archive)) as opened:
            name = name or opened.name
            paths = workspace_paths(name, self.base)
            if paths.root.exists() or name in load_places(self.base):
                raise UserFacingError(f"There is a workspace '{name}' already. Choose another name, with --name.")
            target = _new_folder(folder, name) if folder else paths.root
            with explained(target):
                opened.unpack(target)
                _relocate(replace(paths, root=target), Path(opened.folder))
        self._put_place(name, Place(str(target) if folder else ""))
        return self._row(workspace_paths(name, self.base))

    def _row(self, paths: WorkspacePaths) -> WorkspaceRow:
        there = paths.root.is_dir()
        use = disk_use(paths) if there else DiskUse(0, 0, 0, 0, 0, 0)
        return WorkspaceRow(paths.name, str(paths.root), paths.index, use, paths.is_reachable)

    def _existing(self, name: str) -> WorkspacePaths:
        paths = workspace_paths(name, self.base)
        if not paths.root.is_dir():
            if name in load_places(self.base):
                raise UserFacingError(
                    f"The workspace '{name}' lies in {paths.root}, which is not there. Connect its disk."
                )
            raise UserFacingError(f"There is no workspace '{name}'. See them all with: desktop-rag workspace list")
        return paths

    @staticmethod
    def _refuse_default(name: str, what: str) -> None:
        if name == DEFAULT_WORKSPACE:
            raise UserFacingError(
                f"The workspace '{name}' cannot be {what}: it is the one that opens when none is named. "
                "Back it up and restore it under another name."
            )

    def _put_place(self, name: str, place: Place) -> None:
        places = load_places(self.base)
        if places.get(name, Place()) != place:
            save_places(self.base, {**places, name: place})

    @contextmanager
    def _alone(self, paths: WorkspacePaths) -> Iterator[WriterLock]:
        """Hold the writer's lock, waiting a little for who is just letting go of it."""
        lock = WriterLock(paths.lock)
        deadline = time.monotonic() + self.wait_s
        while True:
            try:
                lock.acquire()
                break
            except WorkspaceBusyError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.1)
        stop_logging_to(paths.log)  # Windows renames no file that is open
        try:
            yield lock
        finally:
            lock.release()


def _new_folder(folder: str, name: str) -> Path:
    """Return the folder for a workspace inside ``folder``, which must exist: a disk that is not there is no place."""
    parent = Path(folder).expanduser().resolve()
    if not parent.is_dir():
        raise UserFacingError(f"The folder {folder} does not exist. Make it first, or connect its disk.")
    return parent / name


def _copy(source: Path, target: Path) -> None:
    """Copy a workspace; a copy that fails half-way is taken away again."""
    try:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("writer.lock"), dirs_exist_ok=True)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise


def _relocate(paths: WorkspacePaths, old_root: Path) -> None:
    if paths.catalogue.exists():
        with Catalogue.open(paths.catalogue) as catalogue:
            catalogue.files.relocate_attached(old_root, paths.root)


def _drop_remote(uri: str) -> None:
    import lancedb

    with explained(uri):
        lancedb.connect(uri).drop_all_tables()
