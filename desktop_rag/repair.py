"""Mending a workspace that cannot be opened: damaged parts are kept aside, and made anew from the documents."""

from __future__ import annotations

import time
from pathlib import Path

from desktop_rag.core.errors import DamagedDataError, UserFacingError
from desktop_rag.core.log import get_logger
from desktop_rag.core.paths import WorkspacePaths
from desktop_rag.store.database import Database
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.lock import WriterLock
from desktop_rag.store.pages import PAGES_FOLDER, PageStore
from desktop_rag.store.salvage import bring_over, copies_beside

_log = get_logger(__name__)


def mend(paths: WorkspacePaths, dimensions: int) -> tuple[str, ...]:
    """Make a workspace one that can be opened; return what was done, as sentences. Its next sync does the rest.

    Raises WorkspaceBusyError when another process writes to it, and NewerDataError for data of a newer version.
    """
    if not paths.root.is_dir():
        return ()
    with WriterLock(paths.lock):
        return (*mend_catalogue(paths), *mend_index(paths, dimensions))


def mend_catalogue(paths: WorkspacePaths) -> tuple[str, ...]:
    """Replace a damaged catalogue; conversations and folders are saved from it. The caller holds the writer's lock."""
    if not paths.catalogue.exists() or not _is_damaged(paths.catalogue):
        return ()
    aside = _aside(paths.root)
    for path in sorted(paths.root.glob(f"{paths.catalogue.name}*")):
        path.rename(aside / path.name)
    sources = (*copies_beside(aside / paths.catalogue.name), *copies_beside(paths.catalogue))
    fresh = Database(paths.catalogue)
    try:
        saved = bring_over(sources, fresh)
    finally:
        fresh.close()
    _log.warning("the catalogue was damaged and is made anew")
    return (
        f"The catalogue was damaged. It is kept in {aside}, and a new one was made with {saved.threads} conversations "
        f"and {saved.folders} folders; the documents are read again.",
    )


def mend_index(paths: WorkspacePaths, dimensions: int) -> tuple[str, ...]:
    """Put damaged LanceDB directories aside, so that new ones are made. The caller holds the writer's lock."""
    if paths.is_remote or not Path(paths.elements_uri).exists():
        return ()
    if fault := _fault(ElementStore(paths.elements_uri, dimensions, read_only=True)):
        aside = _aside(paths.root)
        Path(paths.elements_uri).rename(aside / "lancedb")
        _log.warning("the index was damaged and is made anew: %s", fault)
        return (f"The search index was damaged. It is kept in {aside}; the documents are read again.",)
    if fault := _fault(PageStore(paths.elements_uri, read_only=True)):
        aside = _aside(paths.root)
        Path(paths.elements_uri, PAGES_FOLDER).rename(aside / PAGES_FOLDER)
        _log.warning("the page index was damaged and is made anew: %s", fault)
        return (f"The page index was damaged. It is kept in {aside}; the pages are looked at again.",)
    return ()


def _fault(store: ElementStore | PageStore) -> str:
    """Return what went wrong when all of a store was read; empty if nothing did."""
    try:
        store.read_through()
    except UserFacingError as error:
        return type(error.__cause__).__name__
    finally:
        store.close()
    return ""


def _is_damaged(catalogue: Path) -> bool:
    try:
        database = Database(catalogue)
    except DamagedDataError:
        return True
    try:
        return bool(database.check())
    except DamagedDataError:
        return True
    finally:
        database.close()


def _aside(root: Path) -> Path:
    folder = root / f"damaged-{time.strftime('%Y%m%d-%H%M%S')}"
    folder.mkdir(exist_ok=True)
    return folder
