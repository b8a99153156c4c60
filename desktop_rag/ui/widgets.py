"""Small pieces that every part of the window is made of."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from desktop_rag.ui.icons import SIZE_PX, icon
from desktop_rag.ui.theme import LINE_HEIGHT_PERCENT, SPACE_8, SPACE_12, SPACE_16, Theme


def label(text: str, role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label in one of the roles of the style sheet; its text is never taken for markup."""
    result = QLabel(text)
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setProperty("role", role)
    result.setWordWrap(wrap)
    return result


def dialog_button(text: str, run: Callable[[], object]) -> QPushButton:
    """Return a button of a dialog that is not pressed by Enter in another field."""
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.clicked.connect(lambda _checked: run())
    return button


class Paragraph(QLabel):
    """Running text at the reading line height; never taken for markup."""

    def __init__(self, role: str = "") -> None:
        super().__init__()
        self._plain = ""
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)

    def set_text(self, text: str) -> None:
        """Show another text; line breaks stay."""
        self._plain = text
        body = escape(text).replace("\n", "<br>")
        self.setText(f'<p style="line-height:{LINE_HEIGHT_PERCENT}%; margin:0">{body}</p>')

    def text(self) -> str:
        """Return the text without the markup that sets its lines apart."""
        return self._plain


def hairline(vertical: bool = False) -> QFrame:
    """Return a line of one pixel."""
    line = QFrame()
    line.setObjectName("hairline")
    if vertical:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line


def restyle(widget: QWidget) -> None:
    """Let the style sheet see that a property of ``widget`` changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def with_shortcut(text: str, shortcut: str) -> str:
    """Return the tooltip ``text`` with the keys that do the same."""
    return f"{text}  ({QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)})" if shortcut else text


class IconButton(QToolButton):
    """A button with an icon of the family; ``text`` is its accessible name and tooltip."""

    def __init__(
        self, theme: Theme, name: str, text: str, *, shortcut: str = "", colour: str = "muted", size_px: int = SIZE_PX
    ) -> None:
        super().__init__()
        self._theme, self._icon, self._colour = theme, name, colour
        self.setIconSize(QSize(size_px, size_px))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.say(text, shortcut)
        self._dress()
        theme.changed.connect(self._dress)

    def say(self, text: str, shortcut: str = "") -> None:
        """Give the button another name."""
        self.setAccessibleName(text)
        self.setToolTip(with_shortcut(text, shortcut))

    def wear(self, name: str, colour: str = "") -> None:
        """Give the button another icon, and another colour if one is named."""
        if (name, colour or self._colour) != (self._icon, self._colour):
            self._icon, self._colour = name, colour or self._colour
            self._dress()

    def _dress(self) -> None:
        tokens = self._theme.tokens
        self.setIcon(icon(self._icon, getattr(tokens, self._colour), tokens.field_line))


class IconLabel(QLabel):
    """An icon that is no button."""

    def __init__(self, theme: Theme, name: str, colour: str = "muted", size_px: int = SIZE_PX) -> None:
        super().__init__()
        self._theme, self._icon, self._colour, self._size = theme, name, colour, size_px
        self.setFixedSize(size_px, size_px)
        self._dress()
        theme.changed.connect(self._dress)

    def wear(self, name: str, colour: str) -> None:
        """Show another icon."""
        self._icon, self._colour = name, colour
        self._dress()

    def _dress(self) -> None:
        colour = getattr(self._theme.tokens, self._colour)
        self.setPixmap(icon(self._icon, colour).pixmap(QSize(self._size, self._size), self.devicePixelRatioF()))


class TextButton(QPushButton):
    """A quiet button with an icon and a word."""

    def __init__(self, theme: Theme, name: str, text: str, *, tip: str = "", primary: bool = False) -> None:
        super().__init__(f" {text}" if primary and name else text)
        self._theme, self._icon, self._primary = theme, name, primary
        self._word: str | None = None
        self.setProperty("primary" if primary else "flat", True)
        self.setIconSize(QSize(16, 16))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tip or text)
        self.setToolTip(tip)
        self._dress()
        theme.changed.connect(self._dress)

    def wear(self, name: str) -> None:
        """Give the button another icon."""
        self._icon = name
        self._dress()

    def set_narrow(self, narrow: bool) -> None:
        """Show only the icon, or the word again; the tooltip and the accessible name say it all the same."""
        if narrow and self._word is None:
            self._word = self.text()
            self.setText("")
        elif not narrow and self._word is not None:
            word, self._word = self._word, None
            self.setText(word)

    def say(self, text: str) -> None:
        """Show another word, where there is room for one."""
        if self._word is None:
            self.setText(text)
        else:
            self._word = text

    def _dress(self) -> None:
        tokens = self._theme.tokens
        if self._icon:
            self.setIcon(icon(self._icon, tokens.on_accent if self._primary else tokens.muted, tokens.field_line))


class ElidedLabel(QLabel):
    """A label of one line that shortens its text to the room it has; the tooltip has all of it."""

    def __init__(
        self, text: str = "", role: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight, *, tip: bool = True
    ) -> None:
        super().__init__()
        self._whole, self._mode, self._tip = "", mode, tip
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show another text."""
        self._whole = text
        self.setAccessibleName(text)
        self.setToolTip(text if self._tip else "")
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """Return the whole text, not what there is room for."""
        return self._whole

    def sizeHint(self) -> QSize:
        """Return the room that the whole text would take."""
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self._whole) + 2, metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:
        """Return the least room."""
        return QSize(24, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what there is room for."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        shown = painter.fontMetrics().elidedText(self._whole, self._mode, self.width())
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), shown)


class WholeLabel(ElidedLabel):
    """A label of one line that is whole or not there: of a hint, half is no help."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint all of it, or nothing."""
        if self.width() >= self.fontMetrics().horizontalAdvance(self.text()):
            super().paintEvent(event)


class ElidedButton(QPushButton):
    """A quiet button that shortens its text to the room it has; the tooltip has all of it."""

    def __init__(self, tip: str) -> None:
        super().__init__()
        self._whole, self._tip_text = "", tip
        self.setProperty("flat", True)
        self.setProperty("small", True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str) -> None:
        """Show another text."""
        self._whole = text
        self.setAccessibleName(f"{self._tip_text}: {text}")
        self.setToolTip(f"{text}\n{self._tip_text}")
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much of the text as there is room for."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = max(0, self.width() - SPACE_12)
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room))


class WrappedButton(QPushButton):
    """A button whose words run on over several lines where one is too short for them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._words = label(text, wrap=True)
        self._words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(text)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_16, SPACE_12, SPACE_16, SPACE_12)
        column.addWidget(self._words)

    def text(self) -> str:
        """Return the words."""
        return self._words.text()

    def sizeHint(self) -> QSize:
        """Return the room that the words like to have."""
        return self._words.sizeHint() + QSize(2 * SPACE_16, 2 * SPACE_12)

    def minimumSizeHint(self) -> QSize:
        """Return the least room."""
        return self._words.minimumSizeHint() + QSize(2 * SPACE_16, 2 * SPACE_12)


class Banner(QFrame):
    """A line across the top that says what went wrong, or what is going on, and what can be done; never a dialog."""

    acted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setAccessibleName(self.tr("Message"))
        self._icon = IconLabel(theme, "warning", "warn")
        self._text = label("", wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._action = QPushButton()
        self._close = IconButton(theme, "x", self.tr("Close this message"), size_px=16)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_16, SPACE_8, SPACE_8, SPACE_8)
        row.setSpacing(SPACE_12)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._action)
        row.addWidget(self._close)
        self._action.clicked.connect(self.acted)
        self._close.clicked.connect(self.hide)
        self.hide()

    @property
    def message(self) -> str:
        """What it says now."""
        return self._text.text() if not self.isHidden() else ""

    def say(self, text: str, kind: str = "warn", action: str = "") -> None:
        """Show ``text``; ``kind`` is "warn", "bad" or "plain"; ``action`` is the word on a button, if any."""
        self.setProperty("kind", kind)
        names = {"warn": ("warning", "warn"), "bad": ("warning-circle", "bad"), "plain": ("info", "accent")}
        self._icon.wear(*names[kind])
        self._text.setText(text)
        self._action.setText(action)
        self._action.setVisible(bool(action))
        restyle(self)
        self.show()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the accessible description what is read."""
        super().changeEvent(event)
        self.setAccessibleDescription(self._text.text() if hasattr(self, "_text") else "")
