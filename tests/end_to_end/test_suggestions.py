"""Whoever lets the program read a folder is offered questions that it answers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_rag.core.errors import CancelledError
from desktop_rag.library import Library

pytestmark = pytest.mark.slow

RULES = """# Gartenordnung der Anlage Sonnenhang

## Ruhezeiten und Lärm

Werktags gilt zwischen 13 und 15 Uhr sowie ab 20 Uhr Ruhe. An Sonntagen sind motorbetriebene Geräte nicht erlaubt.

## Wie melde ich einen Schaden?

Schäden an Leitungen oder Zäunen werden dem Vorstand schriftlich gemeldet, mit einem Bild der Stelle.
"""


@pytest.fixture
def folder(tmp_path: Path, samples: Path) -> Path:
    path = tmp_path / "papers"
    path.mkdir()
    (path / "ordnung.md").write_text(RULES, encoding="utf-8")
    shutil.copy(samples / "notes-heat-pump.md", path)
    return path


@pytest.fixture
def library(tmp_path: Path, folder: Path) -> Iterator[Library]:
    with Library.open("w", base=tmp_path / "home") as opened:
        opened.add_paths([str(folder)])
        yield opened


def test_every_suggested_question_is_answered_and_they_follow_the_documents(
    library: Library, folder: Path, samples: Path
) -> None:
    shutil.copytree(samples, folder, dirs_exist_ok=True)
    (folder / "empty.txt").write_text("", encoding="utf-8")
    assert library.suggestions() == ()
    library.sync()

    questions = library.suggestions()
    assert 3 <= len(questions) <= 4
    assert "Wie melde ich einen Schaden?" in questions
    assert len(set(questions)) == len(questions)
    names = {path.stem for path in folder.iterdir()}
    for question in questions:
        assert question.endswith("?")
        assert not any(name in question for name in names)
        answer = library.ask(question, use_model=False)
        assert not answer.refused, question
        assert answer.evidence
    assert library.suggestions() == questions

    (folder / "ordnung.md").unlink()
    library.sync()
    assert "Wie melde ich einen Schaden?" not in library.suggestions()


def test_they_are_kept_for_the_next_run_and_for_readers(library: Library, tmp_path: Path) -> None:
    library.sync()
    questions = library.suggestions()
    with Library.open("w", base=tmp_path / "home", read_only=True) as reader:
        assert reader.suggestions() == questions


def test_reading_goes_before_suggesting(library: Library) -> None:
    library.sync()
    with library._syncing, pytest.raises(CancelledError):
        library.suggestions()
    assert library.suggestions()
