"""``desktop-rag models``: the models that look at pages, and how they come and go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop_rag.cli.common import JsonOption, default_log, explained, interruptible
from desktop_rag.cli.output import console, print_json, printable, table, tell
from desktop_rag.cli.progress import ProgressDisplay
from desktop_rag.core.errors import DesktopRagError, UserFacingError
from desktop_rag.core.paths import home
from desktop_rag.core.settings import load_settings, save_settings

if TYPE_CHECKING:
    from desktop_rag.models.model_shelf import InstalledModel, ModelShelf

_WORDS = "words"
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The model's name.")]


def build() -> typer.Typer:
    """Return the group of commands."""
    app = typer.Typer(
        help="The models that look at pages.",
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command("list")(list_models)
    app.command("add")(add)
    app.command("pull")(pull)
    app.command("use")(use)
    app.command("verify")(verify)
    app.command("remove")(remove)
    return app


def list_models(json: JsonOption = False) -> None:
    """Show the installed models, and those that can be fetched."""
    from desktop_rag.models.model_shelf import known_models

    with _shelf() as shelf:
        installed, (_, known) = shelf.installed(), known_models()
    chosen = load_settings(home() / "settings.toml").page_model
    if json:
        there = [{"name": m.name, "folder": m.folder, "family": m.family, "bytes": m.bytes} for m in installed]
        others = [
            {"name": m.name, "licence": m.licence, "languages": m.languages, "megabytes": m.megabytes} for m in known
        ]
        print_json({"used": chosen or _WORDS, "installed": there, "known": others})
        return
    grid = table("", "model", "size", "licence", "languages", "what it is", right=frozenset({"size"}))
    grid.add_row("*" if not chosen else "", _WORDS, "", "", "", "comes along: what a page says and where")
    for model in installed:
        mark = "*" if model.name == chosen else ""
        grid.add_row(mark, model.name, _megabytes(model.bytes), "", "", printable(f"{model.family} in {model.folder}"))
    for one in known:
        if one.name not in {model.name for model in installed}:
            size = f"about {one.megabytes:,} MB"
            grid.add_row("", one.name, size, one.licence, one.languages, f"not installed. {one.about}")
    console().print(grid)


def add(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder with config.json and weights.")],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What it shall be called.")] = "",
) -> None:
    """Take up a model from a folder on this machine; its files stay where they are."""
    with _shelf() as shelf:
        _taken_up(shelf.add(folder, name))


def pull(name: NameArgument) -> None:
    """Fetch a known model from its hub.

    The only command that uses the network. What broke off goes on; checksums are compared.
    """
    with _shelf() as shelf, ProgressDisplay() as display, interruptible(display.on_progress) as job:
        model = shelf.pull(name, job)
    _taken_up(model)


def use(name: Annotated[str, typer.Argument(metavar="NAME", help=f"A model, or '{_WORDS}'.")]) -> None:
    """Choose who looks at pages from the next indexing on."""
    with _shelf() as shelf:
        chosen = "" if name == _WORDS else shelf.get(name).name
    path = home() / "settings.toml"
    save_settings(replace(load_settings(path), page_model=chosen), path)
    tell(f"Pages will be looked at by: {name}. What was seen before is found until all pages are done.")


def verify(name: NameArgument) -> None:
    """Read all files of a model again, and say whether they are as they were."""
    with _shelf() as shelf:
        model = shelf.verify(name)
    tell(f"{model.name}: {len(model.files):,} files, {_megabytes(model.bytes)}, all as they were.")


def remove(name: NameArgument) -> None:
    """Forget a model. What was fetched is deleted; a folder of your own stays."""
    with _shelf() as shelf:
        if load_settings(home() / "settings.toml").page_model == name:
            raise UserFacingError(f"'{name}' is in use. Choose another first: desktop-rag models use {_WORDS}")
        shelf.remove(name)
    tell(f"{name} is removed.")


def _taken_up(model: InstalledModel) -> None:
    tell(f"{model.name} ({model.family}, {_megabytes(model.bytes)}) is installed.")
    tell(f"Let it look at pages: desktop-rag models use {model.name}")


@contextmanager
def _shelf() -> Iterator[ModelShelf]:
    from desktop_rag.models.model_shelf import ModelShelf

    try:
        yield ModelShelf(home())
    except (DesktopRagError, typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except Exception as error:
        raise explained(error, default_log()) from error


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:,.0f} MB"
