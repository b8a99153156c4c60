"""A run of one's own questions as CSV, and as a page of HTML with a table and a plot; nothing is fetched to show it."""

from __future__ import annotations

import csv
import html
import io
import time
from collections.abc import Sequence

from desktop_rag.core.evaluation import MEASURES, Estimate, OwnRun, RouteScore

_NAMES = {
    "hit@1": "right page first",
    "hit@5": "among the first five",
    "mrr@10": "mean reciprocal rank",
    "ndcg@10": "nDCG",
    "context_precision": "context precision",
}
_COLOURS = ("#3b6fb6", "#c8553d", "#4f8a4c", "#8b62a8", "#b98a1d", "#4b8f93", "#7a7a7a")
_ROW, _LEFT, _WIDTH, _BAR = 26, 190, 420, 16
_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; } th, td { padding: .3em .8em; text-align: right; }
th:first-child, td:first-child { text-align: left; } tr + tr td { border-top: 1px solid #8884; }
svg text { fill: currentColor; font-size: 12px; } svg line { stroke: currentColor; }
"""


def as_csv(run: OwnRun) -> str:
    """Return one line for each question and route; an empty rank means that the page was not found."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("question", "route", "rank", "ms"))
    for one in run.results:
        rank = "" if one.rank is None else one.rank
        writer.writerow((_harmless(one.question), str(one.route), rank, f"{one.ms:.1f}"))
    return out.getvalue()


def _harmless(text: str) -> str:
    """Keep a spreadsheet from taking a question for a formula."""
    return f"'{text}" if text.lstrip()[:1] in ("=", "+", "-", "@") else text


def as_html(runs: Sequence[OwnRun]) -> str:
    """Return a page with a table and a plot of the first of ``runs``, and beside it what an earlier one gave."""
    parts = [f"<!doctype html><html lang=en><meta charset=utf-8><title>Own questions</title><style>{_STYLE}</style>"]
    parts.append("<h1>Own questions</h1>")
    for run in runs:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.ran_at))
        parts.append(f"<h2>{when}</h2><p>{html.escape(run.setup)}</p>")
        parts += [_table(run), plot(run.scores)]
    if runs:
        parts.append(_questions(runs[0]))
    parts.append("<p>Lines in the bars: 95 % intervals by bootstrap over the questions.</p></html>")
    return "\n".join(parts)


def _table(run: OwnRun) -> str:
    head = "".join(f"<th>{_NAMES[name]}</th>" for name in MEASURES)
    rows = "".join(
        f"<tr><td>{score.route}</td><td>{score.n}</td>{''.join(_cell(score.measures[name]) for name in MEASURES)}"
        f"<td>{score.ms_p50:.0f}</td><td>{score.ms_p95:.0f}</td></tr>"
        for score in run.scores
    )
    return f"<table><tr><th>route</th><th>questions</th>{head}<th>ms, half</th><th>ms, 95 %</th></tr>{rows}</table>"


def _cell(estimate: Estimate) -> str:
    return f"<td>{estimate.value:.2f} <small>({estimate.low:.2f} to {estimate.high:.2f})</small></td>"


def plot(scores: Sequence[RouteScore]) -> str:
    """Return bars from 0 to 1 for each measure and route, with their intervals, as SVG that stands by itself."""
    shapes: list[str] = []
    y = 8
    for name in MEASURES:
        shapes.append(f'<text x="0" y="{y + 13}" font-weight="600">{_NAMES[name]}</text>')
        for number, score in enumerate(scores):
            shapes += _bar(score, name, y, _COLOURS[number % len(_COLOURS)])
            y += _ROW
        y += _ROW // 2
    size = f'width="{_LEFT + _WIDTH + 60}" height="{y}" viewBox="0 0 {_LEFT + _WIDTH + 60} {y}"'
    title = "<title>Share of questions by measure and route</title>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>{title}{"".join(shapes)}</svg>'


def _bar(score: RouteScore, name: str, y: int, colour: str) -> list[str]:
    estimate = score.measures[name]
    middle = y + _BAR / 2
    low, high = (_LEFT + _WIDTH * share for share in (estimate.low, estimate.high))
    return [
        f'<text x="{_LEFT - 8}" y="{y + 13}" text-anchor="end">{score.route}</text>',
        f'<rect x="{_LEFT}" y="{y}" width="{_WIDTH * estimate.value:.1f}" height="{_BAR}" rx="2" fill="{colour}"/>',
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}" stroke-width="2"/>',
        f'<text x="{_LEFT + _WIDTH + 10}" y="{y + 13}">{estimate.value:.2f}</text>',
    ]


def _place(found: dict[str, str], route: str) -> str:
    return f"<td>{found.get(route, '')}</td>"


def _questions(run: OwnRun) -> str:
    routes = [score.route for score in run.scores]
    ranks: dict[str, dict[str, str]] = {}
    for one in run.results:
        ranks.setdefault(one.question, {})[str(one.route)] = "–" if one.rank is None else str(one.rank)
    head = "".join(f"<th>{route}</th>" for route in routes)
    rows = "".join(
        f"<tr><td>{html.escape(question)}</td>{''.join(_place(found, str(route)) for route in routes)}</tr>"
        for question, found in ranks.items()
    )
    return f"<h2>Place of the right page</h2><table><tr><th>question</th>{head}</tr>{rows}</table>"
