"""How far the fetching of a model is, with a way to stop it; gone while nothing is fetched."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from desktop_rag.ui import model_wording
from desktop_rag.ui.models import Models
from desktop_rag.ui.theme import SPACE_12
from desktop_rag.ui.widgets import ElidedLabel

_BAR_PX = 160
_STEPS = 1000


class FetchBar(QWidget):
    """A bar, a sentence and a button in one line."""

    def __init__(self, models: Models) -> None:
        super().__init__()
        self._models = models
        self.bar = QProgressBar()
        self.bar.setObjectName("progress")
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        self.bar.setFixedSize(_BAR_PX, 4)
        self.bar.setAccessibleName(self.tr("Share of the model that has been fetched"))
        self.text = ElidedLabel()
        self.stop_button = QPushButton(self.tr("Stop"))
        self.stop_button.setAutoDefault(False)
        self.stop_button.clicked.connect(lambda _checked: models.stop())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_12)
        row.addWidget(self.bar)
        row.addWidget(self.text, 1)
        row.addWidget(self.stop_button)
        models.fetch_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        models, progress = self._models, self._models.progress
        share = progress.done / progress.total if progress is not None and progress.total else 0.0
        self.bar.setValue(round(share * _STEPS))
        self.text.set_text(model_wording.fetching(models.fetching, progress, models.bytes_per_second))
        self.setVisible(bool(models.fetching))
