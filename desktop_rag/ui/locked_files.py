"""Locked files in the window: a quiet line that tells of them, and the questions for their passwords."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QDialog, QWidget

from desktop_rag.core.ledger import FileRow
from desktop_rag.ui import wording
from desktop_rag.ui.bridge import Failure
from desktop_rag.ui.password_dialog import PasswordDialog
from desktop_rag.ui.pictures import Pictures
from desktop_rag.ui.session import Session
from desktop_rag.ui.theme import Theme
from desktop_rag.ui.widgets import Banner

_LOOK_MS = 2000


@dataclass(frozen=True, slots=True)
class _Locked:
    document: str
    file: str


class LockedFiles(QObject):
    """Knows which files wait for a password; each is offered once, and asked for when the person wants it."""

    unlocked = Signal(str)
    """A document that was opened."""

    def __init__(self, theme: Theme, session: Session, pictures: Pictures, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._session, self._parent = theme, session, parent
        self._offered: set[str] = set()
        self._to_ask: tuple[_Locked, ...] = ()
        self._queue: deque[_Locked] = deque()
        self.dialog: PasswordDialog | None = None
        self.notice = Banner(theme)
        self.notice.acted.connect(lambda: self._ask(self._to_ask))
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_LOOK_MS)
        self._delay.timeout.connect(self.look)
        session.ledger_changed.connect(self._changed)
        session.sync_done.connect(lambda _done: self.look())
        pictures.locked.connect(self._picture_locked)

    def look(self) -> None:
        """Ask which files are locked."""
        self._session.bridge.call("locked", done=self._take)

    def forget(self) -> None:
        """Begin afresh: another workspace is opened."""
        self._offered.clear()
        self._to_ask = ()
        self._queue.clear()
        self.notice.hide()
        if self.dialog is not None:
            self.dialog.reject()

    def ask(self, row: FileRow) -> None:
        """Ask for the password of one file."""
        self._ask([_Locked(row.document, row.file)])

    def _changed(self) -> None:
        if not self._delay.isActive():
            self._delay.start()

    def _take(self, rows: Sequence[FileRow]) -> None:
        locked = tuple(_Locked(row.document, row.file) for row in rows)
        new = [one for one in locked if one.document not in self._offered]
        self._offered.update(one.document for one in new)
        shown = {one.document for one in self._to_ask}
        if new or (not self.notice.isHidden() and shown & {one.document for one in locked}):
            self._offer(locked)
        elif shown:
            self.notice.hide()

    def _offer(self, locked: tuple[_Locked, ...]) -> None:
        self._to_ask = locked
        if len(locked) == 1:
            text = self.tr("{file} is locked with a password.").format(file=wording.file_name(locked[0].file))
        else:
            text = self.tr("{count} files are locked with a password.").format(count=wording.count(len(locked)))
        self.notice.say(text, "plain", self.tr("Enter password …"))

    def _picture_locked(self, document: str, message: str) -> None:
        """The text of a file is in the index, but its pages cannot be shown before its password is entered again."""

        def offer(path: str) -> None:
            self._to_ask = (_Locked(document, PurePath(path).name),)
            self.notice.say(message, "plain", self.tr("Enter password …"))

        self._session.find_file(document, offer)

    def _ask(self, locked: Sequence[_Locked]) -> None:
        waiting = {one.document for one in self._queue}
        self._queue.extend(one for one in locked if one.document not in waiting)
        if self.dialog is None:
            self._next()

    def _next(self) -> None:
        self.dialog = None
        if not self._queue:
            self.look()
            return
        one = self._queue.popleft()
        others = len(self._queue) or sum(other.document != one.document for other in self._to_ask)
        dialog = PasswordDialog(self._theme, wording.file_name(one.file), others, self._parent)
        dialog.entered.connect(lambda password, for_others: self._try(one, dialog, password, for_others))
        dialog.finished.connect(lambda _result: self._next())
        self.dialog = dialog
        dialog.open()

    def _try(self, one: _Locked, dialog: PasswordDialog, password: str, for_others: bool) -> None:
        def opened(_row: FileRow) -> None:
            if for_others:
                self._queue.clear()  # those that it does not open are told of again
                self._offered.clear()
            if self.dialog is dialog:
                dialog.done(QDialog.DialogCode.Accepted)
            self.notice.hide()
            self.unlocked.emit(one.document)

        def refused(failure: Failure) -> None:
            if self.dialog is dialog:
                dialog.refuse(failure.message or self.tr("The file could not be opened. Try once more."))

        self._session.bridge.call("unlock", one.document, password, for_others, done=opened, failed=refused)
