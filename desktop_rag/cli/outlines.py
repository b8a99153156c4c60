"""``desktop-rag outline``: the headings of a file with their pages and sizes, for ``ask --read FILE --section``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop_rag.cli.common import JsonOption, WorkspaceOption, opened
from desktop_rag.cli.output import console, print_json, printable
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.outline import Section, SectionPlace

if TYPE_CHECKING:
    from desktop_rag.library import Library

_BETWEEN = " > "


def outline(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An indexed file.")],
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Show the headings of a file, with their pages and how much stands under them."""
    with opened(context, workspace, read_only=True) as library:
        sections = library.outline(document_of(library, file))
    if json:
        print_json([section.as_json() for section in sections])
        return
    for section in _all(sections):
        pages = str(section.page) if section.page == section.last_page else f"{section.page}-{section.last_page}"
        indent = "  " * (len(section.path) - 1)
        line = f"{indent}{section.title}  (p. {pages}, {section.characters:,} characters)"
        console().print(printable(line), soft_wrap=True)
    if not sections:
        console().print("This file has no headings.")


def place_of(library: Library, file: Path, heading: str | None) -> SectionPlace:
    """Return the place of a heading in an indexed file: its title, or more of its path with " > " between.

    Raises UserFacingError for a file that is not there, and for a heading that there is not, or more than once.
    """
    document = document_of(library, file)
    if heading is None:
        return SectionPlace(document)
    wanted = [part.strip().casefold() for part in heading.split(_BETWEEN.strip())]
    sections = list(_all(library.outline(document)))
    found = [one for one in sections if [part.casefold() for part in one.path[-len(wanted) :]] == wanted]
    if len(found) != 1:
        several = ", ".join(f"'{_BETWEEN.join(one.path)}'" for one in found)
        what = f"stands there several times: {several}" if found else "is no heading of it"
        raise UserFacingError(f"In {file}, '{heading}' {what}. Its headings: desktop-rag outline \"{file}\"")
    return SectionPlace(document, found[0].path)


def _all(sections: Sequence[Section]) -> Iterator[Section]:
    for section in sections:
        yield section
        yield from _all(section.children)


def document_of(library: Library, file: Path) -> str:
    """Return the document of an indexed file; raises UserFacingError when there is none."""
    wanted = file.resolve()
    for row in library.status().files:
        if Path(row.file).resolve() == wanted:
            return row.document
    raise UserFacingError(f"The workspace does not have the file {file}. Add it: desktop-rag index {file}")
