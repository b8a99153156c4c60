"""What is searched: a dialog that narrows it by file, passage, place, tag, language and date, and chips that say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.filters import parse_filters
from desktop_rag.core.ledger import FolderRow
from desktop_rag.core.types import ElementKind
from desktop_rag.ui import wording
from desktop_rag.ui.combo import QuietCombo
from desktop_rag.ui.icons import icon
from desktop_rag.ui.theme import SPACE_4, SPACE_8, SPACE_16, SPACE_24, Theme
from desktop_rag.ui.widgets import label

_CHIPS_IN_A_ROW = 3
_LONGEST_NAME = 20


def _tr(text: str) -> str:
    return QCoreApplication.translate("filters", text)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a person has chosen, each empty where all is searched; dates are years, months or days."""

    type: str = ""
    kind: str = ""
    folder: str = ""
    language: str = ""
    first: str = ""
    last: str = ""
    tag: str = ""

    @property
    def where(self) -> str:
        """The filter as the engine reads it; see :mod:`desktop_rag.core.filters`."""
        types = _TYPES.get(self.type, ())
        terms = [f"type:{one}" for one in types]
        terms += [f'{key}:"{value}"' for key, value in self._others() if value]
        return " ".join(terms)

    def _others(self) -> tuple[tuple[str, str], ...]:
        places = ("kind", self.kind), ("folder", self.folder), ("tag", self.tag)
        return (*places, ("language", self.language), ("date", self.dates))

    @property
    def dates(self) -> str:
        """The range of days as a value of the filter ``date``, or nothing."""
        return f"{self.first}..{self.last}" if self.first or self.last else ""

    def without(self, *names: str) -> Narrowing:
        """Return it with these choices undone."""
        kept = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in names}
        return Narrowing(**kept)


_TYPES = {
    "pdf": ("pdf",),
    "word": ("docx", "doc", "odt", "rtf"),
    "slides": ("pptx", "ppt", "odp"),
    "sheet": ("xlsx", "xls", "ods", "csv", "tsv"),
    "text": ("txt", "md", "markdown", "rst", "org"),
    "web": ("html", "htm", "xhtml"),
    "mail": ("eml", "msg", "mbox"),
    "book": ("epub",),
    "picture": ("png", "jpg", "jpeg", "tif", "tiff", "webp", "bmp", "gif", "heic", "avif"),
}
"""Endings of files by what people call them."""


def type_names() -> dict[str, str]:
    """Return the kinds of files by their keys."""
    return {
        "pdf": _tr("PDF"), "word": _tr("Word and similar"), "slides": _tr("Slides"), "sheet": _tr("Sheets and CSV"),
        "text": _tr("Text and Markdown"), "web": _tr("Web pages"), "mail": _tr("Mail"), "book": _tr("E-books"),
        "picture": _tr("Pictures"),
    }  # fmt: skip


def kind_names() -> dict[str, str]:
    """Return the kinds of passages by their keys."""
    return {
        ElementKind.TEXT: _tr("Running text"), ElementKind.TABLE: _tr("Tables"), ElementKind.FIGURE: _tr("Figures"),
        ElementKind.SCAN: _tr("Recognised text"), ElementKind.CODE: _tr("Code"),
    }  # fmt: skip


def language_names() -> dict[str, str]:
    """Return the languages that are told apart by their codes."""
    return {"en": _tr("English"), "de": _tr("German"), "fr": _tr("French"), "es": _tr("Spanish")}


def folder_names(folders: Sequence[FolderRow]) -> dict[str, str]:
    """Return the watched folders by their paths; single files are none, nor is a path that a filter cannot say."""
    single = {row.path for row in folders if row.files <= 1 and PurePath(row.path).suffix}
    return {row.path: wording.file_name(row.path) for row in folders if row.path not in single and '"' not in row.path}


class FilterDialog(QDialog):
    """Not modal; what is applied holds for every question until it is taken back."""

    def __init__(
        self,
        theme: Theme,
        present: Narrowing,
        folders: Sequence[FolderRow],
        tags: Sequence[str],
        apply: Callable[[Narrowing], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._apply = apply
        self.setWindowTitle(self.tr("What is searched"))
        self.type = self._choice(self.tr("Kind of file"), self.tr("All files"), type_names(), present.type)
        self.kind = self._choice(self.tr("Kind of passage"), self.tr("All passages"), kind_names(), present.kind)
        self.folder = self._choice(self.tr("Folder"), self.tr("All folders"), folder_names(folders), present.folder)
        names = {one: one for one in (*tags, present.tag) if one}
        self.tag = self._choice(self.tr("Tag"), self.tr("With and without tags"), names, present.tag)
        self.language = self._choice(self.tr("Language"), self.tr("All languages"), language_names(), present.language)
        self.first = self._day(self.tr("Changed from"), present.first)
        self.last = self._day(self.tr("Changed until"), present.last)
        self.problem = label("", "bad", wrap=True)
        self.problem.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.apply = self.buttons.addButton(self.tr("Apply"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.clear = self.buttons.addButton(self.tr("Search everything"), QDialogButtonBox.ButtonRole.ResetRole)
        self.clear.setAutoDefault(False)
        self.apply.setDefault(True)
        self.buttons.accepted.connect(self._accepted)
        self.buttons.rejected.connect(self.reject)
        self.clear.clicked.connect(lambda: self._done(Narrowing()))
        self._lay_out()

    @property
    def chosen(self) -> Narrowing:
        """What stands in the fields."""
        file, passage, folder, language = (
            str(box.currentData()) for box in (self.type, self.kind, self.folder, self.language)
        )
        dates = self.first.text().strip(), self.last.text().strip()
        return Narrowing(file, passage, folder, language, *dates, str(self.tag.currentData()))

    def _choice(self, name: str, all_: str, names: dict[str, str], present: str) -> QuietCombo:
        box = QuietCombo(self._theme)
        box.setAccessibleName(name)
        box.addItem(all_, "")
        for key, text in names.items():
            box.addItem(text, str(key))
        box.setCurrentIndex(max(0, box.findData(present)))
        return box

    def _day(self, name: str, present: str) -> QLineEdit:
        edit = QLineEdit(present)
        edit.setAccessibleName(name)
        edit.setPlaceholderText(self.tr("2024, 2024-05 or 2024-05-31"))
        return edit

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_24, SPACE_24, SPACE_24, SPACE_16)
        column.setSpacing(SPACE_8)
        column.addWidget(label(self.tr("What is searched"), "question"))
        column.addWidget(label(self.tr("Only what fits all of this is searched and quoted."), "muted", wrap=True))
        form = QFormLayout()
        form.setHorizontalSpacing(SPACE_16)
        form.setVerticalSpacing(SPACE_8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for field in (self.type, self.kind, self.folder, self.tag, self.language, self.first, self.last):
            form.addRow(field.accessibleName(), field)
        column.addLayout(form)
        column.addWidget(self.problem)
        column.addSpacing(SPACE_8)
        column.addWidget(self.buttons)
        self.setMinimumWidth(420)

    def _accepted(self) -> None:
        try:
            parse_filters(self.chosen.where)
        except UserFacingError:
            self.problem.setText(self.tr("A date is a year, a month or a day: 2024, 2024-05 or 2024-05-31."))
            self.problem.show()
            self.first.setFocus()
            return
        self._done(self.chosen)

    def _done(self, chosen: Narrowing) -> None:
        self._apply(chosen)
        self.accept()


class FilterChips(QWidget):
    """Says what is searched, one chip for each choice; pressing a chip takes its choice back."""

    changed = Signal(object)
    """The Narrowing that is left."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._narrowing = Narrowing()
        self.chips: list[QPushButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, SPACE_4)
        self._column.setSpacing(SPACE_4)
        self.hide()
        theme.changed.connect(lambda: self.show_choices(self._narrowing))

    def show_choices(self, narrowing: Narrowing) -> None:
        """Show the chips of ``narrowing``; nothing where all is searched."""
        self._narrowing = narrowing
        for old in self.findChildren(QWidget, "chipRow", Qt.FindChildOption.FindDirectChildrenOnly):
            self._column.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.chips = [self._chip(text, names) for text, names in _said(narrowing)]
        for start in range(0, len(self.chips), _CHIPS_IN_A_ROW):
            row = QWidget()
            row.setObjectName("chipRow")
            line = QHBoxLayout(row)
            line.setContentsMargins(0, 0, 0, 0)
            line.setSpacing(SPACE_8)
            for chip in self.chips[start : start + _CHIPS_IN_A_ROW]:
                line.addWidget(chip)
            line.addStretch(1)
            self._column.addWidget(row)
        self.setVisible(bool(self.chips))

    def _chip(self, text: str, names: tuple[str, ...]) -> QPushButton:
        short = text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
        chip = QPushButton(short.replace("&", "&&"))
        chip.setProperty("chip", True)
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        chip.setIcon(icon("x", self._theme.tokens.muted))
        chip.setIconSize(QSize(10, 10))
        chip.setToolTip(self.tr("{what}: search the rest, too").format(what=text))
        chip.setAccessibleName(self.tr("Remove the filter {what}").format(what=text))
        chip.setCursor(Qt.CursorShape.PointingHandCursor)
        chip.clicked.connect(lambda: self.changed.emit(self._narrowing.without(*names)))
        return chip


def _said(narrowing: Narrowing) -> list[tuple[str, tuple[str, ...]]]:
    """Return what is chosen in words, each with the names of the choices that it tells."""
    first, last = narrowing.first, narrowing.last
    if first and last:
        dates = f"{first} – {last}"
    else:
        dates = _tr("from {day}").format(day=first) if first else _tr("until {day}").format(day=last) if last else ""
    said = [
        (type_names().get(narrowing.type, ""), ("type",)),
        (kind_names().get(narrowing.kind, ""), ("kind",)),
        (wording.file_name(narrowing.folder) if narrowing.folder else "", ("folder",)),
        (narrowing.tag, ("tag",)),
        (language_names().get(narrowing.language, ""), ("language",)),
        (dates, ("first", "last")),
    ]
    return [(text, names) for text, names in said if text]
