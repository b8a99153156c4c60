"""``desktop-rag index`` and ``status``: bring the index in step with the disk, and say what it knows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop_rag.cli.common import (
    PARTLY,
    JsonOption,
    WorkspaceOption,
    interruptible,
    opened,
    stages_named,
    workspace_name,
)
from desktop_rag.cli.output import amount, console, megabytes, print_json, printable, table
from desktop_rag.cli.passwords import ask_for_passwords, can_ask, passwords_given
from desktop_rag.cli.planning import give_rules, preview_of, settled_sync, show_plan
from desktop_rag.cli.progress import ProgressDisplay
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import FileRow, FileState, FolderState, Ledger, Stage, StageState
from desktop_rag.core.reports import SyncSummary
from desktop_rag.core.rules import FolderRules, patterns

if TYPE_CHECKING:
    from desktop_rag.library import Library

_SHOWN = 20
"""Files that are listed by name after indexing; the rest is counted and found by ``status``."""


def index(
    context: typer.Context,
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Folders or files to add.")],
    workspace: WorkspaceOption = None,
    stages: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="text,vectors,tables,ocr,pages or all, the default (figures come later)."),
    ] = None,
    password: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PASSWORD",
            help="A password to try on locked files; can be given several times. Other users of this computer may see "
            "it in the list of programs: --password-file, or the question in the terminal, keep it to yourself.",
        ),
    ] = None,
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A text file with one password to try on each line.")
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Read only such files of these folders, e.g. '*.pdf'; may be repeated."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Leave such files and folders alone, as .gitignore has them; repeatable."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    json: JsonOption = False,
) -> None:
    """Add folders or files and index them.

    It ends when all is done, and brings everything else that changed on the disk up to date, too. What .gitignore and
    .ragignore files name is left alone. In a terminal it asks for the password of each locked file. Passwords are used
    now and not kept.
    """
    wanted = stages_named(stages)
    rules = FolderRules(patterns(include or ()), patterns(exclude or ())) if include or exclude else None
    if dry_run:
        show_plan(preview_of(workspace_name(context, workspace), paths, rules), json)
        return
    passwords = passwords_given(password, password_file)
    with opened(context, workspace) as library, interruptible() as job:
        library.add_paths(paths)
        if rules is not None:
            give_rules(library, paths, rules)
        if passwords:
            library.take_passwords(passwords)
        summary = _synced(library, wanted, job)
        ledger = library.status()
    unsupported = tuple(row for row in ledger.files if row.state is FileState.UNSUPPORTED)
    if json:
        print_json(_summary_json(ledger.workspace, summary, unsupported))
    else:
        _print_summary(summary, unsupported)
    if summary.failed:
        raise typer.Exit(PARTLY)


def _synced(library: Library, stages: Collection[Stage] | None, job: Job) -> SyncSummary:
    """Sync; where a person can be asked, the text comes first, and then the question for passwords."""

    def run(stages: Collection[Stage] | None) -> SyncSummary:
        with ProgressDisplay() as display:
            return settled_sync(library, stages, job, display.on_event)

    reads = stages is None or Stage.TEXT in stages
    if not (reads and can_ask()):
        return run(stages)
    first = run([Stage.TEXT])
    ask_for_passwords(library)
    rest = run(stages)
    return replace(first, failed=rest.failed, seconds=first.seconds + rest.seconds)


def _summary_json(workspace: str, summary: SyncSummary, unsupported: Sequence[FileRow]) -> dict[str, object]:
    return {
        "workspace": workspace,
        "added": summary.added,
        "replaced": summary.replaced,
        "moved": summary.moved,
        "removed": summary.removed,
        "unchanged": summary.unchanged,
        "failed": [row.as_json() for row in summary.failed],
        "unsupported": [row.as_json() for row in unsupported],
        "seconds": round(summary.seconds, 2),
    }


def _print_summary(summary: SyncSummary, unsupported: Sequence[FileRow]) -> None:
    out = console()
    counts = [
        f"{number:,} {word}"
        for number, word in (
            (summary.added, "added"),
            (summary.replaced, "changed"),
            (summary.moved, "moved"),
            (summary.removed, "removed"),
            (summary.unchanged, "unchanged"),
        )
        if number
    ]
    out.print(f"{', '.join(counts) or 'No files found'} in {summary.seconds:.1f} s.")
    for title, rows in (("could not be read", summary.failed), ("of kinds that are not read", unsupported)):
        if rows:
            out.print(f"\n{amount(len(rows), 'file', 'files')} {title}:", style="bold")
            for row in rows[:_SHOWN]:
                out.print(printable(f"  {row.file}: {row.reason}"), soft_wrap=True)
            if len(rows) > _SHOWN:
                out.print(f"  … and {len(rows) - _SHOWN:,} more: desktop-rag status lists them")


def status(context: typer.Context, workspace: WorkspaceOption = None, json: JsonOption = False) -> None:
    """Show every file that the index knows.

    Each with its state and, where something is wrong, the reason.
    """
    with opened(context, workspace, read_only=True) as library:
        ledger, use = library.status(), library.disk_use()
    if json:
        print_json({**ledger.as_json(), "disk": use.as_json()})
    else:
        _print_ledger(ledger)
        sizes = ", ".join(f"{name} {megabytes(size)}" for name, size in use.usual.items())
        console().print(f"{megabytes(use.total)} on the disk: {sizes}")


def _print_ledger(ledger: Ledger) -> None:
    out = console()
    for folder in ledger.folders:
        note = "  (cannot be reached now)" if folder.state is FolderState.OFFLINE else ""
        out.print(printable(f"{folder.path}: {folder.ready:,} of {folder.files:,} files ready{note}"), soft_wrap=True)
    grid = table("file", "state", "pages", "passages", "done", "reason", right=frozenset({"pages", "passages"}))
    for row in ledger.files:
        done = " ".join(str(stage) for stage, state in row.stages.items() if state is StageState.DONE)
        grid.add_row(
            printable(row.file), str(row.state), f"{row.pages:,}", f"{row.elements:,}", done, printable(row.reason)
        )
    out.print(grid)
    totals = ledger.totals()
    states = ", ".join(f"{totals[state]:,} {state}" for state in map(str, FileState) if state in totals)
    sums = f"{amount(totals['files'], 'file', 'files')} ({states or 'none yet'})"
    out.print(f"{sums}, {totals['pages']:,} pages, {totals['elements']:,} passages")
