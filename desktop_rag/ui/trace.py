"""“How this answer came about”: its stages and times, the quotes that were found, what was struck, what was given."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from desktop_rag.core.answers import Answer, Sentence
from desktop_rag.ui import wording
from desktop_rag.ui.result_card import score_text
from desktop_rag.ui.theme import LINE_HEIGHT_PERCENT, SPACE_12, SPACE_16, SPACE_24, Theme, Tokens
from desktop_rag.ui.widgets import TextButton, label

_SIZE = (680, 720)


def _tr(text: str) -> str:
    return QCoreApplication.translate("trace", text)


class Trace(QDialog):
    """A calm sheet that holds up nothing."""

    def __init__(self, theme: Theme, answer: Answer, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._answer = theme, answer
        self.setWindowTitle(self.tr("How this answer came about"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QTextBrowser()
        self.text.setAccessibleName(self.tr("How this answer came about"))
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setOpenLinks(False)
        self.copy = TextButton(theme, "copy", self.tr("Copy"), tip=self.tr("Copy all of this"))
        self.close_button = TextButton(theme, "", self.tr("Close"))
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.copy)
        row.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_24, SPACE_24, SPACE_16, SPACE_12)
        column.setSpacing(SPACE_12)
        column.addWidget(label(answer.question, "question", wrap=True))
        column.addWidget(self.text, 1)
        column.addLayout(row)
        self.resize(*_SIZE)
        self.copy.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.accept)
        theme.changed.connect(self._render)
        self._render()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._answer.question}\n\n{self.text.toPlainText()}")

    def _render(self) -> None:
        self.text.setHtml(trace_html(self._answer, self._theme.tokens))


def trace_html(answer: Answer, tokens: Tokens) -> str:
    """Return what is known of how ``answer`` came about, as markup in the colours of ``tokens``."""
    parts = [
        _section(_tr("In short"), _pairs(_summary(answer), tokens), tokens),
        _section(_tr("Times"), _pairs(_times(answer), tokens), tokens),
        _section(_tr("Quotes that were found"), _quotes(answer, tokens), tokens),
        _section(_tr("Given to the model besides"), _lines(answer.given, _tr("Nothing."), tokens), tokens),
        _section(_tr("Checked sentences"), _sentences(answer.sentences, tokens), tokens),
        _section(_tr("Struck, and why"), _sentences(answer.struck, tokens), tokens),
        _section(_tr("The whole prompt"), _prompt(answer, tokens), tokens),
    ]
    if answer.trace.shortened:
        parts.insert(2, _section(_tr("Done without"), _lines(answer.trace.shortened, "", tokens), tokens))
    return f'<div style="line-height:{LINE_HEIGHT_PERCENT}%">{"".join(parts)}</div>'


def _summary(answer: Answer) -> list[tuple[str, str]]:
    searched = answer.trace.searched
    outcome = _tr("stopped before its end") if answer.interrupted else _tr("no answer found") if answer.refused else ""
    if not outcome:
        all_, held = len(answer.sentences) + len(answer.struck), len(answer.sentences)
        outcome = _tr("{held} of {all} sentences hold").format(held=held, all=all_)
    return [
        (_tr("Outcome"), " · ".join(part for part in (outcome, answer.refusal_reason) if part)),
        (_tr("Searched"), wording.route_name(answer.route)),
        *([(_tr("Searched for"), searched)] if searched not in ("", answer.question) else []),
        (_tr("Written by"), answer.model or _tr("nobody: exact quotes only")),
        (_tr("From memory"), _tr("yes, asked before") if answer.cached else _tr("no")),
        (_tr("Confidence"), f"{answer.confidence:.2f}"),
        (_tr("Number of the trace"), answer.query_id),
    ]


def _times(answer: Answer) -> list[tuple[str, str]]:
    times = answer.timings
    steps = (
        (_tr("Searched"), times.retrieve),
        (_tr("First quotes shown"), times.first_evidence),
        (_tr("First word written"), times.first_token),
        (_tr("Finished"), times.total),
    )
    rows = [(name, _tr("did not happen") if ms is None else _moment(ms)) for name, ms in steps]
    if answer.trace.steps:
        parts = (f"{wording.step_name(one.name)} {_moment(one.ms)}" for one in answer.trace.steps)
        rows.append((_tr("Steps of the search"), " · ".join(parts)))
    return rows


def _moment(ms: float) -> str:
    return wording.seconds(ms) if ms >= 1000 else wording.milliseconds(ms)


def _pairs(pairs: Iterable[tuple[str, str]], tokens: Tokens) -> str:
    rows = "".join(
        f'<tr><td width="180" style="padding:1px 12px 1px 0; color:{tokens.muted}">{escape(name)}</td>'
        f'<td style="padding:1px 0">{escape(value)}</td></tr>'
        for name, value in pairs
    )
    return f'<table cellspacing="0" cellpadding="0">{rows}</table>'


def _quotes(answer: Answer, tokens: Tokens) -> str:
    cited = {n for sentence in answer.sentences for n in sentence.citations}
    rows = []
    for item in answer.evidence:
        use = _tr("cited") if item.n in cited else _tr("not cited")
        place = " · ".join((wording.evidence_place(item), _tr("score {s}").format(s=score_text(item.score)), use))
        rows.append(
            f'<p style="margin:0 0 8px 0">[{item.n}] “{escape(item.quote)}”<br>'
            f'<span style="color:{tokens.muted}">{escape(place)}</span></p>'
        )
    return "".join(rows) or _lines((), _tr("None."), tokens)


def _sentences(sentences: Iterable[Sentence], tokens: Tokens) -> str:
    rows = []
    for one in sentences:
        text = " ".join((wording.without_markers(one), *(f"[{n}]" for n in one.citations)))
        reason = f'<br><span style="color:{tokens.muted}">{escape(one.reason)}</span>' if one.reason else ""
        rows.append(f'<p style="margin:0 0 6px 0">{escape(text)}{reason}</p>')
    return "".join(rows) or _lines((), _tr("None."), tokens)


def _prompt(answer: Answer, tokens: Tokens) -> str:
    return _lines([f"{part.role}: {part.text}" for part in answer.trace.prompt], _tr("No model was asked."), tokens)


def _lines(lines: Iterable[str], none: str, tokens: Tokens) -> str:
    shown = "<br>".join(escape(line).replace("\n", "<br>") for line in lines)
    return (
        f'<p style="margin:0">{shown}</p>' if shown else f'<p style="margin:0; color:{tokens.muted}">{escape(none)}</p>'
    )


def _section(title: str, body: str, tokens: Tokens) -> str:
    heading = f'<p style="margin:14px 0 4px 0; color:{tokens.muted}; font-size:12px; font-weight:600">'
    return f"{heading}{escape(title)}</p>{body}"
