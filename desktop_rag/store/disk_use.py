"""How much room a workspace takes, by its parts."""

from __future__ import annotations

from pathlib import Path

from desktop_rag.core.paths import WorkspacePaths
from desktop_rag.core.reports import DiskUse


def disk_use(paths: WorkspacePaths) -> DiskUse:
    """Return the bytes of each part; what another program deletes meanwhile counts as nothing."""
    catalogue = sum(size_of(path) for path in paths.root.glob(f"{paths.catalogue.name}*"))
    index = 0 if paths.is_remote else size_of(Path(paths.elements_uri))
    views = size_of(paths.print_views)
    attachments = size_of(paths.attachments)
    pictures = size_of(paths.pictures)
    logs = sum(size_of(path) for path in paths.root.glob("*.log*"))
    # The index may lie in the workspace's folder or not; whatever else is in it is counted, too.
    inside = [path for path in paths.root.glob("*") if path.name != "lancedb"] if paths.root.is_dir() else []
    other = max(0, sum(size_of(path) for path in inside) - catalogue - views - attachments - pictures - logs)
    return DiskUse(catalogue, index, views, attachments, logs, other, pictures)


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files below a folder; 0 when there is none."""
    try:
        if not path.is_dir():
            return path.stat().st_size
        return sum(one.stat().st_size for one in path.rglob("*") if one.is_file())
    except OSError:
        return 0
