"""The calls of the window that are about workspaces as wholes; the open one is written to only by its library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from desktop_rag.core.paths import home, workspace_names, workspace_paths
from desktop_rag.core.reports import WorkspaceRow
from desktop_rag.engine.protocol import Relocation

if TYPE_CHECKING:
    from desktop_rag.workspaces import Workspaces


class OpenWorkspace(Protocol):
    """What is needed of the library that is open."""

    def back_up(self, archive: str) -> str:
        """Write the workspace into an archive."""

    def repair(self) -> tuple[str, ...]:
        """Mend the index."""


def workspace_calls(
    base: Path | None, name: str, library: OpenWorkspace, held: Callable[[], AbstractContextManager[None]]
) -> Mapping[str, Callable[..., object]]:
    """Return the calls by name; ``held`` keeps syncs away, and ``name`` is the workspace that is open."""

    def all_of_them() -> Workspaces:
        from desktop_rag.workspaces import Workspaces

        return Workspaces(base or home())

    def listed() -> tuple[WorkspaceRow, ...]:
        return all_of_them().all()

    def back_up(which: str, archive: str) -> str:
        if which != name:
            return str(all_of_them().back_up(which, archive))
        with held():
            return library.back_up(archive)

    def repair() -> tuple[str, ...]:
        with held():
            return library.repair()

    return {
        "workspaces": listed,
        "create_workspace": lambda new: all_of_them().create(new),
        "rename_workspace": lambda which, new: all_of_them().rename(which, new),
        "move_workspace": lambda which, folder: all_of_them().move(which, folder),
        "remove_workspace": lambda which: all_of_them().remove(which),
        "restore_workspace": lambda archive, new: all_of_them().restore(archive, new),
        "back_up_workspace": back_up,
        "repair": repair,
    }


def relocate(wanted: Relocation, base: Path | None) -> None:
    """Rename or move a workspace that no engine has open any more; one that was renamed already is left alone.

    Raises UserFacingError when that cannot be done; all is as it was then.
    """
    from desktop_rag.workspaces import Workspaces

    workspaces = Workspaces(base or home())
    if not wanted.new_name:
        workspaces.move(wanted.name, wanted.folder)
    elif not (_exists(wanted.new_name, base) and not _exists(wanted.name, base)):  # this engine's predecessor died
        workspaces.rename(wanted.name, wanted.new_name)


def _exists(name: str, base: Path | None) -> bool:
    return name in workspace_names(base) and workspace_paths(name, base).root.is_dir()
