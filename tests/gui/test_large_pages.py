"""Pages too large for one picture: the place that is lit can be read, and scrolling brings the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest
import shiboken6
from PySide6.QtCore import QRectF, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_rag.core.answers import Evidence
from desktop_rag.core.types import BBox, ElementKind
from desktop_rag.ingest.page_pictures import PagePictures
from desktop_rag.ui.bridge import Bridge
from desktop_rag.ui.evidence_cards import EvidenceCard
from desktop_rag.ui.page_view import PageView, Place
from desktop_rag.ui.pictures import Pictures
from desktop_rag.ui.theme import Theme, ThemeName
from desktop_rag.ui.tiles import TILE_PX, needs_tiles, tiles_over

TALL = 200_000.0
LINE = BBox(72, 150_000, 300, 150_012)
EVIDENCE = Evidence(
    n=1,
    quote="the lit line",
    file="sheet.xlsx",
    document="d",
    element="e",
    title="Sheet",
    page=1,
    page_label="",
    bbox=LINE,
    boxes=(LINE,),
    kind=ElementKind.TABLE,
    score=1.0,
)
PLACE = Place("d", "sheet.xlsx", 1)


class RealPictures(Bridge):
    """Draws the pages of one file in the window's own thread, a moment after they are asked for."""

    def __init__(self, path: Path) -> None:
        super().__init__(lambda _workspace, _event: pytest.fail("no engine here"), "default")
        self._path = path
        self._pages = PagePictures()
        self.asked: list[BBox | None] = []

    def call(self, method: str, *args: Any, **kwargs: Any) -> None:
        """Draw what is asked for and hand it over."""
        _document, page, scale, clip = args
        self.asked.append(clip)
        convert: Callable[[Any], Any] = kwargs["convert"]
        picture = convert(self._pages.render(self._path, page, scale, "", clip))
        QTimer.singleShot(0, lambda: kwargs["done"](picture))

    def shut(self) -> None:
        """Close the file."""
        self._pages.close()


@pytest.fixture
def drawn(tmp_path: Path) -> Iterator[RealPictures]:
    """Return the pictures of a page as tall as a sheet of many rows, and of a second one of the usual size."""
    with pymupdf.open() as document:
        page = document.new_page(width=842, height=TALL)
        for y in range(1000, int(TALL), 1000):
            page.draw_rect(pymupdf.Rect(72, y, 300, y + 12), fill=(0, 0, 0))
        document.new_page(width=595, height=842).insert_text((72, 72), "small")
        document.save(tmp_path / "tall.pdf")
    bridge = RealPictures(tmp_path / "tall.pdf")
    yield bridge
    bridge.shut()


@pytest.fixture
def view(qapp: QApplication, qtbot: QtBot, drawn: RealPictures) -> PageView:
    view = PageView(Theme(qapp, ThemeName.LIGHT), Pictures(drawn))
    qtbot.addWidget(view)
    view.resize(480, 600)
    with qtbot.waitExposed(view):
        view.show()
    return view


def _black(view: PageView, scene_y: float) -> bool:
    """Return whether the bar at ``scene_y`` of the page stands there, black or under the amber."""
    point = view.mapFromScene(150, scene_y + 6)
    return view.viewport().rect().contains(point) and view.grab().toImage().pixelColor(point).lightness() < 60


def test_the_lit_place_of_a_tall_page_is_shown_sharp_and_large_enough(view: PageView, qtbot: QtBot) -> None:
    view.show_page(PLACE, [EVIDENCE], 1)
    qtbot.waitUntil(lambda: view.sharp)
    assert _black(view, 150_000)
    assert view.transform().m11() >= 0.75


def test_scrolling_far_brings_what_is_there_and_lets_go_of_the_rest(view: PageView, qtbot: QtBot) -> None:
    view.show_page(PLACE, [EVIDENCE], 1)
    qtbot.waitUntil(lambda: view.sharp)
    for y in (20_000, 60_000, 90_000, 199_000):
        view.centerOn(421, y)
        qtbot.waitUntil(lambda: view.sharp)
        assert _black(view, y)
        assert view.tiles <= 8


def test_zooming_keeps_the_place_in_view(view: PageView, qtbot: QtBot) -> None:
    view.show_page(PLACE, [EVIDENCE], 1)
    qtbot.waitUntil(lambda: view.sharp)
    for zoom in (view.zoom_in, view.zoom_in, view.zoom_out, view.zoom_out, view.zoom_out):
        zoom()
        qtbot.waitUntil(lambda: view.sharp)
        assert _black(view, 150_000)


def test_the_whole_width_is_shown_on_demand(view: PageView, qtbot: QtBot) -> None:
    view.show_page(PLACE, [EVIDENCE], 1)
    qtbot.waitUntil(lambda: view.sharp)
    view.fit_width()
    qtbot.waitUntil(lambda: view.sharp)
    assert view.transform().m11() * 842 <= view.viewport().width()


def test_another_page_takes_the_place_of_a_tall_one(view: PageView, qtbot: QtBot) -> None:
    view.show_page(PLACE, [EVIDENCE], 1)
    qtbot.waitUntil(lambda: view.sharp)
    view.show_page(replace(PLACE, page=2), [], None)
    qtbot.waitUntil(lambda: view.sharp)
    assert view.tiles == 0
    assert view.sceneRect().height() < 1000


def test_pictures_that_are_forgotten_while_they_come_still_come(view: PageView, qtbot: QtBot) -> None:
    view.show_page(PLACE, [EVIDENCE], 1)
    view._pictures.forget()
    qtbot.waitUntil(lambda: view.sharp)
    assert _black(view, 150_000)


def test_a_card_asks_for_its_part_of_the_page_only(qapp: QApplication, qtbot: QtBot, drawn: RealPictures) -> None:
    card = EvidenceCard(Theme(qapp, ThemeName.LIGHT), Pictures(drawn), EVIDENCE)
    qtbot.addWidget(card)
    card.resize(220, card.sizeHint().height())
    with qtbot.waitExposed(card):
        card.show()
    (clip,) = drawn.asked
    assert clip is not None
    assert clip.y1 - clip.y0 < 400
    qtbot.waitUntil(lambda: card.grab().toImage().pixelColor(60, 46).lightness() < 60)


def test_a_card_that_has_gone_does_not_mind_its_picture(qapp: QApplication, qtbot: QtBot, drawn: RealPictures) -> None:
    pictures = Pictures(drawn)
    card = EvidenceCard(Theme(qapp, ThemeName.LIGHT), pictures, EVIDENCE)
    card.resize(220, card.sizeHint().height())
    card.show()
    assert drawn.asked
    shiboken6.delete(card)
    qtbot.waitUntil(lambda: pictures.kept > 0)


def test_tiles_cover_the_view_without_gaps_and_stay_the_same() -> None:
    size = (842.0, TALL)
    assert needs_tiles(size, 1.0)
    assert not needs_tiles((595.0, 842.0), 3.0)
    view = QRectF(-20, 5_000, 900, 2_000)
    tiles = tiles_over(view, size, 2.0)
    assert sum((t.x1 - t.x0) * (t.y1 - t.y0) for t in tiles) >= 842 * 2_000
    assert all((t.x1 - t.x0) * 2.0 <= TILE_PX and (t.y1 - t.y0) * 2.0 <= TILE_PX for t in tiles)
    assert set(tiles_over(view.translated(0, 10), size, 2.0)) & set(tiles)
    assert tiles_over(QRectF(0, -500, 100, 400), size, 2.0) == []
