"""Where a question is typed: a field that grows with the text, what is searched and how, and send or stop."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPlainTextEdit, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from desktop_rag.core.limits import LONGEST_QUESTION
from desktop_rag.core.types import Route
from desktop_rag.ui import wording
from desktop_rag.ui.filters import FilterChips, Narrowing
from desktop_rag.ui.icons import icon
from desktop_rag.ui.theme import COLUMN_PX, SPACE_4, SPACE_8, SPACE_12, SPACE_16, SPACE_24, Theme
from desktop_rag.ui.widgets import IconButton, WholeLabel, label, restyle, with_shortcut

_MOST_LINES = 8
_ROUTES = (Route.BEST, Route.HYBRID, Route.TEXT, Route.KEYWORD, Route.TABLE, Route.FIGURE)


class QuestionEdit(QPlainTextEdit):
    """A text field of one to eight lines; Enter sends, Shift+Enter begins a new line."""

    submitted = Signal()
    focused = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Question"))
        self.setPlaceholderText(self.tr("Ask your documents…"))
        self.setToolTip(with_shortcut(self.tr("Your question"), "Ctrl+L"))
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(2)
        self.textChanged.connect(self._fit)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send on Enter."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.submitted.emit()
            return
        super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Take pasted text without its looks."""
        self.insertPlainText(source.text())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the frame around."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell the frame around."""
        super().focusOutEvent(event)
        self.focused.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew, so fit anew."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs another height."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        # The document of a plain text field counts its height in lines, wrapped ones included.
        lines = max(1, min(_MOST_LINES, round(self.document().size().height())))
        height = lines * self.fontMetrics().lineSpacing() + 8
        self.setFixedHeight(height)
        most = self.document().size().height() > _MOST_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if most else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)


class Composer(QWidget):
    """The bottom of the conversation."""

    asked = Signal(str)
    stopped = Signal()
    filter_wanted = Signal()
    """The person would like to choose what is searched."""
    narrowed = Signal(object)
    """The Narrowing that holds from now on."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("composerBar")
        self._theme = theme
        self._busy = False
        self._ready = False
        self.route = Route.BEST
        self.use_model = True
        self.narrowing = Narrowing()
        self.edit = QuestionEdit()
        self.send = IconButton(theme, "arrow-up", self.tr("Send"), colour="on_accent", size_px=16)
        self.send.setObjectName("send")
        self.route_button = self._make_route_button()
        self.filter_button = IconButton(theme, "funnel", "", size_px=16)
        self.chips = FilterChips(theme)
        self.count = label("", "bad", wrap=True)
        self.count.hide()
        self._hint = WholeLabel(self.tr("Enter sends · Shift+Enter for a new line"), "small")
        self._frame = QFrame()
        self._frame.setObjectName("composer")
        self._lay_out()
        self.edit.textChanged.connect(self._refresh)
        self.edit.submitted.connect(self._submit)
        self.edit.focused.connect(self._show_focus)
        self.send.clicked.connect(self._submit_or_stop)
        self.filter_button.clicked.connect(self.filter_wanted)
        self.chips.changed.connect(self.narrow)
        theme.changed.connect(self._dress)
        self._dress()
        self._refresh()
        self._refresh_filter()

    def set_ready(self, ready: bool) -> None:
        """Let questions be sent, or not (no engine)."""
        self._ready = ready
        self._refresh()

    def set_busy(self, busy: bool) -> None:
        """Turn the button into one that stops the answer, and back."""
        self._busy = busy
        self.send.wear("stop" if busy else "arrow-up")
        self.send.say(self.tr("Stop") if busy else self.tr("Send"), "Esc" if busy else "Return")
        self._refresh()

    def choose(self, route: Route) -> None:
        """Search by another route."""
        self.route = route
        self._refresh_route()

    def narrow(self, narrowing: Narrowing) -> None:
        """Search only what fits ``narrowing`` from now on."""
        self.narrowing = narrowing
        self.chips.show_choices(narrowing)
        self.edit.setFocus()
        self._refresh_filter()
        self.narrowed.emit(narrowing)

    def _refresh_filter(self) -> None:
        some = bool(self.narrowing.where)
        self.filter_button.wear("funnel", "accent" if some else "muted")
        self.filter_button.say(
            self.tr("What is searched: filtered") if some else self.tr("What is searched: everything")
        )

    def _make_route_button(self) -> QToolButton:
        button = QToolButton()
        button.setObjectName("routeButton")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        button.setIconSize(QSize(12, 12))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip(self.tr("How your documents are searched"))
        menu = QMenu(button)
        menu.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        group = QActionGroup(menu)
        names = {
            Route.BEST: self.tr("Best: by meaning and by words, then looked over"),
            Route.HYBRID: self.tr("Hybrid: by meaning and by words"),
            Route.TEXT: self.tr("By meaning"),
            Route.KEYWORD: self.tr("By exact words"),
            Route.TABLE: self.tr("Tables only"),
            Route.FIGURE: self.tr("Figures only"),
        }
        for route in _ROUTES:
            action = menu.addAction(names[route])
            action.setCheckable(True)
            action.setChecked(route is self.route)
            action.triggered.connect(lambda _checked, chosen=route: self.choose(chosen))
            group.addAction(action)
        menu.addSeparator()
        prose = menu.addAction(self.tr("Write an answer from the quotes"))
        prose.setCheckable(True)
        prose.setChecked(True)
        prose.toggled.connect(self._use_model)
        button.setMenu(menu)
        return button

    def _lay_out(self) -> None:
        inner = QVBoxLayout(self._frame)
        inner.setContentsMargins(SPACE_12, SPACE_8 + 2, SPACE_8, SPACE_8)
        inner.setSpacing(SPACE_4)
        inner.addWidget(self.chips)
        inner.addWidget(self.edit)
        tools = QHBoxLayout()
        tools.addWidget(self._hint, 1)
        tools.addWidget(self.filter_button)
        tools.addSpacing(SPACE_4)
        tools.addWidget(self.route_button)
        tools.addSpacing(SPACE_4)
        tools.addWidget(self.send)
        inner.addLayout(tools)
        column = QVBoxLayout()
        column.setSpacing(SPACE_4)
        column.addWidget(self._frame)
        column.addWidget(self.count)
        holder = QWidget()
        holder.setMaximumWidth(COLUMN_PX)
        holder.setLayout(column)
        column.setContentsMargins(0, 0, 0, 0)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_24, SPACE_8, SPACE_24, SPACE_16)
        row.addStretch(1)
        row.addWidget(holder, 1000)
        row.addStretch(1)

    def _use_model(self, use: bool) -> None:
        self.use_model = use
        self._refresh_route()

    def _refresh_route(self) -> None:
        name = wording.route_name(self.route).capitalize()
        self.route_button.setText(name if self.use_model else self.tr("{route}, quotes only").format(route=name))
        self.route_button.setAccessibleName(self.tr("Search: {route}").format(route=self.route_button.text()))

    def _refresh(self) -> None:
        text = self.edit.toPlainText().strip()
        too_long = len(text) > LONGEST_QUESTION
        self.count.setVisible(too_long)
        if too_long:
            message = self.tr("The question has {n} characters; at most {limit} can be asked. Shorten it to send it.")
            self.count.setText(message.format(n=wording.count(len(text)), limit=wording.count(LONGEST_QUESTION)))
        self.send.setEnabled(self._busy or (self._ready and bool(text) and not too_long))
        self._refresh_route()

    def _submit(self) -> None:
        if self.send.isEnabled() and not self._busy:
            text = self.edit.toPlainText().strip()
            self.asked.emit(text)

    def _submit_or_stop(self) -> None:
        if self._busy:
            self.stopped.emit()
        else:
            self._submit()

    def _show_focus(self, focused: bool) -> None:
        self._frame.setProperty("focused", focused)
        restyle(self._frame)

    def _dress(self) -> None:
        self.route_button.setIcon(icon("caret-down", self._theme.tokens.muted))
