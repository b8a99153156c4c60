"""A figure, from the page to the search results; with a vision model what it sees helps to find it, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from desktop_rag.core.ledger import FileState, Stage, StageState
from desktop_rag.core.types import BBox, Element, ElementKind, Route
from desktop_rag.library import Library
from tests.fixtures.figures import CAPTION, picture_of, write_figures
from tests.fixtures.tiny_vision import write_vision_model

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    return folder


@pytest.fixture
def library(tmp_path: Path, folder: Path) -> Iterator[Library]:
    with Library.open("w", base=tmp_path / "home") as opened:
        opened.add_paths([str(folder)])
        yield opened


def with_vision(library: Library, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    files = write_vision_model(folder)
    library.set_settings(
        replace(library.settings, vision_model_path=str(files.model), vision_projector_path=str(files.projector))
    )


def figures(library: Library, query: str) -> list[Element]:
    return [hit.element for hit in library.search(query, route=Route.FIGURE)]


def write_colours(path: Path) -> Path:
    """A page with a red and a blue panel that have no words, each in a paragraph of its own."""
    with pymupdf.open() as document:
        page = document.new_page()
        for row, colour in enumerate(("red", "blue")):
            y = 90 + 300 * row
            for line in range(4):
                page.insert_text((72, y + 14 * line), f"Room {row + 1} of the gallery was painted by hand last winter.")
            image = pymupdf.Rect(100, y + 60, 400, y + 240)
            page.insert_image(image, stream=picture_of((), (60, 36), colour))
        document.save(path)
    return path


def test_a_chart_and_a_sign_are_found_with_their_place(library: Library, folder: Path) -> None:
    write_figures(folder / "kilns.pdf")
    library.sync()

    (row,) = library.status().files
    assert (row.state, row.stages[Stage.FIGURES]) == (FileState.INDEXED, StageState.DONE)
    chart = figures(library, "peak temperature of the kilns")[0]
    assert CAPTION in chart.text
    sign = figures(library, "when does the ferry leave")[0]
    assert "06:45" in sign.text
    assert all(hit.element.kind is ElementKind.FIGURE for hit in library.search("kilns", route=Route.FIGURE))
    assert any(hit.element.id == sign.id for hit in library.search("ferry departs pier", route=Route.HYBRID))


def test_the_words_of_a_figure_can_be_quoted_with_the_whole_figure_for_its_picture(
    library: Library, folder: Path
) -> None:
    write_figures(folder / "kilns.pdf")
    library.sync()

    answer = library.ask("From which pier does the ferry depart?", use_model=False)

    quote = next(item for item in answer.evidence if "pier 9" in item.quote)
    assert quote.kind is ElementKind.FIGURE
    assert isinstance(quote.figure, BBox)
    assert quote.figure.x0 <= quote.bbox.x0 <= quote.bbox.x1 <= quote.figure.x1
    (thread,) = library.threads()
    (turn,) = library.turns(thread.id)
    assert turn.answer is not None
    assert turn.answer.evidence == answer.evidence, "the figure's box is kept with the chat"


def test_what_a_vision_model_sees_finds_the_page_but_is_never_quoted(
    library: Library, folder: Path, tmp_path: Path
) -> None:
    with_vision(library, tmp_path / "models")
    write_colours(folder / "gallery.pdf")
    library.sync()

    (row,) = library.status().files
    assert row.stages[Stage.FIGURES] is StageState.DONE
    found = figures(library, "a blue picture")
    assert [element.described for element in found] == ["a blue picture.", "a red picture."]
    assert {element.text for element in found} == {""}
    answer = library.ask("Is there a blue picture?", use_model=False)
    assert not any("blue picture" in item.quote for item in answer.evidence)
    assert "blue picture" not in " ".join(sentence.text for sentence in answer.sentences)


def test_a_vision_model_that_cannot_be_used_is_told_by_doctor_and_leaves_the_stage_waiting(
    library: Library, folder: Path, tmp_path: Path
) -> None:
    with_vision(library, tmp_path / "models")
    (tmp_path / "models" / "mmproj-tiny-vision.gguf").unlink()
    write_colours(folder / "gallery.pdf")
    library.sync()

    (row,) = library.status().files
    assert row.stages[Stage.FIGURES] is StageState.PENDING
    check = next(check for check in library.doctor() if check.name == "Vision model")
    assert not check.ok
    assert "mmproj-tiny-vision.gguf is not there" in check.detail
    assert "captions" in check.remedy


def test_without_a_vision_model_doctor_says_how_figures_are_found(library: Library) -> None:
    check = next(check for check in library.doctor() if check.name == "Vision model")
    assert check.ok
    assert check.detail.startswith("none:")
