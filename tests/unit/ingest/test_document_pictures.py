"""Pictures inside files without pages: shown in the print view, and found there as figures with their words."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pptx
import pymupdf
import pytest
from openpyxl import Workbook
from openpyxl.drawing.image import Image as SheetImage
from pptx.util import Inches

from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import Block, ElementKind
from desktop_rag.ingest.figure_stage import FigureEntry
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.parse import Parsed, parse
from desktop_rag.ingest.print_pictures import prepared, without_ornaments
from tests.fixtures.figures import logo, picture_of

CAPTION = "Figure 2. The sign at the landing"


def word(path: Path) -> None:
    document = docx.Document()
    document.add_heading("The crossing", 1)
    document.add_paragraph("The ferry crosses the river all year round.")
    document.add_picture(io.BytesIO(picture_of()))
    document.add_paragraph(CAPTION)
    document.save(str(path))


def slides(path: Path) -> None:
    presentation = pptx.Presentation()
    for number in range(4):
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = f"The crossing {number + 1}"
        slide.shapes.add_picture(io.BytesIO(logo()), Inches(8), Inches(0.2), Inches(1))
        if number == 1:
            shape = slide.shapes.add_picture(io.BytesIO(picture_of()), Inches(1), Inches(2), Inches(5))
            shape._element.nvPicPr.cNvPr.set("descr", "A sign beside the river")
    presentation.save(str(path))


def page(path: Path) -> None:
    files = path.with_name("page_files")
    files.mkdir()
    (files / "sign.png").write_bytes(picture_of())
    inline = base64.b64encode(picture_of(("LOW WATER", "Mind the ramp"))).decode()
    path.write_text(
        "<!doctype html><html><head><title>The crossing</title></head><body><h1>The crossing</h1>"
        "<p>The ferry crosses the river all year round.</p>"
        f'<figure><img src="page_files/sign.png"><figcaption>{CAPTION}</figcaption></figure>'
        f'<p>At low water another sign is put up.</p><img src="data:image/png;base64,{inline}">'
        '<img src="https://example.org/far.png" alt="a picture that is elsewhere"></body></html>'
    )


def book(path: Path) -> None:
    chapter = f'<html><body><h1>The crossing</h1><img src="../pictures/sign.png"/><p>{CAPTION}</p></body></html>'
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("mimetype", "application/epub+zip")
        package.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        )
        package.writestr(
            "OEBPS/book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
            "<dc:title>Ferries</dc:title></metadata><manifest>"
            '<item id="c" href="text/one.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="c"/></spine></package>',
        )
        package.writestr("OEBPS/text/one.xhtml", chapter)
        package.writestr("OEBPS/pictures/sign.png", picture_of())


def workbook(path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("Month", "Crossings"), ("May", 120), ("June", 210)):
        sheet.append(row)
    sheet.add_image(SheetImage(io.BytesIO(picture_of())), "E2")
    book.save(path)


def open_text(path: Path) -> None:
    from odf.draw import Frame, Image
    from odf.opendocument import OpenDocumentText
    from odf.text import P

    document = OpenDocumentText()
    document.text.addElement(P(text="The ferry crosses the river all year round."))
    file = path.with_name("sign.png")
    file.write_bytes(picture_of())
    frame = Frame(width="10cm", height="5cm", anchortype="as-char")
    frame.addElement(Image(href=document.addPicture(str(file))))
    paragraph = P()
    paragraph.addElement(frame)
    document.text.addElement(paragraph)
    document.text.addElement(P(text=CAPTION))
    document.save(str(path))


@pytest.fixture(scope="module")
def entry() -> FigureEntry:
    return FigureEntry()


def read(path: Path) -> Parsed:
    parsed = parse("doc", path, None, 160, lambda _: None)
    assert isinstance(parsed, Parsed)
    return parsed


@pytest.mark.parametrize(
    ("name", "write", "shown_on"),
    [
        ("crossing.docx", word, 1),
        ("crossing.pptx", slides, 2),
        ("crossing.html", page, 1),
        ("crossing.epub", book, 1),
        ("crossing.xlsx", workbook, 1),
        ("crossing.odt", open_text, 1),
    ],
)
def test_a_picture_is_shown_in_the_print_view_and_its_words_are_found_there(
    entry: FigureEntry, tmp_path: Path, name: str, write: Callable[[Path], None], shown_on: int
) -> None:
    path = tmp_path / name
    write(path)
    parsed = read(path)
    assert Stage.FIGURES in parsed.waiting
    view = tmp_path / "view.pdf"
    view.write_bytes(parsed.print_view)
    with pymupdf.open(view) as document:
        assert document[shown_on - 1].get_image_info()

    found = entry("doc", view, None, 160, lambda _: None, Part("T", 1, len(parsed.pages), 2, known=parsed.elements))

    assert isinstance(found, PartRead)
    sign = next(element for element in found.elements if "FERRY" in element.text)
    assert sign.page == shown_on
    assert "06:45" in sign.text
    if write in (word, page, book, open_text):
        assert sign.text.startswith(CAPTION)
    if write is slides:
        assert len(found.elements) == 1, "the logo of every slide is no figure"
        assert any("A sign beside the river" in element.text for element in parsed.elements)
    if write is page:
        assert any("Mind the ramp" in element.text for element in found.elements)
        assert "a picture that is elsewhere" in " ".join(element.text for element in parsed.elements)


def test_a_page_takes_no_picture_from_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "outside.png").write_bytes(picture_of())
    folder = tmp_path / "saved"
    folder.mkdir()
    path = folder / "page.html"
    path.write_text(
        '<html><body><p>Some text.</p><img src="../outside.png"><img src="/etc/logo.png">'
        f'<img src="{(tmp_path / "outside.png").as_uri()}"></body></html>'
    )
    assert Stage.FIGURES not in read(path).waiting


@pytest.mark.parametrize("data", [b"", b"GIF89a", picture_of()[:300], b"<svg/>", b"\xd7\xcd\xc6\x9a" + b"\0" * 400])
def test_what_cannot_be_shown_is_left_out(data: bytes) -> None:
    assert prepared(data, 400) is None


def test_icons_are_left_out_and_large_pictures_made_small() -> None:
    assert prepared(picture_of((), (40, 40)), 400) is None
    large = prepared(picture_of(size=(4000, 2000)), 400)
    assert large is not None
    assert (round(large.width), round(large.height)) == (400, 200)
    assert pymupdf.Pixmap(large.data).width <= 1800


def test_a_picture_in_three_places_is_an_ornament() -> None:
    once, often = picture_of(("once",)), logo()
    blocks = [Block(ElementKind.FIGURE, "", picture=often) for _ in range(3)]
    blocks.append(Block(ElementKind.FIGURE, "A view", picture=often))
    blocks.append(Block(ElementKind.FIGURE, "", picture=once))
    assert [(block.text, block.picture) for block in without_ornaments(blocks)] == [("A view", b""), ("", once)]
