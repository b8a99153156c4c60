"""The window over the real library: compare a question on the samples, mark the right page, run the own questions."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_rag.core.ledger import Stage
from desktop_rag.core.paths import DEFAULT_WORKSPACE
from desktop_rag.core.types import Route
from desktop_rag.engine.methods import METHODS
from desktop_rag.engine.protocol import EngineReady
from desktop_rag.library import Library
from desktop_rag.ui.app import make_application, make_window
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.theme import ThemeName

pytestmark = [
    pytest.mark.slow,
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
    pytest.mark.usefixtures("garbage_in_one_thread"),
]

QUESTION = "What did the heat pump cost?"
_LEFT = Qt.MouseButton.LeftButton


class Underway:
    """A call on its way to the library."""

    def __init__(self, future: Future[Any]) -> None:
        self.future = future

    def cancel(self) -> None:
        """Ask for the end."""
        self.future.cancel()


class LibraryClient:
    """The engine's client with the library in this process: what cannot be called in the engine cannot be here."""

    def __init__(self, library: Library, on_event: Callable[[Any], None]) -> None:
        self._library, self._on_event = library, on_event
        self._pool = ThreadPoolExecutor(2)

    def start(self) -> None:
        """Say that all is ready."""
        self._pool.submit(self._on_event, EngineReady(DEFAULT_WORKSPACE))

    def restart(self) -> None:
        """Say it again."""
        self.start()

    def close(self) -> None:
        """Wait for the last call."""
        self._pool.shutdown(wait=True)

    def call(self, method: str, *args: Any, on_item: Callable[[Any], None] | None = None, **kwargs: Any) -> Underway:
        """Call the library in another thread."""
        assert method in METHODS
        return Underway(self._pool.submit(self._do, method, args, kwargs))

    def _do(self, method: str, args: Any, kwargs: Any) -> Any:
        value = getattr(self._library, method)
        return value(*args, **kwargs) if callable(value) else value


@pytest.fixture
def window(qtbot: QtBot, samples: Path, data_home: Path) -> Iterator[MainWindow]:
    app = make_application()
    qtbot.waitUntil = partial(qtbot.waitUntil, timeout=120_000)
    with Library.open(DEFAULT_WORKSPACE) as library:
        library.add_paths([str(samples / name) for name in ("notes-heat-pump.md", "members.csv")])
        library.sync(stages={Stage.TEXT, Stage.VECTORS})
        window = make_window(
            app, lambda _name, told, _relocation: LibraryClient(library, told), data_home, ThemeName.LIGHT
        )
        with qtbot.waitExposed(window):
            window.show()
        window.open_workspace(DEFAULT_WORKSPACE)
        yield window
        window.close()
        window.deleteLater()


def test_the_right_page_is_marked_run_plotted_and_exported(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    pane = window.results.compare
    qtbot.waitUntil(lambda: bool(pane.route_buttons))
    pane.field.setFocus()
    qtbot.keyClicks(pane.field, QUESTION)
    qtbot.keyClick(pane.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(pane.board.cards))
    best = pane.board.columns[pane.chosen.index(Route.BEST)][0]
    assert best.evidence.file.endswith("notes-heat-pump.md")
    assert all(header.steps for header in pane.board.headers)

    qtbot.mouseClick(best, _LEFT)
    qtbot.waitUntil(lambda: pane.page.sharp)
    assert pane.page.lit[0].boxes

    qtbot.mouseClick(best.mark_button, _LEFT)
    qtbot.waitUntil(lambda: best.right)
    qtbot.mouseClick(pane.own_button, _LEFT)
    for runs in (1, 2):
        qtbot.mouseClick(pane.questions.run_button, _LEFT)
        qtbot.waitUntil(lambda wanted=runs: len(pane.own.runs) == wanted and not pane.own.running)
    table = pane.questions.table
    scores = {table.item(row, 0).text(): table.item(row, 2).text() for row in range(table.rowCount())}
    assert scores["best"] == "1.00  (+0.00)"
    assert pane.questions.plot.isVisible()

    for ending in ("csv", "html"):
        pane.questions.export(str(tmp_path / f"run.{ending}"))
        qtbot.waitUntil(lambda name=ending: (tmp_path / f"run.{name}").exists())
    qtbot.waitUntil(lambda: (tmp_path / "run.html").read_text(encoding="utf-8").endswith("</html>"))
    rows = list(csv.DictReader((tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["question"] for row in rows} == {QUESTION}
