"""``desktop-rag ask``: the evidence as it comes, then the sentences that passed the audit, then their sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from desktop_rag.cli.common import (
    FilterOption,
    JsonOption,
    RouteOption,
    WorkspaceOption,
    interruptible,
    opened,
    route_named,
)
from desktop_rag.cli.outlines import place_of
from desktop_rag.cli.output import amount, console, print_json, printable, tell
from desktop_rag.core.answers import Answer, Evidence, Verdict
from desktop_rag.core.errors import WorkspaceBusyError
from desktop_rag.core.events import AnswerEvent, EvidenceFound, Notice, SentenceAudited
from desktop_rag.core.words import run_on

if TYPE_CHECKING:
    from desktop_rag.library import Library


def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    thread: Annotated[
        str | None, typer.Option(metavar="ID", help="Continue this conversation; by default a new one begins.")
    ] = None,
    no_model: Annotated[bool, typer.Option("--no-model", help="Show the quotes only, write no prose.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Answer anew, even if the same was asked of the same documents before.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Also tell how the answer came about: steps, prompt, what was struck, why.")
    ] = False,
    read: Annotated[
        Path | None, typer.Option("--read", metavar="FILE", help="Search nothing: read this indexed file as a whole.")
    ] = None,
    section: Annotated[
        str | None, typer.Option(metavar="HEADING", help="Of the file, read what stands under this heading only.")
    ] = None,
    route: RouteOption = None,
    where: FilterOption = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Answer a question from the documents.

    Each sentence comes with the places that carry it.
    """
    if section is not None and read is None:
        raise typer.BadParameter("--section needs the file: --read FILE.")
    with _library(context, workspace) as library, interruptible() as job:
        chosen = route_named(route, library.routes)
        view = None if json else AnswerView()
        answer = library.ask(
            question,
            thread=thread,
            route=chosen,
            use_model=not no_model,
            where=where,
            section=place_of(library, read, section) if read is not None else None,
            fresh=fresh,
            job=job,
            emit=view.on_event if view else None,
        )
    if view is None:
        print_json({**answer.as_json(), "trace": answer.trace_json()} if trace else answer.as_json())
    else:
        view.finish(answer)
        if trace:
            view.print_trace(answer)


@contextmanager
def _library(context: typer.Context, workspace: str | None) -> Iterator[Library]:
    """Open for writing, so that the chat is kept; only for reading while the window has the workspace."""
    try:
        with opened(context, workspace) as library:
            yield library
            return
    except WorkspaceBusyError:
        tell("The workspace is open in another window: this answer is not kept among its chats.")
    with opened(context, workspace, read_only=True) as library:
        yield library


class AnswerView:
    """Prints an answer in the making. Drafts are not shown: what is printed cannot be struck any more."""

    def __init__(self) -> None:
        self._out = console()
        self._evidence_shown = False
        self._sentences: list[str] = []

    def on_event(self, event: AnswerEvent) -> None:
        """Print what has become final."""
        if isinstance(event, EvidenceFound):
            self._print_evidence(event.evidence)
        elif isinstance(event, SentenceAudited) and event.sentence.verdict is not Verdict.UNSUPPORTED:
            self._print_sentence(event.sentence.text)
        elif isinstance(event, Notice):
            tell(event.text)

    def finish(self, answer: Answer) -> None:
        """Print what the stored answer holds besides."""
        if not self._evidence_shown:
            self._print_evidence(answer.evidence)
        if answer.refused:
            self._out.print(printable(f"\n{answer.text}"), style="bold", soft_wrap=True)
            return
        if answer.remark:
            self._out.print(printable(answer.remark), soft_wrap=True)
        for sentence in answer.sentences:
            if sentence.text not in self._sentences:
                self._print_sentence(sentence.text)
        if answer.struck:
            struck = amount(len(answer.struck), "sentence was", "sentences were")
            why = "the quotes do not carry it, or it answers something else. --trace tells"
            self._out.print(f"({struck} struck: {why}.)", style="dim")
        self._print_sources(answer)

    def print_trace(self, answer: Answer) -> None:
        """Print how the answer came about."""
        trace = answer.trace
        self._section("Searched for", [trace.searched])
        self._section("Steps of the search", [f"{step.name}: {step.ms:.0f} ms" for step in trace.steps])
        self._section("Done without", trace.shortened)
        self._section("Given to the model besides quotes and question", answer.given)
        self._section("Struck, and why", [f"{one.text}\n    {one.reason}" for one in answer.struck])
        self._section("The whole prompt", [f"{part.role}: {part.text}" for part in trace.prompt])

    def _section(self, title: str, lines: Sequence[str]) -> None:
        if any(lines):
            self._out.print(f"\n{title}", style="bold")
            self._out.print(printable("\n".join(lines)), soft_wrap=True)

    def _print_evidence(self, evidence: tuple[Evidence, ...]) -> None:
        self._evidence_shown = True
        if evidence:
            self._out.print("Evidence", style="bold")
        for item in evidence:
            quote = printable(" ".join(item.quote.split()))
            self._out.print(f"[{item.n}] “{quote}”", soft_wrap=True)
            self._out.print(f"    {_place(item)}", style="dim", soft_wrap=True)

    def _print_sentence(self, text: str) -> None:
        if not self._sentences:
            self._out.print("\nAnswer", style="bold")
        self._sentences.append(text)
        self._out.print(printable(run_on(text)), soft_wrap=True)

    def _print_sources(self, answer: Answer) -> None:
        cited = {number for sentence in answer.sentences for number in sentence.citations}
        if cited:
            self._out.print("\nSources", style="bold")
        for item in answer.evidence:
            if item.n in cited:
                self._out.print(f"[{item.n}] {_place(item)}", soft_wrap=True)


def _place(item: Evidence) -> str:
    label = f" (printed as {item.page_label})" if item.page_label and item.page_label != str(item.page) else ""
    return printable(f"{item.file}, p. {item.page}{label}")
