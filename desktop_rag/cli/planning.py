"""What ``desktop-rag index`` does besides a plain sync: show its plan, give rules, wait for half-written files."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_rag.cli.output import amount, console, print_json, printable
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.events import LibraryEvent
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import Stage
from desktop_rag.core.reports import PlannedAction, PlannedSync, SyncSummary
from desktop_rag.core.rules import FolderRules

if TYPE_CHECKING:
    from desktop_rag.library import Library

_MORE_LOOKS = 30
"""How often, a second apart, files are looked at again that are being written while the command runs."""

_WORDS = {
    PlannedAction.ADD: "would be added",
    PlannedAction.REPLACE: "changed and would be read again",
    PlannedAction.MOVE: "moved and would keep what is known",
    PlannedAction.REMOVE: "gone and would be removed",
    PlannedAction.CANNOT_OPEN: "cannot be opened",
    PlannedAction.LEAVE_OUT: "left alone",
}


def preview_of(workspace: str, paths: Sequence[str], rules: FolderRules | None) -> PlannedSync:
    """Return what a sync would do; imported here, so that help comes at once."""
    from desktop_rag.preview import preview

    return preview(workspace, paths, rules)


def show_plan(plan: PlannedSync, json: bool) -> None:
    """Print a plan, every file of it."""
    if json:
        print_json(plan.as_json())
        return
    out = console()
    for action, words in _WORDS.items():
        steps = [step for step in plan.steps if step.action is action]
        if steps:
            out.print(f"{amount(len(steps), 'file', 'files')} {words}:", style="bold")
        for step in steps:
            out.print(printable(f"  {step.file}" + (f"  ({step.detail})" if step.detail else "")), soft_wrap=True)
    for folder in plan.offline:
        out.print(printable(f"{folder} cannot be reached now and would be left as it is."), soft_wrap=True)
    out.print(f"{amount(plan.unchanged, 'file', 'files')} unchanged. Nothing was done.")


def give_rules(library: Library, paths: Sequence[str], rules: FolderRules) -> None:
    """Give watched folders their rules; raises UserFacingError for one that lies inside another."""
    ids = {Path(row.path).resolve(): row.id for row in library.folders()}
    for shown in paths:
        if Path(shown).resolve() not in ids:
            raise UserFacingError(f"'{shown}' lies in a folder that is watched already: give the rules to that one.")
        library.set_rules(ids[Path(shown).resolve()], rules)


def settled_sync(
    library: Library, stages: Collection[Stage] | None, job: Job, emit: Callable[[LibraryEvent], None]
) -> SyncSummary:
    """Sync, and go on for a while with files that somebody is still writing."""
    summary = library.sync(stages=stages, job=job, emit=emit)
    for _ in range(_MORE_LOOKS):
        if not summary.unsettled:
            break
        time.sleep(1.0)
        job.check()
        summary = _both(summary, library.sync(stages=stages, job=job, emit=emit))
    return summary


def _both(first: SyncSummary, then: SyncSummary) -> SyncSummary:
    return replace(
        then,
        added=first.added + then.added,
        replaced=first.replaced + then.replaced,
        moved=first.moved + then.moved,
        removed=first.removed + then.removed,
        seconds=first.seconds + then.seconds,
    )
