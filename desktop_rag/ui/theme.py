"""How the window looks: one table of colours for three themes, and the style sheet made from it."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from desktop_rag.core.paths import resource

BASE_PX = 14
SMALL_PX = 12
LINE_HEIGHT_PERCENT = 145
COLUMN_PX = 720
RADIUS_PX = 6
SPACE_4, SPACE_8, SPACE_12, SPACE_16, SPACE_24, SPACE_32 = 4, 8, 12, 16, 24, 32

_TOKEN = re.compile(r"@(\w+)")


class ThemeName(StrEnum):
    """What a person chooses; ``system`` follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
    CONTRAST = "contrast"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one theme, by what they are for."""

    canvas: str
    """Behind the conversation."""
    side: str
    """Behind the sidebar and the status bar."""
    desk: str
    """Behind page pictures."""
    text: str
    muted: str
    hairline: str
    field_line: str
    """The border of a field or card: a mark that must be seen."""
    hover: str
    pressed: str
    accent: str
    on_accent: str
    accent_soft: str
    good: str
    warn: str
    bad: str
    warn_soft: str
    bad_soft: str
    lit: str
    """The lit place of a page, multiplied with the picture."""
    lit_line: str
    series: tuple[str, ...]
    """Marks that belong together: one page in several columns, one way of searching in a plot."""


_LIT = {"lit": "#FFD95C", "lit_line": "#C98A00"}

LIGHT = Tokens(
    canvas="#FFFFFF", side="#F6F5F1", desk="#EDEBE5", text="#1E1D1A", muted="#65625B", hairline="#E4E1D9",
    field_line="#8E8A80", hover="#ECEAE3", pressed="#E0DDD4", accent="#2A5B84", on_accent="#FFFFFF",
    accent_soft="#E4EEF6", good="#25744A", warn="#835400", bad="#AD3027", warn_soft="#FBF1DB", bad_soft="#FBEAE7",
    series=("#2F6DB5", "#B0512B", "#2B7A4B", "#8554A3", "#846300", "#23777F", "#A8386B", "#5D6472"), **_LIT,
)  # fmt: skip
DARK = Tokens(
    canvas="#1D1E20", side="#17181A", desk="#121315", text="#E9E7E2", muted="#A5A29B", hairline="#303236",
    field_line="#74777D", hover="#292B2F", pressed="#35373C", accent="#8FBCE6", on_accent="#0E1A26",
    accent_soft="#24384B", good="#7FCB9F", warn="#E3B665", bad="#F29389", warn_soft="#332A17", bad_soft="#3A2220",
    series=("#7FB2EA", "#EE9C73", "#7FCB9F", "#C79BE0", "#DDB84F", "#6CC4CB", "#F08FB8", "#AEB6C4"), **_LIT,
)  # fmt: skip
CONTRAST = Tokens(
    canvas="#000000", side="#000000", desk="#000000", text="#FFFFFF", muted="#E6E6E6", hairline="#8C8C8C",
    field_line="#FFFFFF", hover="#2B2B2B", pressed="#444444", accent="#7CC7FF", on_accent="#000000",
    accent_soft="#00304F", good="#7CFFB2", warn="#FFD24A", bad="#FF9C91", warn_soft="#2B2200", bad_soft="#330B07",
    series=("#7CC7FF", "#FFA36B", "#7CFFB2", "#E0A8FF", "#FFD24A", "#5FF0F5", "#FF9CCB", "#D0D6E0"), **_LIT,
)  # fmt: skip
THEMES = {ThemeName.LIGHT: LIGHT, ThemeName.DARK: DARK, ThemeName.CONTRAST: CONTRAST}


def contrast(one: str, other: str) -> float:
    """Return the WCAG 2 contrast ratio of two colours (``#rrggbb``): 1 to 21."""

    def luminance(colour: str) -> float:
        channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def style_sheet(tokens: Tokens) -> str:
    """Return the window's style sheet with the colours of ``tokens`` put in.

    Raises KeyError for a colour name that the table does not have, so that a misspelt one is found by the tests.
    """
    colours = {item.name: str(getattr(tokens, item.name)) for item in fields(tokens)}
    tick = (
        "tick-white.svg"
        if contrast(tokens.accent, "#FFFFFF") > contrast(tokens.accent, "#000000")
        else "tick-black.svg"
    )
    colours["tick"] = resource("qss", tick).as_posix()
    text = resource("qss", "window.qss").read_text(encoding="utf-8")
    return _TOKEN.sub(lambda match: colours[match.group(1)], text)


def palette(tokens: Tokens) -> QPalette:
    """Return the palette for what the style sheet leaves to the style: selections, links, placeholders."""
    result = QPalette()
    roles = {
        QPalette.ColorRole.Window: tokens.canvas,
        QPalette.ColorRole.Base: tokens.canvas,
        QPalette.ColorRole.AlternateBase: tokens.side,
        QPalette.ColorRole.Button: tokens.side,
        QPalette.ColorRole.WindowText: tokens.text,
        QPalette.ColorRole.Text: tokens.text,
        QPalette.ColorRole.ButtonText: tokens.text,
        QPalette.ColorRole.PlaceholderText: tokens.muted,
        QPalette.ColorRole.Link: tokens.accent,
        QPalette.ColorRole.LinkVisited: tokens.accent,
        QPalette.ColorRole.Highlight: tokens.accent,
        QPalette.ColorRole.HighlightedText: tokens.on_accent,
        QPalette.ColorRole.ToolTipBase: tokens.side,
        QPalette.ColorRole.ToolTipText: tokens.text,
    }
    for role, colour in roles.items():
        result.setColor(role, QColor(colour))
    return result


def base_font() -> QFont:
    """Return the platform's own face at the base size; figures of equal width where the face has them."""
    font = QFont(QGuiApplication.font())
    family = QFontInfo(font).family()
    font.setFamilies([family])
    font.setPixelSize(BASE_PX)
    return font


class Theme(QObject):
    """The theme in force. Everything that paints by itself asks :attr:`tokens` and repaints on :attr:`changed`."""

    changed = Signal()

    def __init__(self, app: QApplication, choice: ThemeName = ThemeName.SYSTEM) -> None:
        super().__init__()
        self._app = app
        self._choice = choice
        self._tokens = self._resolve()
        app.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def choice(self) -> ThemeName:
        """What was chosen, which may be ``system``."""
        return self._choice

    @property
    def tokens(self) -> Tokens:
        """The colours in force."""
        return self._tokens

    def choose(self, choice: ThemeName) -> None:
        """Put another theme in force."""
        self._choice = choice
        self.apply()

    def apply(self) -> None:
        """Give the colours to the program."""
        self._tokens = self._resolve()
        self._app.setPalette(palette(self._tokens))
        self._app.setStyleSheet(style_sheet(self._tokens))
        self.changed.emit()

    def _system_changed(self) -> None:
        if self._choice is ThemeName.SYSTEM and self._resolve() is not self._tokens:
            self.apply()

    def _resolve(self) -> Tokens:
        if self._choice is not ThemeName.SYSTEM:
            return THEMES[self._choice]
        dark = self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return DARK if dark else LIGHT
