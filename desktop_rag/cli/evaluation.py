"""``desktop-rag eval``: retrieval and answer metrics on questions with known pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop_rag.cli.common import WorkspaceOption, interruptible, opened, routes_named
from desktop_rag.cli.output import amount, as_json, console, print_json, printable, table, tell
from desktop_rag.cli.progress import ProgressDisplay
from desktop_rag.core.errors import UserFacingError

if TYPE_CHECKING:
    from desktop_rag.evaluate.paired import Paired
    from desktop_rag.evaluate.runner import EvaluationReport

_NUMBERS = ("n", "hit@1", "hit@5", "mrr@10", "ndcg@10", "context_precision", "ms_p50", "ms_p95")


def evaluate(
    context: typer.Context,
    questions: Annotated[Path, typer.Argument(metavar="QUESTIONS.jsonl", help="Questions with files and pages.")],
    root: Annotated[Path, typer.Option(metavar="DIR", help="The folder to which the questions' files are relative.")],
    routes: Annotated[
        str | None, typer.Option(metavar="LIST", help="Routes, e.g. text,keyword; by default all that are ready.")
    ] = None,
    answers: Annotated[bool, typer.Option("--answers", help="Judge whole answers, too.")] = False,
    with_model: Annotated[
        bool, typer.Option("--with-model", help="With --answers: let the chat model write; much slower.")
    ] = False,
    against: Annotated[
        Path | None, typer.Option(metavar="OLD.json", help="Compare with an earlier run: questions won and lost.")
    ] = None,
    fail_on_regression: Annotated[
        bool, typer.Option("--fail-on-regression", help="With --against: exit code 1 when a route got worse.")
    ] = False,
    workspace: WorkspaceOption = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write all results as JSON; - is standard output.")
    ] = None,
) -> None:
    """Measure how often the right page is found.

    The questions come from a file, with the pages that answer them.
    """
    from desktop_rag.evaluate.paired import load_ranks, paired, ranks_of
    from desktop_rag.evaluate.runner import evaluate as run

    if fail_on_regression and against is None:
        raise typer.BadParameter("--fail-on-regression needs --against.")
    before = load_ranks(against) if against is not None else None
    with (
        opened(context, workspace, read_only=True) as library,
        ProgressDisplay() as display,
        interruptible(display.on_progress) as job,
    ):
        chosen = routes_named(routes, library.routes)
        report = run(library, questions, root, chosen, answers=answers, use_model=with_model, job=job)
    if report.not_indexed:
        missing = amount(len(report.not_indexed), "question is", "questions are")
        tell(f"{missing} about files that this workspace does not have, and left out.")
    changes = paired(before, ranks_of(report)) if before is not None else ()
    if json is not None:
        result = report.as_json() | ({"against": [one.as_json() for one in changes]} if changes else {})
        print_json(result) if json == "-" else _write(Path(json), result)
    if json != "-":
        _print_report(report)
        _print_changes(changes)
    if fail_on_regression and any(one.regressed for one in changes):
        worse = ", ".join(one.route for one in changes if one.regressed)
        raise UserFacingError(f"Worse than in {against}: {worse}.")


def _write(path: Path, result: object) -> None:
    try:
        path.write_text(as_json(result) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserFacingError(f"{path} cannot be written: {error.strerror}. Choose another file for --json.") from error


def _print_report(report: EvaluationReport) -> None:
    out = console()
    grid = table("route", "questions", *_NUMBERS, right=frozenset(_NUMBERS))
    questions = [result.question for result in report.results]
    for route in dict.fromkeys(result.route for result in report.results):
        groups = {"all": questions}
        for kind in dict.fromkeys(question.evidence for question in questions):
            groups[f"evidence: {kind}"] = [question for question in questions if question.evidence == kind]
        for kind in dict.fromkeys(question.kind for question in questions):
            groups[f"kind: {kind}"] = [question for question in questions if question.kind == kind]
        for name, group in groups.items():
            metrics = report.metrics(route, group)
            if metrics is not None:
                numbers = metrics.as_json()
                grid.add_row(str(route), name, *(_number(key, numbers[key]) for key in _NUMBERS))
    out.print(grid)
    if report.answers is not None:
        for name, value in report.answers.as_json().items():
            out.print(f"{name}: {value}")


def _print_changes(changes: Sequence[Paired]) -> None:
    out = console()
    for one in changes:
        low, high = one.mrr.low, one.mrr.high
        out.print(
            f"{one.route}, {one.n} questions: mrr@10 {one.mrr.value:+.3f} (95 %: {low:+.3f} to {high:+.3f}),"
            f" hit@1 {one.hit_at_1:+.3f}, hit@5 {one.hit_at_5:+.3f}"
        )
        for name, group in (("won", one.won), ("lost", one.lost)):
            places = ", ".join(f"{item.question} ({item.before or '–'} → {item.after or '–'})" for item in group)
            out.print(printable(f"  {name}: {places or 'none'}"), soft_wrap=True)


def _number(key: str, value: float) -> str:
    if key == "n":
        return f"{value:,}"
    return f"{value:,.0f}" if key.startswith("ms") else f"{value:.3f}"
