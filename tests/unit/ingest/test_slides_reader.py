"""Presentations: slide n is page n, with all that stands on it, read from files that python-pptx writes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pptx
import pymupdf
import pytest
from PIL import Image
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import Block, ReadDocument
from desktop_rag.ingest.chunks import chunk
from desktop_rag.ingest.readers import find_reader

BOX = (Inches(1), Inches(2), Inches(5), Inches(3))


@pytest.fixture
def deck() -> Any:
    presentation = pptx.Presentation()
    presentation.core_properties.title = "Summer plans"
    return presentation


def slide_of(deck: Any, title: str, layout: int = 5) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    return slide


def read(deck: Any, path: Path) -> ReadDocument:
    deck.save(str(path))
    return find_reader(path).read(path, None)


def on_page(document: ReadDocument, page: int) -> list[tuple[str, int, str]]:
    return [(block.kind.value, block.level, block.text) for block in document.blocks if block.page == page]


def test_slides_are_pages_with_the_shape_of_slides(deck: Any, tmp_path: Path) -> None:
    slide_of(deck, "Opening")
    slide_of(deck, "", layout=6)
    slide_of(deck, "The end")
    document = read(deck, tmp_path / "a.pptx")
    assert document.title == "Summer plans"
    assert [(page.number, page.width, page.height) for page in document.pages] == [(n, 720, 540) for n in (1, 2, 3)]
    assert [(block.page, block.text) for block in document.blocks] == [(1, "Opening"), (3, "The end")]
    with pymupdf.open("pdf", document.print_view) as pdf:
        assert "The end" in pdf[2].get_text()


def test_lists_boxes_groups_and_notes(deck: Any, tmp_path: Path) -> None:
    slide = slide_of(deck, "Agenda", layout=1)
    frame = slide.placeholders[1].text_frame
    frame.text = "Budget"
    paragraph = frame.add_paragraph()
    paragraph.text, paragraph.level = "Travel", 1
    group = slide.shapes.add_group_shape()
    inner = group.shapes.add_group_shape()
    inner.shapes.add_textbox(0, Inches(6), Inches(2), Inches(1)).text_frame.text = "A label in a group"
    slide.notes_slide.notes_text_frame.text = "Say hello first.\nThen begin."
    untitled = slide_of(deck, "", layout=6)
    untitled.shapes.add_textbox(*BOX).text_frame.text = "Just a box"
    placed = slide_of(deck, "", layout=6)
    for top, text in ((Inches(6.5), "3"), (Inches(3), "Below it"), (Inches(0.4), "A title by its place")):
        placed.shapes.add_textbox(Inches(1), top, Inches(4), Inches(0.5)).text_frame.text = text
    document = read(deck, tmp_path / "a.pptx")
    assert sorted(on_page(document, 1)) == sorted(
        [
            ("text", 1, "Agenda"),
            ("text", 0, "• Budget"),
            ("text", 0, "• Travel"),
            ("text", 0, "A label in a group"),
            ("text", 2, "Notes"),
            ("text", 0, "Say hello first."),
            ("text", 0, "Then begin."),
        ]
    )
    assert on_page(document, 1)[-3] == ("text", 2, "Notes")
    assert on_page(document, 2) == [("text", 1, "Slide 2"), ("text", 0, "Just a box")]
    assert on_page(document, 3) == [("text", 1, "A title by its place"), ("text", 0, "Below it")]


def test_tables_with_merged_cells(deck: Any, tmp_path: Path) -> None:
    slide = slide_of(deck, "Fees")
    table = slide.shapes.add_table(3, 3, *BOX).table
    for cell, text in zip(table.iter_cells(), ("Hall", "Day", "Fee", "A", "Mon", "10", "", "Tue", "12"), strict=True):
        cell.text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    assert on_page(read(deck, tmp_path / "a.pptx"), 1)[1:] == [
        ("table", 0, "Hall: A; Day: Mon; Fee: 10\nHall: A; Day: Tue; Fee: 12")
    ]


def chart_of(document: ReadDocument) -> Block:
    return next(block for block in document.blocks if block.kind.value == "figure")


def test_charts_are_read_from_their_numbers(deck: Any, tmp_path: Path) -> None:
    data = CategoryChartData(number_format="0%")
    data.categories = ["2000", "2010"]
    data.add_series("Local", (0.34, 0.48))
    data.add_series("National", (0.66, 0.52))
    chart = slide_of(deck, "Media").shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *BOX, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Share of purchases"
    chart.category_axis.has_title = chart.value_axis.has_title = True
    chart.category_axis.axis_title.text_frame.text = "Year"
    chart.value_axis.axis_title.text_frame.text = "Share"
    document = read(deck, tmp_path / "a.pptx")
    block = chart_of(document)
    assert block.text == (
        "Bar chart: Share of purchases\nAxes: Year; Share\n"
        "Year: 2000; Local: 34%; National: 66%\nYear: 2010; Local: 48%; National: 52%"
    )
    assert block.markdown.split("\n")[-1] == "| 2010 | 48% | 52% |"
    figure = next(element for element in chunk("d", document, 200) if element.kind.value == "figure")
    assert "Local: 48%" in figure.text
    assert figure.page == 1
    assert figure.heading == ("Media",)


def test_a_chart_without_a_title_is_named_by_the_label_above_it(deck: Any, tmp_path: Path) -> None:
    slide = slide_of(deck, "Two years")
    for left, year, value in ((0, "In 2000", 0.34), (5, "In 2010", 0.48)):
        data = CategoryChartData()
        data.categories = ["Local"]
        data.add_series("", (value,))
        slide.shapes.add_chart(XL_CHART_TYPE.PIE, Inches(left), Inches(3), Inches(4), Inches(3), data)
        label = slide.shapes.add_textbox(Inches(left + 1), Inches(2.5), Inches(2), Inches(0.4))
        label.text_frame.text = year
    figures = [text for kind, _, text in on_page(read(deck, tmp_path / "a.pptx"), 1) if kind == "figure"]
    assert figures == ["Pie chart: In 2000\nLocal; Value: 0.34", "Pie chart: In 2010\nLocal; Value: 0.48"]


def test_charts_of_points_and_of_levels(deck: Any, tmp_path: Path) -> None:
    points = XyChartData()
    series = points.add_series("Trial")
    series.add_data_point(1.5, 20)
    series.add_data_point(2.5, 30)
    slide_of(deck, "Trial").shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, *BOX, points)
    levels = CategoryChartData()
    for year in ("2020", "2021"):
        category = levels.add_category(year)
        category.add_sub_category("H1")
        category.add_sub_category("H2")
    levels.add_series("Sales", (1, 2, 3, 4))
    slide_of(deck, "Halves").shapes.add_chart(XL_CHART_TYPE.LINE, *BOX, levels)
    document = read(deck, tmp_path / "a.pptx")
    assert on_page(document, 1)[1][2].split("\n")[1:] == ["1.5; Trial: 20", "2.5; Trial: 30"]
    assert on_page(document, 2)[1][2].split("\n")[1:] == [
        "2020 H1; Sales: 1",
        "2020 H2; Sales: 2",
        "2021 H1; Sales: 3",
        "2021 H2; Sales: 4",
    ]


def test_descriptions_of_pictures_and_hidden_slides(deck: Any, tmp_path: Path) -> None:
    slide = slide_of(deck, "Picture")
    png = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(png, "PNG")
    for text in ("A red square on a wall", "photo-17.png"):
        png.seek(0)
        picture = slide.shapes.add_picture(png, *BOX)
        picture._element.nvPicPr.cNvPr.set("descr", text)
    slide._element.set("show", "0")
    assert on_page(read(deck, tmp_path / "a.pptx"), 1) == [
        ("text", 1, "Picture (hidden slide)"),
        ("figure", 0, "A red square on a wall"),
    ]


def test_a_deck_without_text_and_a_damaged_one(deck: Any, tmp_path: Path) -> None:
    slide_of(deck, "", layout=6)
    with pytest.raises(ReadError, match=r"a\.pptx holds no text"):
        read(deck, tmp_path / "a.pptx")
    (tmp_path / "b.pptx").write_bytes((tmp_path / "a.pptx").read_bytes()[:5000])
    with pytest.raises(ReadError, match=r"b\.pptx is damaged: no PowerPoint presentation"):
        find_reader(tmp_path / "b.pptx").read(tmp_path / "b.pptx", None)
