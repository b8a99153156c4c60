"""One question and what came of it: evidence first, then the answer as it is written and checked."""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_rag.core.answers import Answer, Evidence, Sentence, Verdict
from desktop_rag.core.events import AnswerDone, AnswerEvent, EvidenceFound, Notice, ProseStarted, SentenceAudited, Token
from desktop_rag.ui import wording
from desktop_rag.ui.answer_text import AnswerText
from desktop_rag.ui.evidence_cards import EvidenceRow
from desktop_rag.ui.pictures import Pictures
from desktop_rag.ui.theme import SPACE_4, SPACE_8, SPACE_12, SPACE_16, SPACE_32, Theme
from desktop_rag.ui.trace import Trace
from desktop_rag.ui.widgets import ElidedLabel, IconLabel, Paragraph, TextButton, label

_TAIL = 12
_COPIED_MS = 1500


class TurnState(StrEnum):
    """How far a question is."""

    SEARCHING = "searching"
    WRITING = "writing"
    DONE = "done"
    INTERRUPTED = "interrupted"


class TurnView(QWidget):
    """Shows a question, its evidence, its answer and the line under it."""

    cited = Signal(int)
    again = Signal()
    grew = Signal()

    def __init__(self, theme: Theme, pictures: Pictures, question: str) -> None:
        super().__init__()
        self.question = question
        self.state = TurnState.SEARCHING
        self.answer: Answer | None = None
        self.evidence: tuple[Evidence, ...] = ()
        self._theme = theme
        self._audited: list[Sentence] = []
        self._draft = ""
        self._title = label(question, "question", wrap=True)
        self._title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.status = label(self.tr("Searching your documents…"), "small")
        self.cards = EvidenceRow(theme, pictures)
        self.text = AnswerText(theme)
        self.draft = Paragraph("muted")
        self.draft.setAccessibleName(self.tr("Draft, not checked yet"))
        self.notice, self._notice_icon, self._notice_text = _notice_frame(theme)
        self.footer = ElidedLabel("", "small")
        self.copy = TextButton(theme, "copy", self.tr("Copy"), tip=self.tr("Copy the answer with its sources"))
        self.ask_again = TextButton(theme, "arrow-clockwise", self.tr("Ask again"), tip=self.tr("Ask this again"))
        self.trace_button = TextButton(theme, "", self.tr("How this answer came about"))
        self._bottom = QWidget()
        self._lay_out()
        self.cards.opened.connect(self.cited)
        self.text.cited.connect(self.cited)
        self.copy.clicked.connect(self._copy)
        self.ask_again.clicked.connect(self.again)
        self.trace_button.clicked.connect(self.show_trace)

    def take_event(self, event: AnswerEvent) -> None:
        """Show one more thing that the engine told about the answer."""
        match event:
            case EvidenceFound(evidence):
                self._take_evidence(evidence)
                self.status.setText(self.tr("Reading the evidence…"))
            case ProseStarted(model):
                self.state = TurnState.WRITING
                self.status.setText(self.tr("{model} writes; each sentence is checked").format(model=model))
            case Token(text):
                self._set_draft(self._draft + text)
            case SentenceAudited(sentence):
                self._take_sentence(sentence)
            case Notice(text):
                self.say(f"{self.message} {text}".strip(), "info", "accent")
            case AnswerDone(answer):
                self.finish(answer)
        self.grew.emit()

    def finish(self, answer: Answer) -> None:
        """Show the answer as it was stored."""
        self.answer = answer
        self.state = TurnState.INTERRUPTED if answer.interrupted else TurnState.DONE
        self._set_draft("")
        self._take_evidence(answer.evidence)
        self.text.take(() if answer.refused else answer.sentences, answer.evidence)
        self.status.setText(self.tr("Nearest places") if answer.refused else self.tr("Evidence"))
        self.status.setVisible(bool(answer.evidence))
        if answer.refused:
            self.say(answer.refusal, "magnifying-glass", "muted")
        if answer.remark:
            self.say(answer.remark, "info", "accent")
        if answer.noted:
            self.say(
                self.tr("Kept in mind: {said}").format(said=" ".join(f"“{text}”" for text in answer.noted)),
                "note-pencil",
                "accent",
            )
        if answer.interrupted:
            self.say(self.tr("This answer was stopped before it was finished."), "stop-circle", "muted")
        if not answer.remark:
            self._show_footer(wording.answer_footer(answer))
        if answer.struck:
            self.footer.setToolTip("\n".join(f"{item.text}  –  {item.reason}" for item in answer.struck))
        self.grew.emit()

    def interrupt(self, reason: str) -> None:
        """Keep what is there, say why there is no more, and offer to ask again."""
        self.state = TurnState.INTERRUPTED
        self._set_draft("")
        self.status.setText(self.tr("Evidence"))
        self.status.setVisible(bool(self.evidence))
        self.say(reason, "warning-circle", "warn")
        self._show_footer(self.tr("not finished"))
        self.grew.emit()

    def stand_apart(self) -> None:
        """Leave room above, for a question that follows another."""
        self._column.setContentsMargins(0, SPACE_32, 0, 0)

    def mark(self, n: int | None) -> None:
        """Show which of the citations is in the page pane."""
        self.cards.mark(n)
        self.text.mark(n)

    def say(self, text: str, icon: str, colour: str) -> None:
        """Show a calm line in place of, or besides, the answer."""
        self._notice_icon.wear(icon, colour)
        self._notice_text.set_text(text)
        self.notice.show()

    def show_trace(self) -> None:
        """Show how the answer came about."""
        if self.answer is not None:
            Trace(self._theme, self.answer, self.window()).open()

    @property
    def message(self) -> str:
        """What the calm line says."""
        return "" if self.notice.isHidden() else self._notice_text.text()

    def _take_evidence(self, evidence: tuple[Evidence, ...]) -> None:
        self.evidence = evidence
        self.cards.take(evidence)
        order: list[QWidget] = [
            *self.cards.cards,
            self.cards.more,
            self.text,
            self.copy,
            self.ask_again,
            self.trace_button,
        ]
        for one, other in pairwise(order):
            self.setTabOrder(one, other)

    def _take_sentence(self, sentence: Sentence) -> None:
        """Move a checked sentence from the draft to the answer; a struck one only leaves the draft."""
        tail = sentence.text[-_TAIL:]
        at = self._draft.find(tail)
        self._set_draft(self._draft[at + len(tail) :].lstrip(" .") if at >= 0 else "")
        if sentence.verdict is not Verdict.UNSUPPORTED:
            self._audited.append(sentence)
            self.text.take(self._audited, self.evidence)

    def _set_draft(self, text: str) -> None:
        self._draft = text
        self.draft.set_text(text)
        self.draft.setVisible(bool(text.strip()))

    def _show_footer(self, text: str) -> None:
        self.footer.set_text(text)
        for button in (self.copy, self.trace_button):
            button.setVisible(self.answer is not None)
        self._bottom.show()

    def _copy(self) -> None:
        if self.answer is None:
            return
        QGuiApplication.clipboard().setText(wording.answer_as_text(self.answer))
        self.copy.setText(self.tr("Copied"))
        QTimer.singleShot(_COPIED_MS, self.copy, lambda: self.copy.setText(self.tr("Copy")))

    def _lay_out(self) -> None:
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_12)
        for widget in (self._title, self.status, self.cards, self.text, self.draft, self.notice):
            column.addWidget(widget)
        row = QHBoxLayout()
        row.setSpacing(SPACE_8)
        row.addWidget(self.footer, 1)
        row.addWidget(self.copy)
        row.addWidget(self.ask_again)
        lines = QVBoxLayout(self._bottom)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(SPACE_4)
        lines.addLayout(row)
        self.trace_button.setProperty("edge", True)
        lines.addWidget(self.trace_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._bottom)
        for hidden in (self.draft, self.notice, self._bottom):
            hidden.hide()


def _notice_frame(theme: Theme) -> tuple[QFrame, IconLabel, Paragraph]:
    frame = QFrame()
    frame.setObjectName("notice")
    icon = IconLabel(theme, "info", "accent")
    text = Paragraph()
    text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    row = QHBoxLayout(frame)
    row.setContentsMargins(SPACE_16, SPACE_12, SPACE_16, SPACE_12)
    row.setSpacing(SPACE_12)
    row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(text, 1)
    return frame, icon, text
