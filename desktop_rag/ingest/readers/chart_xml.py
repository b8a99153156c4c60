"""Charts of Office documents, read from the numbers that they are drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop_rag.core.types import Block, ElementKind
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.readers.chart_points import joined_levels, shown_point, title_text
from desktop_rag.ingest.readers.modern_chart import MODERN, modern_chart_block

if TYPE_CHECKING:
    from lxml.etree import _Element

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_KINDS: Mapping[str, str] = {
    "areaChart": "area chart",
    "area3DChart": "area chart",
    "barChart": "bar chart",
    "bar3DChart": "bar chart",
    "bubbleChart": "bubble chart",
    "doughnutChart": "ring chart",
    "lineChart": "line chart",
    "line3DChart": "line chart",
    "ofPieChart": "pie chart",
    "pieChart": "pie chart",
    "pie3DChart": "pie chart",
    "radarChart": "radar chart",
    "scatterChart": "scatter chart",
    "stockChart": "stock chart",
    "surfaceChart": "surface chart",
    "surface3DChart": "surface chart",
}
_AXES = ("catAx", "dateAx", "valAx", "serAx")


@dataclass(frozen=True, slots=True)
class _Series:
    name: str
    categories: Mapping[int, str]
    values: Mapping[int, str]
    sizes: Mapping[int, str]


def chart_block(root: _Element, page: int = 0, label: str = "") -> Block | None:
    """Return a chart as a figure: title, kind and axes, then a line for each category with the value of each series.

    ``root`` is the ``chartSpace`` element of a chart of either kind; ``label`` is what to call a chart without a title.
    ``markdown`` has the numbers as a table. None for a chart without numbers.
    """
    if root.tag == f"{MODERN}chartSpace":
        return modern_chart_block(root, page, label)
    plot = root.find(f".//{_C}plotArea")
    if plot is None:
        return None
    kinds = [child for child in plot if _local(child) in _KINDS]
    series = [_series(node) for kind in kinds for node in kind.findall(f"{_C}ser")]
    grid = _grid(series, _axis_titles(plot))
    if not grid.rows:
        return None
    lines = [_headline(root, kinds, label), *_axis_line(plot), *grid.lines()]
    return Block(ElementKind.FIGURE, "\n".join(lines), page, markdown=grid.markdown())


def _headline(root: _Element, kinds: list[_Element], label: str) -> str:
    names = " and ".join(dict.fromkeys(_KINDS[_local(kind)] for kind in kinds)).capitalize()
    chart = root.find(f"{_C}chart")
    title = (title_text(chart.find(f"{_C}title")) if chart is not None else "") or label
    return f"{names}: {title}" if title else names


def _axis_titles(plot: _Element) -> list[str]:
    titles = (title_text(axis.find(f"{_C}title")) for axis in plot if _local(axis) in _AXES)
    return [title for title in titles if title]


def _axis_line(plot: _Element) -> Iterator[str]:
    titles = _axis_titles(plot)
    if titles:
        yield f"Axes: {'; '.join(titles)}"


def _grid(series: list[_Series], axes: list[str]) -> Grid:
    """Return the numbers: a row for each category, a column for each series. A point cloud has a row for each point."""
    if any(one.sizes for one in series):
        rows = [
            (one.name, one.categories.get(at, ""), value, one.sizes.get(at, ""))
            for one in series
            for at, value in one.values.items()
        ]
        return Grid.of([("Series", "x", "y", "Size"), *rows])
    shared = [{**one.categories} for one in series]
    if any(categories != shared[0] for categories in shared[1:]):
        rows_by_series = [
            (one.name, one.categories.get(at, str(at + 1)), value) for one in series for at, value in one.values.items()
        ]
        return Grid.of([("Series", axes[0] if axes else "x", "Value"), *rows_by_series])
    places = sorted({at for one in series for at in (*one.categories, *one.values)})
    names = [one.name or (f"Series {n}" if len(series) > 1 else "Value") for n, one in enumerate(series, start=1)]
    first = axes[0] if len(axes) > 1 else ""
    rows_of_places = [
        (series[0].categories.get(at, str(at + 1)), *(one.values.get(at, "") for one in series)) for at in places
    ]
    return Grid.of([(first, *names), *rows_of_places])


def _series(node: _Element) -> _Series:
    categories = node.find(f"{_C}cat")
    categories = categories if categories is not None else node.find(f"{_C}xVal")
    values = node.find(f"{_C}val")
    values = values if values is not None else node.find(f"{_C}yVal")
    name = node.find(f"{_C}tx")
    return _Series(
        " ".join(_points(name).values()) or (title_text(name) if name is not None else ""),
        _points(categories),
        _points(values),
        _points(node.find(f"{_C}bubbleSize")),
    )


def _points(node: _Element | None) -> dict[int, str]:
    """Return the cached points under ``node`` by their index; categories of several levels are joined."""
    if node is None:
        return {}
    return joined_levels(_level(level) for level in node.findall(f".//{_C}lvl") or [node])


def _level(node: _Element) -> dict[int, str]:
    code = node.findtext(f".//{_C}formatCode") or ""
    return {int(point.get("idx", "0")): _point(point, code) for point in node.iter(f"{_C}pt")}


def _point(point: _Element, code: str) -> str:
    text = " ".join((point.findtext(f"{_C}v") or "").split())
    is_number = _local(point.getparent()) in ("numCache", "numLit")
    return shown_point(text, point.get("formatCode") or code) if is_number else text


def _local(node: _Element | None) -> str:
    return "" if node is None else str(node.tag).rsplit("}", 1)[-1]
