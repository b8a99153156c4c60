"""Charts of the kinds that Office has had since 2016 (waterfall, treemap, funnel ...), read from their numbers.

They have a schema of their own, "chartex" ([MS-ODRAWXML] 2.24): the data come first, and each series names its data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop_rag.core.types import Block, ElementKind
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.chart_points import joined_levels, shown_point, title_text

if TYPE_CHECKING:
    from lxml.etree import _Element

MODERN = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
"""The namespace of such charts, as lxml writes it."""

_KINDS: Mapping[str, str] = {
    "boxWhisker": "box plot",
    "clusteredColumn": "histogram",
    "funnel": "funnel chart",
    "paretoLine": "Pareto chart",
    "regionMap": "map",
    "sunburst": "sunburst chart",
    "treemap": "treemap",
    "waterfall": "waterfall chart",
}


@dataclass(frozen=True, slots=True)
class _Series:
    name: str
    categories: Mapping[int, str]
    values: Mapping[int, str]
    totals: frozenset[int]

    def category(self, at: int) -> str:
        """What a value stands for; the bars of a waterfall that show where it has come to are totals."""
        name = self.categories.get(at, str(at + 1))
        return f"{name} (total)" if at in self.totals else name


def modern_chart_block(root: _Element, page: int = 0, label: str = "") -> Block | None:
    """Return a chart as a figure: title, kind and axes, then a line for each category with its values.

    ``root`` is the ``chartSpace`` element; ``label`` is what to call a chart without a title. None for one without
    numbers.
    """
    series = [one for one in _all_series(root) if one.values]  # the line of a Pareto chart has none of its own
    if not series:
        return None
    axes = [title for axis in root.iter(f"{MODERN}axis") if (title := title_text(axis.find(f"{MODERN}title")))]
    kinds = _kinds(root)
    title = title_text(root.find(f"{MODERN}chart/{MODERN}title")) or label
    headline = f"{kinds[0].upper()}{kinds[1:]}: {title}" if title else f"{kinds[0].upper()}{kinds[1:]}"
    grid = _grid(series, axes)
    lines = [headline, *([f"Axes: {'; '.join(axes)}"] if axes else []), *grid.lines()]
    return Block(ElementKind.FIGURE, "\n".join(lines), page, markdown=grid.markdown())


def _kinds(root: _Element) -> str:
    kinds = dict.fromkeys(_KINDS.get(node.get("layoutId", ""), "chart") for node in root.iter(f"{MODERN}series"))
    return _KINDS["paretoLine"] if _KINDS["paretoLine"] in kinds else " and ".join(kinds)


def _grid(series: list[_Series], axes: list[str]) -> Grid:
    """Return a row for each category, or for each value where the series have categories of their own."""
    first = series[0]
    if any(one.categories != first.categories for one in series[1:]):
        rows = [(one.name, one.category(at), value) for one in series for at, value in sorted(one.values.items())]
        return Grid.of([("Series", axes[0] if axes else "x", "Value"), *rows])
    names = [one.name or (f"Series {n}" if len(series) > 1 else "Value") for n, one in enumerate(series, start=1)]
    places = sorted({at for one in series for at in one.values})
    shared = [(first.category(at), *(one.values.get(at, "") for one in series)) for at in places]
    return Grid.of([(axes[0] if len(axes) > 1 else "", *names), *shared])


def _all_series(root: _Element) -> Iterator[_Series]:
    data = {node.get("id", ""): node for node in root.iter(f"{MODERN}data")}
    for node in root.iter(f"{MODERN}series"):
        reference = node.find(f"{MODERN}dataId")
        mine = data.get(reference.get("val", "")) if reference is not None else None
        yield _Series(
            title_text(node.find(f"{MODERN}tx")),
            _points(mine, "strDim"),
            _points(mine, "numDim"),
            frozenset(int(one.get("val", "-1")) for one in node.findall(f".//{MODERN}subtotals/{MODERN}idx")),
        )


def _points(data: _Element | None, dimension: str) -> dict[int, str]:
    """Return the points of the first dimension of this sort by their index."""
    node = data.find(f"{MODERN}{dimension}") if data is not None else None
    return joined_levels(_level(level) for level in node.findall(f"{MODERN}lvl")) if node is not None else {}


def _level(node: _Element) -> dict[int, str]:
    code = node.get("formatCode", "")
    points = {int(point.get("idx", "0")): " ".join((point.text or "").split()) for point in node.iter(f"{MODERN}pt")}
    return {at: shown_point(text, code) if code else text for at, text in points.items() if text}
