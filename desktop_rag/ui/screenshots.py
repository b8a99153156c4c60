"""Takes the README's pictures: the real window over a real engine that reads the samples. No screen is needed.

``python -m desktop_rag.ui.screenshots FOLDER [DOCUMENTS]``; with DOCUMENTS, what assets/make_showcase.py writes, places
in other kinds of files are shown too.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication, QWidget

from desktop_rag.core.memories import MemoryScope
from desktop_rag.core.types import ElementKind
from desktop_rag.engine.protocol import SyncState
from desktop_rag.ui.app import engine_factory, make_application, make_window
from desktop_rag.ui.bridge import ClientFactory
from desktop_rag.ui.compare_pane import ComparePane
from desktop_rag.ui.main_window import MainWindow
from desktop_rag.ui.result_card import ResultCard
from desktop_rag.ui.results import Tab
from desktop_rag.ui.theme import ThemeName
from desktop_rag.ui.turn_view import TurnState
from desktop_rag.ui.welcome import WelcomeState

SIZE = (1440, 900)
WORKSPACE = "Library"
QUESTION = "How much did the library spend on new books in 2024?"
_SECONDS = 900.0
_SETTLE_S = 0.5
_FACES = ("Inter", "Segoe UI", "Noto Sans")


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of the place that answers ``question`` in ``file``; ``extra`` if that is none of the samples.

    ``kind`` is what the place must be, where a file says it in several forms.
    """

    name: str
    question: str
    file: str
    extra: bool = True
    kind: ElementKind | None = None


SHOTS = (
    Shot("table", QUESTION, "annual-report-2024.pdf", extra=False, kind=ElementKind.TABLE),
    Shot(
        "figure",
        "How did the visits in thousands develop from 2019 to 2024?",
        "annual-report-2024.pdf",
        extra=False,
        kind=ElementKind.FIGURE,
    ),
    Shot(
        "scan", "Who replaces the cracked guard of the band saw, and by when?", "workshop-minutes-scan.pdf", extra=False
    ),
    Shot("slide", "How many books does the book bus carry?", "plans-2025.pptx"),
    Shot("print-view", "What does the borrower of an object pay for a lost part?", "loan-agreement.docx"),
    Shot("sheet", "Which telescope came back with its lens cap missing?", "loans-of-things.xlsx"),
)

OWN_QUESTIONS = (
    ("What did the heat pump cost?", "notes-heat-pump.md"),
    ("How many visits did the library have in 2024?", "annual-report-2024.pdf"),
    (QUESTION, "annual-report-2024.pdf"),
)
MEMORIES = (
    ("YTD means year to date.", MemoryScope.WORKSPACE),
    ("The financial year of the library is the calendar year.", MemoryScope.WORKSPACE),
    ("Answer in short sentences.", MemoryScope.USER),
)


class NotTakenError(Exception):
    """What a picture should show did not appear."""


def wait_until(happened: Callable[[], bool], what: str, seconds: float = _SECONDS) -> None:
    """Let the window live until ``happened``; raises NotTakenError, naming ``what``."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            raise NotTakenError(f"waited {seconds:.0f} s for {what}")
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        # Only a running loop deletes by itself what is to be deleted later; it would stay in the picture.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        time.sleep(0.005)


def take_all(window: MainWindow, folder: Path) -> list[Path]:
    """Drive ``window`` from the empty state to an answer in both themes; return the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    session, welcome = window.session, window.chat.welcome
    window.open_workspace(WORKSPACE)
    wait_until(lambda: welcome.state is WelcomeState.NOTHING and bool(session.model.llm_name), "the empty window")
    taken = [_take(window, folder / "empty.png")]
    told: list[object] = []
    session.progressed.connect(lambda event: told.append(event) if event.progress.total else None)
    window.use_samples()
    wait_until(lambda: bool(told) and bool(session.folders), "the first progress")
    taken.append(_take(window, folder / "indexing.png", settle_s=0.05))
    wait_until(lambda: session.sync is SyncState.IDLE and session.indexed > 0, "the end of the reading")
    window.chat.ask(QUESTION)
    turn = window.chat.turns[-1]
    wait_until(lambda: turn.state is not TurnState.SEARCHING and turn.state is not TurnState.WRITING, "the answer")
    if turn.state is TurnState.INTERRUPTED:
        raise NotTakenError(f"the answer was cut off: {turn.message}")
    window.results.show_citation(_first_cited(window))
    wait_until(lambda: window.results.page.sharp, "the page")
    taken.append(_take(window, folder / "answer.png"))
    window.theme.choose(ThemeName.DARK)
    taken.append(_take(window, folder / "answer-dark.png"))
    return taken


def take_panes(window: MainWindow, folder: Path) -> list[Path]:
    """Show the comparison of the present question in both themes, one's own questions, and the memory."""
    compare, memory, kept = window.results.compare, window.results.memory, window.results.memory.kept
    window.theme.choose(ThemeName.LIGHT)
    window.results.show_tab(Tab.COMPARE)
    for question, file in OWN_QUESTIONS:
        first = _mark_first(compare, question, file)
    first.click()
    wait_until(lambda: compare.page.sharp, "the page of a result")
    taken = [_take(window, folder / "compare.png")]
    window.theme.choose(ThemeName.DARK)
    taken.append(_take(window, folder / "compare-dark.png"))
    window.theme.choose(ThemeName.LIGHT)
    compare.own.run()
    wait_until(lambda: bool(compare.own.runs), "the run of one's own questions")
    compare.show_questions(True)
    taken.append(_take(window, folder / "questions.png"))
    compare.show_questions(False)
    for text, scope in MEMORIES:
        kept.add(text, scope)
    wait_until(lambda: len(memory.rows) == len(MEMORIES), "the memory")
    window.results.show_tab(Tab.MEMORY)
    taken.append(_take(window, folder / "memory.png"))
    window.results.show_tab(Tab.CITATIONS)
    return taken


def take_dialogs(window: MainWindow, folder: Path) -> list[Path]:
    """Show all models, the trial of the one that comes along, and what looking at the pages of a folder costs."""
    models = window.menus.show_models(window.theme, QUESTION)
    wait_until(lambda: models.table.rowCount() > 1, "the models")
    trial = models.try_selected()
    trial.ask()
    wait_until(lambda: bool(trial.outcome.text()), "the answer of the model on trial")
    taken = [_take(trial, folder / "model-trial.png")]
    trial.close()
    wait_until(lambda: any(row.speed for row in window.models.rows), "the speed of the model")
    taken.append(_take(models, folder / "models.png"))
    models.close()
    taken.append(_take_pages(window, folder))
    return taken


def _take_pages(window: MainWindow, folder: Path) -> Path:
    """Show what it costs to look at the pages of a folder at which nobody looked."""
    session, ended = window.session, list[object]()
    session.sync_done.connect(ended.append)
    session.look_at_pages(session.folders[0], False)
    wait_until(lambda: bool(ended) and not session.folders[0].looks, "the folder whose pages are not looked at")
    dialog = window.menus.show_pages(session.folders[0])
    wait_until(lambda: dialog.counted, "the count of pages")
    dialog.choice.setChecked(True)
    taken = _take(dialog, folder / "folder-pages.png")
    dialog.reject()
    session.look_at_pages(session.folders[0], True)
    return taken


def _mark_first(compare: ComparePane, question: str, file: str) -> ResultCard:
    """Compare ``question`` and mark the first page of ``file`` in the last column."""
    before = compare.board.cards
    compare.field.setText(question)
    compare.compare()
    wait_until(lambda: bool(compare.board.cards) and compare.board.cards != before, "the comparison")
    found = [card for card in compare.board.columns[-1] if Path(card.evidence.file).name == file]
    if not found:
        raise NotTakenError(f"{file} was not found by: {question}")
    if not found[0].right:
        found[0].marked.emit()
    wait_until(lambda: found[0].right, "the mark of the right page")
    return found[0]


def take_places(window: MainWindow, folder: Path, documents: Path | None) -> list[Path]:
    """Show what each of :data:`SHOTS` asks for, as quotes only; return the files written."""
    session = window.session
    window.theme.choose(ThemeName.LIGHT)
    if documents is not None:
        ended: list[object] = []
        session.sync_done.connect(ended.append)
        session.add_paths([str(documents)])
        wait_until(lambda: bool(ended), "the end of the reading of the other documents")
    window.chat.composer.use_model = False
    return [_take_place(window, folder, shot) for shot in SHOTS if documents is not None or not shot.extra]


def _take_place(window: MainWindow, folder: Path, shot: Shot) -> Path:
    window.chat.new_thread()
    window.chat.ask(shot.question)
    turn = window.chat.turns[-1]
    wait_until(lambda: turn.state in (TurnState.DONE, TurnState.INTERRUPTED), "the quotes")
    found = [item for item in turn.evidence if Path(item.file).name == shot.file and shot.kind in (None, item.kind)]
    if not found:
        raise NotTakenError(f"{shot.file} was not found by: {shot.question}")
    window.results.show_citation(found[0].n)
    wait_until(lambda: window.results.page.sharp, "the page")
    return _take(window, folder / f"{shot.name}.png")


def run(
    folder: Path, factory: Callable[[Path], ClientFactory] = engine_factory, documents: Path | None = None
) -> list[Path]:
    """Take all pictures into ``folder`` with an engine of ``factory`` over a fresh data folder."""
    app = _application()
    with tempfile.TemporaryDirectory() as home:
        base = Path(home)
        window = make_window(app, factory(base), base, ThemeName.LIGHT)
        window.resize(*SIZE)
        window.show()
        try:
            taken = [*take_all(window, folder), *take_panes(window, folder), *take_dialogs(window, folder)]
            return [*taken, *take_places(window, folder, documents)]
        finally:
            window.close()


def main(arguments: list[str]) -> int:
    """Take the pictures; return the exit code."""
    if len(arguments) not in (1, 2):
        print("usage: python -m desktop_rag.ui.screenshots FOLDER [DOCUMENTS]", file=sys.stderr)
        return 2
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("QT_SCALE_FACTOR", "2")
    try:
        for path in run(Path(arguments[0]), documents=Path(arguments[1]) if arguments[1:] else None):
            print(path)
    except NotTakenError as error:
        print(f"The pictures are not complete: {error}.", file=sys.stderr)
        return 1
    return 0


def _first_cited(window: MainWindow) -> int:
    answer = window.chat.turns[-1].answer
    cited = [n for sentence in answer.sentences for n in sentence.citations] if answer is not None else []
    return cited[0] if cited else 1


def _application() -> QApplication:
    app = make_application()
    face = next((name for name in _FACES if name in QFontDatabase.families()), None)
    if face is not None:
        font = app.font()
        font.setFamilies([face])
        app.setFont(font)
    return app


def _take(window: QWidget, path: Path, settle_s: float = _SETTLE_S) -> Path:
    end = time.monotonic() + settle_s
    wait_until(lambda: time.monotonic() > end, "the window to settle")
    if not window.grab().save(str(path)):
        raise OSError(f"{path} could not be written")
    return path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
