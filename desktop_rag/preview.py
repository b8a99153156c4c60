"""What a sync would do, without doing any of it: nothing is written, not even a workspace that is new."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import FileState, FolderState
from desktop_rag.core.paths import home, workspace_paths
from desktop_rag.core.reports import PlannedAction, PlannedStep, PlannedSync
from desktop_rag.core.rules import FolderRules
from desktop_rag.core.settings import load_settings
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.files import FileRecord, FolderRecord, Stamp
from desktop_rag.sync.rules import is_inside
from desktop_rag.sync.scanner import Scanner
from desktop_rag.sync.settling import Settling
from desktop_rag.sync.survey import Survey, Surveyor


class _NoFiles:
    """The ledger of a workspace that does not exist yet."""

    def stamps(self, folder_id: int) -> dict[str, Stamp]:
        return {}

    def all(self) -> tuple[FileRecord, ...]:
        return ()

    def at(self, path: Path) -> FileRecord | None:
        return None


def preview(
    workspace: str,
    paths: Sequence[str] = (),
    rules: FolderRules | None = None,
    base: Path | None = None,
    job: Job | None = None,
) -> PlannedSync:
    """Return what adding ``paths`` and syncing would do; ``rules`` are those of the folders to be added.

    Raises UserFacingError for a path that is not there, and for a workspace that cannot be opened.
    """
    base = base or home()
    places = workspace_paths(workspace, base)
    settings = load_settings(base / "settings.toml")
    scanner = Scanner(settings.largest_file_megabytes * 1_000_000)
    if not places.catalogue.exists():
        return _plan(Surveyor(_NoFiles(), scanner, Settling()), (), paths, rules, job or Job(), {})
    with Catalogue.open(places.catalogue, read_only=True) as catalogue:
        known = {record.path: record.reason for record in catalogue.files.in_states([FileState.IGNORED])}
        surveyor = Surveyor(catalogue.files, scanner, Settling())
        return _plan(surveyor, catalogue.folders.all(), paths, rules, job or Job(), known)


def _plan(
    surveyor: Surveyor,
    watched: Iterable[FolderRecord],
    paths: Sequence[str],
    rules: FolderRules | None,
    job: Job,
    left_out: dict[Path, str],
) -> PlannedSync:
    folders = list(watched)
    for number, shown in enumerate(paths, start=1):
        path = Path(shown).resolve()
        if not path.exists():
            raise UserFacingError(f"'{shown}' does not exist. Check the spelling, or whether its disk is connected.")
        same = [folder for folder in folders if folder.path == path]
        if not any(is_inside(path, folder.path) for folder in folders if not folder.is_file or folder in same):
            state = FolderState.READY
            folders.append(FolderRecord(-number, path, shown, path.is_file(), state, rules=rules or FolderRules()))
    survey = surveyor.look(folders, None, job, lambda _: None)
    offline = tuple(folder.shown for folder, state, _ in survey.folders if state is FolderState.OFFLINE)
    return PlannedSync(tuple(_steps(survey, left_out)), survey.unchanged + len(survey.plan.touched), offline)


def _steps(survey: Survey, left_out: dict[Path, str]) -> Iterable[PlannedStep]:
    plan = survey.plan
    yield from (PlannedStep(PlannedAction.ADD, one.source.shown) for one in plan.added)
    yield from (PlannedStep(PlannedAction.REPLACE, one.source.shown) for one in plan.replaced)
    yield from (PlannedStep(PlannedAction.MOVE, one.source.shown, one.record.shown) for one in plan.moved)
    yield from (PlannedStep(PlannedAction.REMOVE, record.shown) for record in plan.removed)
    yield from (PlannedStep(PlannedAction.CANNOT_OPEN, source.shown, why) for source, why in plan.unreadable)
    for one in survey.skipped:
        action = PlannedAction.CANNOT_OPEN if one.failed else PlannedAction.LEAVE_OUT
        if left_out.get(one.source.path) != one.reason:
            yield PlannedStep(action, one.source.shown, one.reason)
