"""Sentences that the window makes from values: counts, times, places, states. No widgets here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from desktop_rag.core.answers import Answer, Evidence, Sentence
from desktop_rag.core.events import SyncProgress
from desktop_rag.core.ledger import FileRow, FileState, FolderRow, FolderState, Stage, StageState
from desktop_rag.core.limits import CLEAR_CONFIDENCE
from desktop_rag.core.types import Route

_SEPARATOR = " · "


def _tr(text: str) -> str:
    return QCoreApplication.translate("wording", text)


@dataclass(frozen=True, slots=True)
class StateLook:
    """How a state is told: its word, an icon of the family, and a colour of the token table."""

    word: str
    icon: str
    colour: str


def count(number: int) -> str:
    """Return ``number`` with its thousands apart: 1,204."""
    return f"{number:,}"


def plural(number: int, one: str, many: str) -> str:
    """Return "1 file" or "3 files" from the words for one and for many."""
    return f"{count(number)} {one if number == 1 else many}"


def size(bytes_: int) -> str:
    """Return a file size as people read it: 98 MB."""
    value, unit = float(bytes_), "B"
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"


def seconds(ms: float) -> str:
    """Return a time in seconds with one decimal: 1.9 s."""
    return f"{ms / 1000:.1f} s"


def time_left(left: float) -> str:
    """Return how long work will still take, no more exact than anyone can know."""
    if left < 50:
        return _tr("less than a minute left")
    minutes = round(left / 60)
    if minutes < 60:
        return _tr("about {minutes} min left").format(minutes=max(1, minutes))
    hours, rest = divmod(minutes, 60)
    return _tr("about {hours} h {minutes} min left").format(hours=hours, minutes=rest // 10 * 10)


def progress_sentence(state: SyncProgress) -> str:
    """Return one line for the status bar: what is being done, units done of units known, rate and time left."""
    progress = state.progress
    parts = [progress.stage]
    if progress.detail:
        doing = _tr("Looking through {name}") if progress.stage == "Looking" else "{stage} {name}"
        parts[0] = doing.format(stage=progress.stage, name=file_name(progress.detail))
    if progress.total:
        done = min(progress.done, progress.total)
        parts.append(
            _tr("{done} of {total}").format(done=count(done), total=count(progress.total)) + f" {progress.unit}"
        )
    if state.units_per_minute:
        parts.append(_tr("{rate} a minute").format(rate=count(round(state.units_per_minute))))
    if state.seconds_left is not None:
        parts.append(time_left(state.seconds_left))
    return _SEPARATOR.join(parts)


def file_name(path: str) -> str:
    """Return the last part of a path, or the path itself where it has none."""
    return PurePath(path).name or path


def page_name(page: int, label: str = "") -> str:
    """Return "p. 12", with the printed label where it differs: "p. iv (4)"."""
    if label and label != str(page):
        return _tr("p. {label} ({page})").format(label=label, page=page)
    return _tr("p. {page}").format(page=page)


def evidence_place(evidence: Evidence) -> str:
    """Return "report.pdf · p. 12"."""
    return _SEPARATOR.join((file_name(evidence.file), page_name(evidence.page, evidence.page_label)))


def unsure_note(evidence: Evidence) -> str:
    """Return what is to be known of a quote whose words text recognition is not sure of; empty for all others."""
    return _tr("recognised text, some words unsure") if evidence.confidence < CLEAR_CONFIDENCE else ""


def place_with_note(place: str, evidence: Evidence) -> str:
    """Return ``place`` and, of a quote with unsure words, a word on that."""
    return joined(place, _tr("some words unsure")) if unsure_note(evidence) else place


def joined(*parts: str) -> str:
    """Return what is said of one thing in one line."""
    return _SEPARATOR.join(parts)


def without_markers(sentence: Sentence) -> str:
    """Return the text of a sentence without the "[1]" that the model wrote: the numbers are shown as buttons."""
    numbers = "|".join(str(n) for n in sentence.citations)
    if not numbers:
        return sentence.text.strip()
    marker = rf"\s*\[\s*(?:{numbers})(?:\s*,\s*(?:{numbers}))*\s*\]"
    return re.sub(marker, "", sentence.text).strip()


def answer_as_text(answer: Answer) -> str:
    """Return the answer for the clipboard: question, sentences with their numbers, and what the numbers stand for."""
    if answer.refused or not answer.sentences:
        return f"{answer.question}\n\n{answer.text}"
    said = [
        " ".join((without_markers(sentence), *(f"[{n}]" for n in sentence.citations))) for sentence in answer.sentences
    ]
    cited = {n for sentence in answer.sentences for n in sentence.citations}
    sources = [f"[{e.n}] {evidence_place(e)}: “{e.quote}”" for e in answer.evidence if e.n in cited]
    return "\n".join([answer.question, "", " ".join(said), "", *sources]).rstrip()


def route_name(route: Route) -> str:
    """Return the short word for a way of searching."""
    names = {
        Route.HYBRID: _tr("hybrid"),
        Route.TEXT: _tr("meaning"),
        Route.KEYWORD: _tr("words"),
        Route.TABLE: _tr("tables"),
        Route.FIGURE: _tr("figures"),
        Route.PAGE: _tr("page pictures"),
        Route.BEST: _tr("best"),
    }
    return names[route]


def step_name(step: str) -> str:
    """Return the words for a step of a search, as the clock of the search calls it."""
    names = {
        "embed": _tr("understand"),
        "vector search": _tr("meaning"),
        "keyword search": _tr("words"),
        "fuse": _tr("join"),
        "merge": _tr("merge"),
        "rescore": _tr("weigh"),
        "rerank": _tr("look again"),
    }
    return names.get(step, step)


def measure_name(measure: str) -> str:
    """Return the words for a measure of :data:`desktop_rag.core.evaluation.MEASURES`, or for the time."""
    names = {
        "hit@1": _tr("right page first (hit@1)"),
        "hit@5": _tr("among the first five (hit@5)"),
        "mrr@10": _tr("mean reciprocal rank (MRR)"),
        "ndcg@10": _tr("order of the first ten (nDCG)"),
        "time": _tr("time (median)"),
    }
    return names.get(measure, measure)


def milliseconds(ms: float) -> str:
    """Return a short time: 34 ms."""
    return f"{ms:.0f} ms" if ms >= 10 or ms == 0 else f"{ms:.1f} ms"


def answer_footer(answer: Answer) -> str:
    """Return the line under an answer: how it was searched, how many sentences hold, how long it took."""
    parts = [route_name(answer.route)]
    held, struck = len(answer.sentences), len(answer.struck)
    if answer.refused:
        parts.append(_tr("no answer found"))
    elif held and all(sentence.verdict == "quote" for sentence in answer.sentences):
        parts.append(_tr("exact quotes"))
    elif held:
        checked = _tr("{held} of {all} sentences checked") if held + struck != 1 else _tr("1 of 1 sentence checked")
        parts.append(checked.format(held=held, all=held + struck))
    if struck:
        parts.append(_tr("1 struck") if struck == 1 else _tr("{struck} struck").format(struck=struck))
    if answer.cached:
        parts.append(_tr("from memory"))
    parts.append(seconds(answer.timings.total))
    return _SEPARATOR.join(parts)


def folder_count(row: FolderRow) -> str:
    """Return what stands beside a folder: "1,204", "212 / 380" or "offline"."""
    if row.state is FolderState.OFFLINE:
        return _tr("offline")
    return count(row.files) if row.ready >= row.files else f"{count(row.ready)} / {count(row.files)}"


def folders_told(rows: Sequence[FolderRow]) -> str:
    """Return what the status bar says of all folders when nothing is going on; empty where there is no file."""
    files, ready, unread = (sum(getattr(row, what) for row in rows) for what in ("files", "ready", "unread"))
    if not files:
        return ""
    known = plural(files, _tr("file"), _tr("files"))
    if ready == files:
        return _tr("{files}, all read").format(files=known)
    told = _tr("{ready} of {files} read").format(ready=count(ready), files=known)
    return joined(told, _tr("{n} could not be read").format(n=count(unread))) if unread else told


def folder_look(row: FolderRow) -> StateLook:
    """Return how the state of a folder is told."""
    if row.state is FolderState.OFFLINE:
        return StateLook(_tr("offline: nothing is removed, it comes back with the drive"), "circle-dashed", "muted")
    if not row.files:
        return StateLook(_tr("no file found yet"), "circle", "muted")
    if row.ready + row.unread < row.files:
        return StateLook(_tr("being read"), "circle-half", "warn")
    if row.unread:
        left = _tr("{n} not read, the list of files says why").format(n=plural(row.unread, _tr("file"), _tr("files")))
        return StateLook(left, "warning-circle", "warn")
    return StateLook(_tr("up to date"), "check-circle", "good")


def stage_name(stage: Stage) -> str:
    """Return the short word for what a stage looks for."""
    names = {
        Stage.TEXT: _tr("words"),
        Stage.VECTORS: _tr("meaning"),
        Stage.TABLES: _tr("tables"),
        Stage.FIGURES: _tr("figures"),
        Stage.OCR: _tr("scanned text"),
        Stage.PAGES: _tr("page pictures"),
    }
    return names[stage]


def stages_to_come(row: FileRow) -> str:
    """Return what is still to be done with a file: "meaning, tables"; empty when nothing is."""
    return ", ".join(stage_name(stage) for stage, state in row.stages.items() if state is StageState.PENDING)


def stages_told(row: FileRow) -> str:
    """Return how far each stage of a file is: "words: done · tables: to come"."""
    words = {
        StageState.DONE: _tr("done"),
        StageState.PENDING: _tr("to come"),
        StageState.FAILED: _tr("failed"),
    }
    told = [f"{stage_name(stage)}: {words[state]}" for stage, state in row.stages.items() if state in words]
    return _SEPARATOR.join(told)


def file_look(state: FileState) -> StateLook:
    """Return how the state of a file is told."""
    looks = {
        FileState.INDEXED: StateLook(_tr("Ready"), "check-circle", "good"),
        FileState.PARTLY: StateLook(_tr("Ready in part"), "circle-half", "warn"),
        FileState.PENDING: StateLook(_tr("Waiting"), "clock", "muted"),
        FileState.WORKING: StateLook(_tr("Being read"), "circle-half", "warn"),
        FileState.UNSUPPORTED: StateLook(_tr("Not supported"), "minus-circle", "muted"),
        FileState.FAILED: StateLook(_tr("Could not be read"), "warning-circle", "bad"),
        FileState.NEEDS_PASSWORD: StateLook(_tr("Needs a password"), "lock-key", "warn"),
        FileState.OFFLINE: StateLook(_tr("Offline"), "circle-dashed", "muted"),
        FileState.IGNORED: StateLook(_tr("Left out"), "minus-circle", "muted"),
    }
    return looks[state]
