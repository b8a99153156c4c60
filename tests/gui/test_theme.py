"""Everything can be read in every theme, and the style sheet has no colour of its own."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_rag.core.paths import resource
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.rows import Row, RowList
from desktop_rag.ui.theme import THEMES, Theme, ThemeName, Tokens, contrast, style_sheet

_GROUNDS = ("canvas", "side", "desk", "hover")


def test_what_stands_aside_in_a_row_leaves_the_text_its_half(qtbot: QtBot, window: MainWindow) -> None:
    rows = RowList(window.theme, "Questions")
    qtbot.addWidget(rows)
    rows.resize(240, 80)
    rows.show()
    pictures = []
    for aside in ("p. 9", "a-very-long-name-of-a-report-that-would-take-all-of-the-room.pdf · p. 9"):
        rows.take([Row("1", "What?", aside)])
        pictures.append(rows.viewport().grab(QRect(0, 0, 90, 32)).toImage().convertToFormat(QImage.Format.Format_RGB32))
    assert pictures[0] == pictures[1]


def test_contrast_of_black_on_white_is_twenty_one() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


@pytest.mark.parametrize("tokens", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize("ground", _GROUNDS)
@pytest.mark.parametrize("ink", ["text", "muted"])
def test_text_stands_out(tokens: Tokens, ink: str, ground: str) -> None:
    assert contrast(getattr(tokens, ink), getattr(tokens, ground)) >= 4.5


@pytest.mark.parametrize("tokens", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        ("on_accent", "accent"),
        ("accent", "accent_soft"),
        ("text", "accent_soft"),
        ("muted", "accent_soft"),
        ("text", "pressed"),
        ("text", "warn_soft"),
        ("text", "bad_soft"),
        ("bad", "canvas"),
    ],
)
def test_coloured_text_stands_out(tokens: Tokens, ink: str, ground: str) -> None:
    assert contrast(getattr(tokens, ink), getattr(tokens, ground)) >= 4.5


@pytest.mark.parametrize("tokens", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize("mark", ["accent", "good", "warn", "bad", "field_line"])
@pytest.mark.parametrize("ground", ["canvas", "side"])
def test_marks_stand_out(tokens: Tokens, mark: str, ground: str) -> None:
    assert contrast(getattr(tokens, mark), getattr(tokens, ground)) >= 3


def test_the_lit_place_is_the_same_everywhere_and_never_hides_the_words() -> None:
    lit = {tokens.lit for tokens in THEMES.values()}
    assert len(lit) == 1
    assert contrast("#000000", lit.pop()) >= 4.5  # black letters, multiplied with it, stay black


@pytest.mark.parametrize("tokens", THEMES.values(), ids=list(THEMES))
def test_the_style_sheet_takes_every_colour_from_the_table(tokens: Tokens) -> None:
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b\s*[;}]", resource("qss", "window.qss").read_text(encoding="utf-8"))
    assert "@" not in style_sheet(tokens)


def test_choosing_a_theme_tells_whoever_paints(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme(qapp, ThemeName.LIGHT)
    with qtbot.waitSignal(theme.changed):
        theme.choose(ThemeName.DARK)
    assert theme.tokens is THEMES[ThemeName.DARK]
