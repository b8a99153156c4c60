"""The text of an answer: each sentence followed by the numbers of the quotes that carry it, to be clicked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from PySide6.QtCore import QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QCursor,
    QFocusEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextFragment,
    QTextLine,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QToolTip

from desktop_rag.core.answers import Evidence, Sentence, Verdict
from desktop_rag.core.words import run_on
from desktop_rag.ui import wording
from desktop_rag.ui.theme import LINE_HEIGHT_PERCENT, Theme

_SCHEME = "cite:"
_CHIP_RADIUS_PX = 5
_SNIPPET = 240


def _html(sentences: Sequence[Sentence], active: int | None, ink: str, on_active: str) -> str:
    """Return the sentences as markup: prose as one paragraph, bare quotes as one each."""
    quotes_only = all(sentence.verdict is Verdict.QUOTE for sentence in sentences)
    parts = []
    for sentence in sentences:
        text = escape(run_on(wording.without_markers(sentence))).replace("\n", "<br>")
        chips = "&#8202;".join(_chip(n, n == active, ink, on_active) for n in sentence.citations)
        body = f"“{text.strip('“”')}”" if sentence.verdict is Verdict.QUOTE else text
        parts.append(f"{body}&nbsp;{chips}" if chips else body)
    style = f"line-height:{LINE_HEIGHT_PERCENT}%; margin:0 0 10px 0"
    paragraphs = parts if quotes_only else [" ".join(parts)]
    return "".join(f'<p style="{style}">{paragraph}</p>' for paragraph in paragraphs)


def _chip(n: int, active: bool, ink: str, on_active: str) -> str:
    style = f"color:{on_active if active else ink}; text-decoration:none; font-size:11px; font-weight:600"
    return f'<a href="{_SCHEME}{n}" style="{style}">&nbsp;&nbsp;{n}&nbsp;&nbsp;</a>'


class AnswerText(QTextBrowser):
    """Selectable text as high as it needs to be; numbers light their places."""

    cited = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._sentences: tuple[Sentence, ...] = ()
        self._evidence: Mapping[int, Evidence] = {}
        self._active: int | None = None
        self.setAccessibleName(self.tr("Answer"))
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.anchorClicked.connect(self._clicked)
        self.highlighted.connect(self._hovered)
        theme.changed.connect(self._render)
        self.hide()

    def take(self, sentences: Sequence[Sentence], evidence: Sequence[Evidence]) -> None:
        """Show these sentences with their citations."""
        self._sentences = tuple(sentences)
        self._evidence = {item.n: item for item in evidence}
        self.setVisible(bool(sentences))
        self._render()

    def mark(self, n: int | None) -> None:
        """Show which citation is in the page pane."""
        if n != self._active:
            self._active = n
            self._render()

    def chips(self) -> list[tuple[int, QRectF]]:
        """Return each chip's number and its place in the viewport."""
        return [(n, place) for n, place in self._chips()]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the plates of the chips, then the text on top."""
        tokens = self._theme.tokens
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for n, place in self._chips():
            painter.setBrush(QColor(tokens.accent if n == self._active else tokens.accent_soft))
            painter.drawRoundedRect(place, _CHIP_RADIUS_PX, _CHIP_RADIUS_PX)
        painter.end()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take the height that the text needs at this width."""
        super().resizeEvent(event)
        self._fit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Drop the selection that marks a link while the keyboard is on it."""
        super().focusOutEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)

    def _render(self) -> None:
        tokens = self._theme.tokens
        self.setHtml(_html(self._sentences, self._active, tokens.accent, tokens.on_accent))
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        self.setFixedHeight(max(1, round(self.document().size().height())))

    def _chips(self) -> Iterator[tuple[int, QRectF]]:
        block = self.document().begin()
        while block.isValid():
            iterator = block.begin()
            while not iterator.atEnd():
                fragment = iterator.fragment()
                href = fragment.charFormat().anchorHref()
                if href.startswith(_SCHEME):
                    yield int(href.removeprefix(_SCHEME)), self._place(block, fragment)
                iterator += 1
            block = block.next()

    def _place(self, block: QTextBlock, fragment: QTextFragment) -> QRectF:
        start = fragment.position() - block.position()
        layout = block.layout()
        line = layout.lineForTextPosition(start)
        left = self._x(line, start)
        right = self._x(line, start + fragment.length())
        top = self.document().documentLayout().blockBoundingRect(block).top() + line.y() + line.ascent()
        return QRectF(left + 1, top - 12, right - left - 2, 16)

    @staticmethod
    def _x(line: QTextLine, at: int) -> float:
        # The binding gives the position that it moved to besides the coordinate.
        value = line.cursorToX(at)
        return float(value[0]) if isinstance(value, tuple) else 0.0

    def _clicked(self, url: QUrl) -> None:
        self.cited.emit(int(url.toString().removeprefix(_SCHEME)))

    def _hovered(self, url: QUrl) -> None:
        number = url.toString().removeprefix(_SCHEME)
        evidence = self._evidence.get(int(number)) if number else None
        if evidence is None:
            QToolTip.hideText()
            return
        quote = evidence.quote if len(evidence.quote) <= _SNIPPET else evidence.quote[: _SNIPPET - 1] + "…"
        place = escape(wording.evidence_place(evidence))
        QToolTip.showText(QCursor.pos(), f"<p>“{escape(quote)}”</p><p>{place}</p>", self)
