"""``desktop-rag calibrate``: the thresholds that rest on data, measured again for another model or other questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from desktop_rag.cli.common import JsonOption, WorkspaceOption, opened
from desktop_rag.cli.output import console, print_json, printable
from desktop_rag.core.errors import UserFacingError


def make() -> typer.Typer:
    """Return the group of commands."""
    app = typer.Typer(help="Measure thresholds on questions with known outcomes.", rich_markup_mode=None)
    app.callback()(lambda: None)
    app.command("cache")(cache)
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
