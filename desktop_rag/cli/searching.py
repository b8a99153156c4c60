"""``desktop-rag search`` and ``compare``: ranked hits of one route, or of several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from desktop_rag.cli.common import (
    FilterOption,
    JsonOption,
    RouteOption,
    WorkspaceOption,
    opened,
    route_named,
    routes_named,
)
from desktop_rag.cli.heatmaps import write_heatmaps
from desktop_rag.cli.output import amount, console, print_json, printable, table, tell
from desktop_rag.core.reports import RouteResult
from desktop_rag.core.types import Hit, Route

_SNIPPET = 240
"""Characters of a hit's text that are shown."""

QueryArgument = Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")]


def search(
    context: typer.Context,
    query: QueryArgument,
    route: RouteOption = None,
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="Most hits to show.")] = 10,
    where: FilterOption = None,
    heatmap: Annotated[
        Path | None, typer.Option("--heatmap", metavar="DIR", help="Write there why each page was found, as pictures.")
    ] = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Show the places that fit a query best."""
    with opened(context, workspace, read_only=True) as library:
        chosen = route_named(route, library.routes)
        hits = library.search(query, route=chosen, k=k, where=where)
        drawn = write_heatmaps(library, query, hits, heatmap) if heatmap is not None else []
        offline = library.offline_note(hit.element.document for hit in hits)
    if heatmap is not None:
        tell(f"{amount(len(drawn), 'picture', 'pictures')} written to {heatmap}.")
    if json:
        print_json([hit.as_json() for hit in hits])
    else:
        _print_hits(hits)
    if offline:
        tell(offline)


def _print_hits(hits: Sequence[Hit]) -> None:
    out = console()
    if not hits:
        out.print("Nothing was found.")
    for hit in hits:
        out.print(f"{hit.rank:>3}  {_place(hit)}", style="bold", end="", soft_wrap=True)
        seen_by = f" ({next(iter(hit.why), '')})" if hit.route is Route.PAGE else ""
        out.print(f"  {hit.score:.3f} {hit.route}{seen_by}", style="dim")
        if hit.element.heading:
            out.print(f"     {printable(' > '.join(hit.element.heading))}", style="italic", soft_wrap=True)
        out.print(f"     {_snippet(hit)}", soft_wrap=True)


def _place(hit: Hit) -> str:
    return printable(f"{hit.file}, p. {hit.element.page}")


def _snippet(hit: Hit) -> str:
    text = printable(" ".join(hit.element.text.split()))
    return text if len(text) <= _SNIPPET else f"{text[:_SNIPPET].rstrip()} …"


def compare(
    context: typer.Context,
    query: QueryArgument,
    routes: Annotated[
        str | None, typer.Option(metavar="LIST", help="Routes, e.g. text,keyword; by default all that are ready.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="Most hits of each route.")] = 5,
    where: FilterOption = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Show what several routes find, side by side, with times."""
    with opened(context, workspace, read_only=True) as library:
        chosen = routes_named(routes, library.routes)
        results = library.compare(query, routes=chosen, k=k, where=where)
        offline = library.offline_note(hit.element.document for result in results for hit in result.hits)
    if json:
        print_json({"query": query, "results": [_result_json(result) for result in results]})
    else:
        _print_comparison(results, k)
    if offline:
        tell(offline)


def _result_json(result: RouteResult) -> dict[str, object]:
    return {
        "route": str(result.route),
        "ms": round(result.ms, 1),
        "stages_ms": {name: round(ms, 1) for name, ms in result.stages.items()},
        "hits": [hit.as_json() for hit in result.hits],
    }


def _print_comparison(results: Sequence[RouteResult], k: int) -> None:
    grid = table("", *(f"{result.route} ({result.ms:.0f} ms)" for result in results))
    for place in range(min(k, max((len(result.hits) for result in results), default=0))):
        found = (_place(result.hits[place]) if place < len(result.hits) else "" for result in results)
        grid.add_row(str(place + 1), *found)
    console().print(grid)
