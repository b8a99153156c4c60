"""``desktop-rag calibrate``: the thresholds that rest on data, measured again for another model or other questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from desktop_rag.cli.common import JsonOption, WorkspaceOption, interruptible, opened
from desktop_rag.cli.output import console, print_json, printable, table, tell
from desktop_rag.cli.progress import ProgressDisplay
from desktop_rag.core.errors import UserFacingError


def make() -> typer.Typer:
    """Return the group of commands."""
    app = typer.Typer(help="Measure thresholds on questions with known outcomes.", rich_markup_mode=None)
    app.callback()(lambda: None)
    app.command("cache")(cache)
    app.command("refusal")(refusal)
    return app


def cache(
    context: typer.Context,
    questions: Annotated[
        Path | None,
        typer.Argument(metavar="[QUESTIONS.jsonl]", help="Wordings and near misses; by default those that come along."),
    ] = None,
    save: Annotated[bool, typer.Option("--save", help="Store the recommended closeness in the settings.")] = False,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Ask whether answers from memory go to the right questions only.

    Exit code 1 when a question would get the answer to another one.
    """
    from desktop_rag.evaluate.sameness import load_families, measure

    families = load_families(questions)
    with opened(context, workspace) as library:
        result = measure(families, library.embedder, library.settings.cache_closeness)
        if save and not result.wrong_hits:
            library.set_settings(replace(library.settings, cache_closeness=result.recommended))
    if json:
        print_json(result.as_json())
    else:
        for name, value in result.as_json().items():
            console().print(printable(f"{name}: {value}"), soft_wrap=True)
    if result.wrong_hits:
        one, other = result.wrong_hits[0]
        raise UserFacingError(f"'{one}' and '{other}' are taken for the same question. Nothing was saved.")


def refusal(
    context: typer.Context,
    questions: Annotated[
        list[Path],
        typer.Argument(metavar="QUESTIONS.jsonl…", help="As for `eval`; those without a file are unanswerable."),
    ],
    at_most: Annotated[
        float, typer.Option("--at-most", min=0.0, max=0.5, help="Share of answerable questions that may be refused.")
    ] = 0.125,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Keep the rules with their data, and go by them.")
    ] = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Fit when an answer is refused to questions that this workspace does and does not answer.

    Answerable ones are asked a second time as if their file were not there.
    """
    from desktop_rag.evaluate.questions import load_questions
    from desktop_rag.evaluate.refusal import collect, fit

    asked = [question for file in questions for question in load_questions(file)]
    with (
        opened(context, workspace, read_only=save is None) as library,
        ProgressDisplay() as display,
        interruptible(display.on_progress) as job,
    ):
        made = fit(collect(library, library.answerer.signals, asked, job), at_most)
        if save is not None:
            made.save(save)
            library.set_settings(replace(library.settings, refusal_model=str(save.resolve())))
    if json:
        print_json(made.as_json())
        return
    grid = table("questions", "number", "refused", right=frozenset({"number", "refused"}))
    for sort, count in made.counts.items():
        grid.add_row(sort, f"{count:,}", f"{made.refused[sort]:.2f}")
    console().print(grid)
    if save is not None:
        tell(printable(f"{save} is used from now on (setting 'refusal_model')."))
