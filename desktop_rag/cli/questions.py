"""``desktop-rag questions``: the workspace's own questions with their right pages, and how well they are found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop_rag.cli.common import JsonOption, WorkspaceOption, interruptible, opened, routes_named
from desktop_rag.cli.outlines import document_of
from desktop_rag.cli.output import amount, console, print_json, printable, table, tell
from desktop_rag.cli.progress import ProgressDisplay
from desktop_rag.core.evaluation import MEASURES, OwnRun

if TYPE_CHECKING:
    pass


def make() -> typer.Typer:
    """Return the group of commands."""
    app = typer.Typer(help="Your own questions with their right pages: measure this workspace.", rich_markup_mode=None)
    app.command("add")(add)
    app.command("list")(listed)
    app.command("remove")(remove)
    app.command("run")(run)
    app.command("export")(export)
    return app


def add(
    context: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question that the documents answer.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The indexed file that answers it.")],
    page: Annotated[int, typer.Argument(metavar="PAGE", min=1, help="The page, counted from 1 in file order.")] = 1,
    workspace: WorkspaceOption = None,
) -> None:
    """Keep a question with a page that answers it.

    Several pages of a question may be kept.
    """
    with opened(context, workspace) as library:
        mark = library.mark_right_page(question, document_of(library, file), page)
    tell(printable(f"Kept as number {mark.id}: {mark.file}, p. {mark.page}"))


def listed(context: typer.Context, workspace: WorkspaceOption = None, json: JsonOption = False) -> None:
    """Show the questions with their pages."""
    with opened(context, workspace, read_only=True) as library:
        marks = library.own_questions()
    if json:
        print_json([mark.as_json() for mark in marks])
        return
    grid = table("number", "question", "file", "page", right=frozenset({"number", "page"}))
    for mark in marks:
        grid.add_row(str(mark.id), printable(mark.question), printable(mark.file), str(mark.page))
    console().print(grid if marks else "There are no questions yet. Add one: desktop-rag questions add")


def remove(
    context: typer.Context,
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="As `questions list` shows it.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Forget a question's page."""
    with opened(context, workspace) as library:
        library.remove_own_question(number)


def run(
    context: typer.Context,
    routes: Annotated[
        str | None, typer.Option(metavar="LIST", help="Routes, e.g. text,keyword; by default all that are ready.")
    ] = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Ask all questions by each route and say how often the right page came first.

    The run is kept, so that it can be compared with the next one.
    """
    with (
        opened(context, workspace) as library,
        ProgressDisplay() as display,
        interruptible(display.on_progress) as job,
    ):
        earlier = library.own_runs()
        made = library.run_own_questions(routes_named(routes, library.routes), job=job)
    if json:
        print_json(made.as_json())
    else:
        _print(made, earlier[0] if earlier else None)


def _print(run: OwnRun, earlier: OwnRun | None) -> None:
    before = {score.route: score for score in earlier.scores} if earlier else {}
    numbers = ("n", *MEASURES, "ms_p50")
    grid = table("route", *numbers, right=frozenset(numbers))
    for score in run.scores:
        cells = []
        for name in MEASURES:
            one, old = score.measures[name], before.get(score.route)
            change = f" ({one.value - old.measures[name].value:+.2f})" if old else ""
            cells.append(f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]{change}")
        grid.add_row(str(score.route), str(score.n), *cells, f"{score.ms_p50:.0f}")
    console().print(grid)
    if run.gone:
        missing = amount(len(run.gone), "question is", "questions are")
        tell(f"{missing} left out: their documents are not in the workspace any more.")


def export(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .csv or .html.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Write the latest run as a table (CSV), or with a plot and the run before it (HTML)."""
    if file.suffix.lower() not in (".csv", ".html", ".htm"):
        raise typer.BadParameter("The file must end in .csv or .html.")
    with opened(context, workspace, read_only=True) as library:
        library.export_own_runs(str(file))
    tell(f"Written to {file}.")
