"""``desktop-rag models``: the models of every kind, and how they come, are tried, chosen and go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop_rag.cli.common import JsonOption, WorkspaceOption, default_log, explained, interruptible, opened
from desktop_rag.cli.output import console, print_json, printable, table, tell
from desktop_rag.cli.progress import ProgressDisplay
from desktop_rag.core.errors import DesktopRagError, UserFacingError
from desktop_rag.core.model_rows import Fit, ModelKind, ModelRow, ModelState
from desktop_rag.core.paths import home
from desktop_rag.core.settings import load_settings, save_settings

if TYPE_CHECKING:
    from desktop_rag.models.model_manager import ModelManager

_QUESTION = "What are these documents about?"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The model's name.")]
KindOption = Annotated[
    ModelKind | None, typer.Option("--kind", help="What it is for, where the name alone does not say it.")
]


def build() -> typer.Typer:
    """Return the group of commands."""
    app = typer.Typer(
        help="The models: list, add, pull, try, use, verify, remove.",
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command("list")(list_models)
    app.command("add")(add)
    app.command("pull")(pull)
    app.command("try")(try_model)
    app.command("use")(use)
    app.command("verify")(verify)
    app.command("remove")(remove)
    return app


def list_models(kind: KindOption = None, json: JsonOption = False) -> None:
    """Show what comes along, what is installed (* is in use), and what can be fetched."""
    with _manager() as manager:
        rows = [row for row in manager.rows(load_settings(_settings())) if kind in (None, row.kind)]
    if json:
        print_json({"models": [row.as_json() for row in rows]})
        return
    numbers = frozenset({"size", "memory"})
    grid = table("", "kind", "model", "size", "memory", "fits", "licence", "languages", "what it is", right=numbers)
    for row in rows:
        size, memory = (_megabytes(number) if number else "" for number in (row.bytes, row.memory))
        grid.add_row(
            "*" if row.used else "", str(row.kind), printable(row.name), size, memory, _fits(row), row.licence,
            row.languages, printable(_what(row)),
        )  # fmt: skip
    console().print(grid)


def add(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A GGUF file, or the folder of a model.")],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What it shall be called.")] = "",
    kind: KindOption = None,
) -> None:
    """Take up a model from this machine; its files stay where they are."""
    with _manager() as manager:
        _taken_up(manager.add(path, name, kind))


def pull(name: NameArgument) -> None:
    """Fetch a known model from its hub.

    The only command that uses the network. What broke off goes on; checksums are compared.
    """
    with _manager() as manager, ProgressDisplay() as display, interruptible(display.on_progress) as job:
        row = manager.pull(name, job)
    _taken_up(row)


def try_model(
    context: typer.Context,
    name: NameArgument,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What is asked.")] = _QUESTION,
    kind: KindOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Ask the documents with a model that is not chosen yet; nothing else changes."""
    with opened(context, workspace, read_only=True) as library, interruptible() as job:
        rows = [row for row in library.models() if row.name == name and kind in (None, row.kind)]
        if len(rows) != 1:
            raise UserFacingError(f"There is no single model '{name}'. See: desktop-rag models list")
        trial = library.try_model(name, rows[0].kind, question, job=job)
    out = console()
    if trial.text:
        out.print(printable(trial.text), soft_wrap=True)
    for place in trial.places:
        out.print(printable(f"- {place}"), soft_wrap=True)
    speed = f"; {trial.speed.sentence()}" if trial.speed else ""
    tell(f"{trial.name}: {trial.seconds:.1f} s, and {trial.load_seconds:.1f} s to load{speed}")


def use(name: NameArgument, kind: KindOption = None) -> None:
    """Choose a model: from the next question on, and for indexing from the next sync on."""
    path = _settings()
    with _manager() as manager:
        settings = load_settings(path)
        row = manager.row(name, settings, kind)
        save_settings(manager.chosen(settings, name, kind), path)
    tell(f"{_DOES[row.kind]}: {name}.{_FOLLOWS.get(row.kind, '')}")


def verify(name: NameArgument) -> None:
    """Read all files of a model again, and say whether they are as they were."""
    with _manager() as manager:
        model = manager.shelf.verify(name)
    tell(f"{model.name}: {len(model.files):,} files, {_megabytes(model.bytes)}, all as they were.")


def remove(name: NameArgument) -> None:
    """Forget a model. What was fetched is deleted; files of your own stay."""
    with _manager() as manager:
        manager.remove(name, load_settings(_settings()))
    tell(f"{name} is removed.")


_DOES = {
    ModelKind.CHAT: "Answers will be written by",
    ModelKind.VISION: "Figures will be described by",
    ModelKind.EMBEDDING: "Passages will be found by meaning with",
    ModelKind.PAGE: "Pages will be looked at by",
    ModelKind.RERANKING: "The first hits will be looked at again by",
}
_FOLLOWS = {
    ModelKind.VISION: " Figures are described anew.",
    ModelKind.EMBEDDING: (
        " Every passage gets a new vector at the next sync; until it has one, it is found by its words only."
    ),
    ModelKind.PAGE: " What was seen before is found until all pages are done.",
}


def _what(row: ModelRow) -> str:
    said = {
        ModelState.LOST: f"its files are gone from {row.folder}",
        ModelState.PARTLY: f"fetched in part ({_megabytes(row.fetched)}): pull goes on. {row.about}",
        ModelState.KNOWN: f"not installed. {row.about}",
    }.get(row.state, row.about)
    speed = f"; {row.speed.sentence()} here" if row.speed and row.usable else ""
    return said + speed


def _fits(row: ModelRow) -> str:
    if not row.memory:
        return ""
    return {Fit.NOW: "yes", Fit.LATER: "not now", Fit.NEVER: "no"}[row.fit]


def _taken_up(row: ModelRow) -> None:
    tell(f"{row.name} ({row.kind}, {_megabytes(row.bytes)}) is installed.")
    tell(f"Use it: desktop-rag models use {row.name}")


def _settings() -> Path:
    return home() / "settings.toml"


@contextmanager
def _manager() -> Iterator[ModelManager]:
    from desktop_rag.models.model_manager import ModelManager

    try:
        yield ModelManager(home())
    except (DesktopRagError, typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except Exception as error:
        raise explained(error, default_log()) from error


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:,.0f} MB"
