"""Figures of real PDF pages: what is one, what belongs to it, where its words stand; and what is none."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from desktop_rag.core.ledger import FileState
from desktop_rag.core.types import BBox, Element, ElementKind, Span
from desktop_rag.ingest.figure_stage import FigureEntry
from desktop_rag.ingest.figures.captions import figure_name, is_caption
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.parse import ParseFailure, parse
from tests.fixtures.figures import CAPTION, CHART, PHOTO, VALUES, picture_of, write_figures


@pytest.fixture(scope="module")
def entry() -> FigureEntry:
    return FigureEntry()


def find(entry: FigureEntry, path: Path, pages: int = 5, known: tuple[Element, ...] = ()) -> tuple[Element, ...]:
    read = entry("doc", path, None, 160, lambda _: None, Part("Kilns", 1, pages, 2, known=known))
    assert isinstance(read, PartRead)
    return read.elements


@pytest.fixture(scope="module")
def found(entry: FigureEntry, tmp_path_factory: pytest.TempPathFactory) -> tuple[Element, ...]:
    """The elements of the figures, found as the stage does it: with what the text stage knows of the pages."""
    path = write_figures(tmp_path_factory.mktemp("figures") / "kilns.pdf")
    parsed = parse("doc", path, None, 160, lambda _: None)
    assert not isinstance(parsed, ParseFailure)
    return find(entry, path, known=parsed.elements)


def holds(outer: BBox, inner: BBox) -> bool:
    return outer.x0 <= inner.x0 and outer.y0 <= inner.y0 and outer.x1 >= inner.x1 and outer.y1 >= inner.y1


def test_the_chart_and_the_photograph_are_the_only_figures(found: tuple[Element, ...]) -> None:
    assert [element.page for element in found] == [1, 1], "no logo, no rule, no frame around text"
    assert all(element.kind is ElementKind.FIGURE for element in found)


def test_a_chart_has_its_caption_and_the_words_in_it(found: tuple[Element, ...]) -> None:
    chart = found[0]
    assert chart.text.splitlines()[0] == CAPTION
    for name, value in VALUES.items():
        assert name in chart.text
        assert str(value) in chart.text
    assert holds(chart.bbox, BBox(CHART.x0 + 30, CHART.y0, CHART.x1, 404))


def test_every_word_stands_in_its_own_box(found: tuple[Element, ...], tmp_path: Path) -> None:
    with pymupdf.open(write_figures(tmp_path / "again.pdf")) as document:
        page = document[0]
        for span in found[0].spans:
            box = span.bbox
            there = page.get_textbox(pymupdf.Rect(box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1))
            assert found[0].text[span.start : span.end] in " ".join(there.split())
    assert all(holds(element.bbox, span.bbox) for element in found for span in element.spans)


def test_the_words_of_a_picture_are_recognised_in_their_places(found: tuple[Element, ...]) -> None:
    sign = found[1]
    assert "RIVERBANK" in sign.text
    assert "FERRY" in sign.text
    assert "06:45" in sign.text
    line = next(span for span in sign.spans if "FERRY" in sign.text[span.start : span.end])
    assert PHOTO.y0 < line.bbox.y0 < PHOTO.y0 + 60
    assert PHOTO.x0 < line.bbox.x0 < line.bbox.x1 < PHOTO.x1


def test_what_the_text_says_of_a_figure_helps_to_find_it_and_is_not_its_text(found: tuple[Element, ...]) -> None:
    chart = found[0]
    assert "the third one ran hottest by far" in chart.nearby
    assert "hottest" not in chart.text
    assert "hottest" in chart.search_text
    assert "hottest" not in chart.retrieval_text
    assert chart.heading == ("Firing the kilns",)


def test_a_grid_that_was_found_to_be_a_table_is_no_figure(entry: FigureEntry, tmp_path: Path) -> None:
    path = tmp_path / "table.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        for line in range(12):
            page.insert_text((72, 60 + 14 * line), "Long lines of prose stand above what follows here.", fontsize=10)
        for row in range(8):
            for column in range(4):
                cell = pymupdf.Rect(80 + 90 * column, 260 + 24 * row, 170 + 90 * column, 284 + 24 * row)
                page.draw_rect(cell, fill=((row % 3) / 3, 0.9, (column % 3) / 3))
                page.insert_text((cell.x0 + 8, cell.y1 - 8), f"{row * column}", fontsize=9)
        document.save(path)
    box = BBox(80, 260, 440, 452)
    table = Element("t", "doc", 1, box, ElementKind.TABLE, "0", (Span(0, 1, box),), "", (), "h")

    assert len(find(entry, path, 1)) == 1, "without the table stage, colours and numbers look like a chart"
    assert find(entry, path, 1, (table,)) == ()


def test_a_page_that_is_all_picture_is_a_scan_and_no_figure(entry: FigureEntry, tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_image(page.rect, stream=picture_of(size=(612, 792)), keep_proportion=False)
        document.save(path)
    assert find(entry, path, 1) == ()


def test_a_rotated_page_has_its_figure_where_it_is_seen(entry: FigureEntry, tmp_path: Path) -> None:
    path = tmp_path / "rotated.pdf"
    with pymupdf.open(write_figures(tmp_path / "upright.pdf")) as document:
        document[0].set_rotation(90)
        document.save(path)
    sign = next(element for element in find(entry, path, 1) if "FERRY" in element.text)
    width = 842
    assert abs(sign.bbox.x0 - (width - PHOTO.y1)) < 4
    assert abs(sign.bbox.y0 - PHOTO.x0) < 4


def test_a_figure_with_many_labels_becomes_several_elements_that_each_name_it(
    entry: FigureEntry, tmp_path: Path
) -> None:
    path = tmp_path / "map.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 60), "Some words above, so that this page is no picture. " * 2, fontsize=9)
        page.draw_bezier((80, 100), (500, 150), (100, 600), (520, 690))
        page.draw_circle((300, 400), 150, fill=(0.8, 0.9, 1))
        for row in range(28):
            for column in range(4):
                page.insert_text((90 + 105 * column, 110 + 20 * row), f"Parish {row}-{column}", fontsize=8)
        page.insert_text((80, 715), "Map 4. Parishes of the county", fontsize=10)
        document.save(path)

    found = find(entry, path, 1)

    assert len(found) > 1
    assert all(element.text.startswith("Map 4. Parishes of the county") for element in found)
    assert len({element.id for element in found}) == len(found)
    words = " ".join(element.text for element in found)
    assert all(f"Parish {row}-{column}" in words for row in range(28) for column in range(4))


def test_a_damaged_file_is_a_failure_with_a_sentence(entry: FigureEntry, tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7\nnothing")
    outcome = entry("doc", path, None, 160, lambda _: None, Part("", 1, 1))
    assert isinstance(outcome, ParseFailure)
    assert outcome.state is FileState.FAILED
    assert "broken.pdf" in outcome.reason


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Figure 3. Peak temperature", "figure 3"),
        ("FIGURE 1-2 — Login page", "figure 1-2"),
        ("Fig. 12: Flow", "fig. 12"),
        ("Chart 5", "chart 5"),
        ("Abbildung 4: Der Hafen", "abbildung 4"),
        ("Map IV. Parishes", "map iv"),
    ],
)
def test_captions_are_known_by_their_beginning(line: str, name: str) -> None:
    assert is_caption(line)
    assert figure_name(line) == name


@pytest.mark.parametrize(
    "line",
    [
        "Figure 3 shows the heat",
        "Figure 5 below",
        "Charts of the sea",
        "Figures in brackets",
        "Map reading",
        "Fig trees",
    ],
)
def test_sentences_about_figures_are_no_captions(line: str) -> None:
    assert not is_caption(line)
