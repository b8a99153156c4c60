"""Real text recognition of pictures that the tests draw: every word in its place, however the page lies."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageFilter

from desktop_rag.answer.places import confidence_of
from desktop_rag.core.ledger import FileState
from desktop_rag.core.limits import CLEAR_CONFIDENCE
from desktop_rag.core.types import BBox, Element, ElementKind
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.ocr import Picture, RecognisedLine
from desktop_rag.ingest.ocr_layout import lay_out, place
from desktop_rag.ingest.ocr_rapid import RapidRecogniser
from desktop_rag.ingest.ocr_stage import OcrEntry, page_picture
from desktop_rag.ingest.parse import ParseFailure
from tests.fixtures.scans import DPI, HEIGHT, WIDTH, drawn, paragraph, scanned_pdf

pytestmark = pytest.mark.slow

TALL = ["The boiler house was rebuilt in", "the spring of 1957 by Harland", "and Sons, who also laid the two", "pipes."]
SHORT = [
    "Since then the valves have been",
    "opened every third month. The",
    "keeper writes the day into the",
    "green book.",
]


@pytest.fixture(scope="module")
def entry() -> OcrEntry:
    """One for all tests, as its models take a moment to load."""
    return OcrEntry(RapidRecogniser(threads=2))


Read = Callable[..., tuple[Element, ...]]


@pytest.fixture
def read(entry: OcrEntry, tmp_path: Path) -> Read:
    def reading(*pictures: Image.Image) -> tuple[Element, ...]:
        path = scanned_pdf(tmp_path / "scan.pdf", pictures)
        result = entry("doc", path, None, 160, lambda _: None, Part("Boiler house", 1, len(pictures)))
        assert isinstance(result, PartRead)
        return result.elements

    return reading


def turned(x: float, y: float, angle: float, page: tuple[float, float]) -> tuple[float, float]:
    """Return where a point of the upright page stands on the ``page`` that was turned about its middle."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x, y = x - WIDTH / 2, y - HEIGHT / 2
    return page[0] / 2 + x * cos + y * sin, page[1] / 2 - x * sin + y * cos


def said(elements: tuple[Element, ...]) -> str:
    return " ".join(element.text for element in elements).replace("\n", " ")


def box_of_words(elements: tuple[Element, ...], words: str) -> BBox:
    element = next(element for element in elements if words in element.text)
    at = element.text.index(words)
    return BBox.around(s.bbox for s in element.spans if s.start < at + len(words) and s.end > at)


def test_lines_become_paragraphs_with_a_box_for_each_line(read: Read) -> None:
    elements = read(drawn(paragraph(60, 40, TALL) + paragraph(60, 150, SHORT)))

    assert {element.kind for element in elements} == {ElementKind.SCAN}
    assert " ".join(TALL) in said(elements)
    assert " ".join(SHORT) in said(elements)
    box = box_of_words(elements, "spring of 1957")
    assert (box.x0, box.y0) == (pytest.approx(60, abs=4), pytest.approx(59, abs=4))
    assert box.y1 - box.y0 < 20
    assert elements[0].title == "Boiler house"


def test_columns_are_read_one_after_the_other(read: Read) -> None:
    text = said(read(drawn(paragraph(20, 80, TALL) + paragraph(220, 83, SHORT))))

    assert text.index("pipes.") < text.index("Since then")
    assert " ".join(TALL) in text
    assert " ".join(SHORT) in text


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_a_page_that_lies_on_its_side_or_head_is_read(read: Read, angle: int) -> None:
    picture = drawn(paragraph(60, 40, TALL), angle=angle)
    elements = read(picture)

    assert said(elements) == " ".join(TALL)
    box = box_of_words(elements, "pipes.")  # the last line, by itself
    for x, y in ((62, 100), (94, 108)):
        x, y = turned(x, y, angle, (picture.width * 72 / DPI, picture.height * 72 / DPI))
        assert box.x0 - 4 < x < box.x1 + 4
        assert box.y0 - 4 < y < box.y1 + 4
    assert (box.x1 - box.x0) * (box.y1 - box.y0) < 45 * 22


def test_a_page_is_not_turned_when_its_lines_read_worse_turned() -> None:
    recogniser = RapidRecogniser(2)
    picture = np.ascontiguousarray(np.asarray(drawn(paragraph(60, 40, TALL)).convert("RGB"))[:, :, ::-1])
    upright = recogniser.recognise(picture)
    assert recogniser._parts is not None

    def wrong(pictures: list[Any]) -> SimpleNamespace:
        return SimpleNamespace(cls_res=[("180", 1.0)] * len(pictures))

    recogniser._parts = replace(recogniser._parts, turned=wrong)
    assert [line.text for line in recogniser.recognise(picture)] == [line.text for line in upright]
    assert {line.text for line in upright} >= set(TALL)


@pytest.mark.parametrize("angle", [-4, 3])
def test_the_words_of_a_skewed_page_are_each_in_a_box_of_their_own(read: Read, angle: int) -> None:
    elements = read(drawn(paragraph(60, 40, TALL) + paragraph(60, 150, SHORT), angle=angle))

    assert " ".join(TALL) in said(elements)
    x, y = turned(60, 150, angle, (WIDTH, HEIGHT))
    began = box_of_words(elements, "Since")
    assert (began.x0, began.y0) == (pytest.approx(x, abs=6), pytest.approx(y, abs=8))
    assert began.y1 - began.y0 < 26


def test_rows_of_a_table_stay_rows(read: Read) -> None:
    rows = [("Valve", "Opened", "Litres"), ("North", "March", "412"), ("South", "April", "1"), ("West", "June", "97")]
    lines = [(60 + 110 * x, 80 + 24 * y, cell) for y, row in enumerate(rows) for x, cell in enumerate(row)]

    elements = read(drawn(lines))

    assert [line.split() for line in "\n".join(e.text for e in elements).splitlines()] == [list(row) for row in rows]


def test_large_lines_are_headings(read: Read) -> None:
    heading = drawn([(60, 40, "Rules for visitors")], size=26)
    picture = Image.composite(
        heading, drawn(paragraph(60, 100, TALL + SHORT)), heading.point(lambda v: 255 * (v < 200))
    )

    assert all(element.heading == ("Rules for visitors",) for element in read(picture))


def test_a_blank_page_has_no_text(read: Read) -> None:
    assert read(drawn([])) == ()


def test_words_of_the_text_layer_are_not_said_twice(entry: OcrEntry, tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", [drawn(paragraph(60, 40, TALL))])
    with pymupdf.open(path) as document:
        document[0].insert_text((60, 200), "Depot archive, sheet 12", fontsize=12)
        document.saveIncr()

    result = entry("doc", path, None, 160, lambda _: None, Part("T", 1, 1))

    assert isinstance(result, PartRead)
    assert " ".join(TALL) in said(result.elements)
    assert "archive" not in said(result.elements)


def test_pages_with_text_are_left_alone_and_only_the_pages_asked_for_are_read(entry: OcrEntry, tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", [drawn(paragraph(60, 40, TALL)), drawn(paragraph(60, 40, SHORT))])
    with pymupdf.open(path) as document:
        document.new_page().insert_textbox(pymupdf.Rect(50, 50, 500, 700), "Plain text of a page. " * 30)
        document.saveIncr()

    result = entry("doc", path, None, 160, lambda _: None, Part("T", 2, 3))

    assert isinstance(result, PartRead)
    assert {element.page for element in result.elements} == {2}
    assert (result.pages, result.doubtful) == (1, 0)


def test_a_page_that_can_hardly_be_read_is_doubtful(tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", [drawn(paragraph(60, 40, TALL))])
    unsure = OcrEntry(Unsure())

    result = unsure("doc", path, None, 160, lambda _: None, Part("T", 1, 1))

    assert isinstance(result, PartRead)
    assert (result.pages, result.doubtful) == (1, 1)
    (element,) = result.elements
    assert [span.confidence for span in element.spans] == [0.6]
    assert confidence_of(element, 0, 3) == 0.6


def test_what_is_read_well_says_how_sure_it_is_line_by_line(read: Read) -> None:
    (element,) = read(drawn(paragraph(60, 40, TALL)))
    assert len(element.spans) == len(TALL)
    assert all(CLEAR_CONFIDENCE < span.confidence <= 1.0 for span in element.spans)


class Unsure:
    """Reads one line, and is not sure of it."""

    name = "unsure"

    def recognise(self, picture: Picture) -> tuple[RecognisedLine, ...]:
        height, width = picture.shape[:2]
        corners = ((0.0, 0.0), (width / 2, 0.0), (width / 2, height / 20), (0.0, height / 20))
        return (RecognisedLine("tbe hoiler bouse", corners, 0.6, tuple(i / 16 for i in range(16))),)


def test_a_file_that_is_gone_or_broken_is_a_failure_with_its_name(entry: OcrEntry, tmp_path: Path) -> None:
    gone = entry("doc", tmp_path / "gone.pdf", None, 160, lambda _: None, Part("T", 1, 1))
    assert isinstance(gone, ParseFailure)
    assert gone.state is FileState.FAILED
    assert "gone.pdf" in gone.reason


def test_a_huge_page_makes_a_picture_of_bearable_size() -> None:
    with pymupdf.open() as document:
        picture, scale = page_picture(document.new_page(width=14_400, height=7_200))
    assert picture.size <= 3 * 16_100_000
    assert scale == pytest.approx(picture.shape[1] / 14_400, rel=0.01)


def test_a_tiny_picture_is_read_without_complaint() -> None:
    recogniser = RapidRecogniser(threads=1)
    assert recogniser.recognise(np.full((9, 30, 3), 255, dtype=np.uint8)) == ()


def test_signs_of_full_width_in_latin_text_become_plain() -> None:
    corners = ((0.0, 0.0), (100.0, 0.0), (100.0, 10.0), (0.0, 10.0))
    line = RecognisedLine("Pump （old） ", corners, 0.9, tuple(i / 11 for i in range(11)))

    placed = place(line, 2.0)

    assert placed.text == "Pump (old)"
    assert len(placed.middles) == len(placed.text)
    assert lay_out([placed], 400, 500)[0].spans[0].bbox == BBox(0, 0, 50, 5)


def test_blurred_text_is_still_found(read: Read) -> None:
    picture = drawn(paragraph(60, 40, TALL), size=14).filter(ImageFilter.GaussianBlur(2.0))
    assert "1957" in said(read(picture))
