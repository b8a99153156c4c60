"""The bottom line: what is being read, how far it is, pause; and that nothing leaves this computer."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from desktop_rag.core.events import SyncProgress
from desktop_rag.engine.protocol import SyncState
from desktop_rag.ui import wording
from desktop_rag.ui.theme import SPACE_4, SPACE_8, SPACE_12, SPACE_16, Theme
from desktop_rag.ui.widgets import ElidedLabel, IconButton, IconLabel, label

HEIGHT_PX = 32
_BAR_PX = 120


class StatusBar(QWidget):
    """Progress never goes backwards here: the engine counts, this only shows."""

    pause_wanted = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("statusBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Progress"))
        self.setFixedHeight(HEIGHT_PX)
        self._state = SyncState.IDLE
        self._progress: SyncProgress | None = None
        self._idle = ""
        self._watching = False
        self._waiting = 0
        self.bar = QProgressBar()
        self.bar.setObjectName("progress")
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(_BAR_PX, 4)
        self.bar.setAccessibleName(self.tr("Share of the files that has been read"))
        self.text = ElidedLabel()
        self.pause = IconButton(theme, "pause", self.tr("Pause reading"), size_px=16)
        self.pause.clicked.connect(lambda: self.pause_wanted.emit(self._state is not SyncState.PAUSED))
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_16, 0, SPACE_16, 0)
        row.setSpacing(SPACE_8)
        row.addWidget(self.bar)
        row.addWidget(self.text, 1)
        row.addWidget(self.pause)
        row.addSpacing(SPACE_12)
        self._lock = IconLabel(theme, "lock-simple", "muted", 14)
        row.addWidget(self._lock)
        row.addSpacing(-SPACE_4)
        self.offline = label("")
        row.addWidget(self.offline)
        self.take_fetching("")
        self._refresh()

    def take_fetching(self, model: str) -> None:
        """Say that a model is being fetched over the network, or that nothing is."""
        fetching = self.tr("online: fetching the model {name}, sending nothing of yours").format(name=model)
        self.offline.setText(fetching if model else self.tr("offline: nothing leaves this computer"))
        self._lock.wear("globe" if model else "lock-simple", "warn" if model else "muted")

    def say_idle(self, text: str) -> None:
        """Say this while nothing is being read."""
        self._idle = text
        self._refresh()

    def take_waiting(self, files: int) -> None:
        """Know how many files wait, with some of their stages, for this computer to be off its battery."""
        self._waiting = files
        self._refresh()

    def take_watching(self, watching: bool) -> None:
        """Know whether there is any folder to look at: without one, nothing is said to be looked at."""
        self._watching = watching
        self._refresh()

    def take_progress(self, progress: SyncProgress) -> None:
        """Show how far the reading is."""
        self._progress = progress
        if self._state is SyncState.IDLE:
            self._state = SyncState.RUNNING
        self._refresh()

    def take_state(self, state: SyncState) -> None:
        """Show whether the reading runs, waits or has ended."""
        self._state = state
        if state is SyncState.IDLE:
            self._progress = None
        self._refresh()

    def _refresh(self) -> None:
        paused = self._state is SyncState.PAUSED
        running = self._state is not SyncState.IDLE and (self._watching or self._progress is not None)
        known = running and self._progress is not None and self._progress.progress.total > 0
        self.pause.setVisible(running)
        self.pause.wear("play" if paused else "pause")
        self.pause.say(self.tr("Go on reading") if paused else self.tr("Pause reading"))
        self.bar.setVisible(known)
        if self._progress is not None and known:
            progress = self._progress.progress
            self.bar.setRange(0, progress.total)
            self.bar.setValue(min(progress.done, progress.total))
        self.text.set_text(self._sentence(paused, running))

    def _told_waiting(self) -> str:
        if not self._waiting:
            return ""
        files = wording.plural(self._waiting, self.tr("file waits"), self.tr("files wait"))
        return self.tr("{files} for mains power with the rest").format(files=files)

    def _sentence(self, paused: bool, running: bool) -> str:
        if not running:
            return " · ".join(part for part in (self._idle, self._told_waiting()) if part)
        if self._progress is None:
            return self.tr("Paused") if paused else self.tr("Looking at your folders…")
        if paused:
            progress = self._progress.progress
            done = self.tr("Paused · {done} of {total} {unit}")
            return done.format(
                done=wording.count(progress.done), total=wording.count(progress.total), unit=progress.unit
            )
        return wording.progress_sentence(self._progress)
