"""Waterfalls, treemaps and their kin come out with their numbers, alone and in slides, sheets and Word files."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import pytest
import xlsxwriter
from docx.opc.packuri import PackURI as WordURI
from docx.opc.part import Part as WordPart
from docx.oxml import parse_xml as word_xml
from lxml import etree
from pptx import Presentation
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI

from desktop_rag.ingest.readers import find_reader
from desktop_rag.ingest.readers.chart_xml import chart_block
from tests.fixtures.modern_charts import (
    CONTENT,
    RELATION,
    SCHEMA,
    WATERFALL,
    WATERFALL_TEXT,
    chart_space,
    dimension,
    plot,
    series,
)

_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def figures(path: Path) -> list[str]:
    document = find_reader(path).read(path, None)
    return [block.text for block in document.blocks if block.kind.value == "figure"]


def text_of(xml: bytes, label: str = "") -> str:
    block = chart_block(etree.fromstring(xml), label=label)
    return "" if block is None else block.text


def test_the_levels_of_a_treemap_are_said_together() -> None:
    levels = (("Oak", "Elm", "Pike"), ("Trees", "", "Fish"))
    data = dimension("strDim", "cat", *levels) + dimension("numDim", "size", ("5", "7", "2"))
    xml = chart_space(f'<cx:data id="0">{data}</cx:data>', plot(series("treemap", "Count")))
    assert text_of(xml) == "Treemap\nTrees Oak; Count: 5\nTrees Elm; Count: 7\nFish Pike; Count: 2"
    assert text_of(xml, "Life").startswith("Treemap: Life\n")


def test_a_pareto_chart_is_one_chart_and_a_histogram_says_its_values() -> None:
    data = f'<cx:data id="0">{dimension("numDim", "val", ("3", "9"))}</cx:data>'
    pareto = chart_space(data, plot(series("clusteredColumn"), '<cx:series layoutId="paretoLine" ownerIdx="0"/>'))
    assert text_of(pareto) == "Pareto chart\n1; Value: 3\n2; Value: 9"
    assert text_of(chart_space(data, plot(series("clusteredColumn")))).startswith("Histogram\n")


@pytest.mark.parametrize("data", ["", '<cx:data id="1"><cx:numDim type="val"/></cx:data>'])
def test_a_chart_without_numbers_says_nothing(data: str) -> None:
    assert text_of(chart_space(data, plot(series("funnel")))) == ""


def test_a_slide_with_a_waterfall(tmp_path: Path) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Cash"
    part = Part(PackURI("/ppt/charts/chartEx1.xml"), CONTENT, deck.part.package, WATERFALL)
    frame = (
        f'<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:r="{_R}"'
        f' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="{_A}" xmlns:cx="{SCHEMA}">'
        '<mc:Choice Requires="cx"><p:graphicFrame><a:graphic><a:graphicData>'
        f'<cx:chart r:id="{slide.part.relate_to(part, RELATION)}"/>'
        "</a:graphicData></a:graphic></p:graphicFrame></mc:Choice><mc:Fallback/></mc:AlternateContent>"
    )
    slide.shapes._spTree.append(etree.fromstring(frame))
    deck.save(str(tmp_path / "a.pptx"))
    assert figures(tmp_path / "a.pptx") == [WATERFALL_TEXT]


def test_a_sheet_with_a_waterfall(tmp_path: Path) -> None:
    plain, path = tmp_path / "plain.xlsx", tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(plain)) as book:
        sheet = book.add_worksheet("Cash")
        sheet.write("A1", "Cash of the mill")
        sheet.insert_textbox("C1", "See the chart")
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{RELATION}" Target="../charts/chartEx1.xml"/></Relationships>'
    )
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        new.writestr("xl/drawings/_rels/drawing1.xml.rels", relations)
        new.writestr("xl/charts/chartEx1.xml", WATERFALL)
    assert figures(path) == [WATERFALL_TEXT]


def test_a_word_file_with_a_waterfall(tmp_path: Path) -> None:
    document = docx.Document()
    part = WordPart(WordURI("/word/charts/chartEx1.xml"), CONTENT, WATERFALL, document.part.package)
    drawing = (
        f'<w:drawing xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="{_R}"'
        ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
        f' xmlns:a="{_A}" xmlns:cx="{SCHEMA}"><wp:inline><wp:docPr id="1" name="c"/><a:graphic><a:graphicData>'
        f'<cx:chart r:id="{document.part.relate_to(part, RELATION)}"/>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing>"
    )
    document.add_paragraph("The cash.").add_run()._r.append(word_xml(drawing))
    document.save(str(tmp_path / "a.docx"))
    assert figures(tmp_path / "a.docx") == [WATERFALL_TEXT]
