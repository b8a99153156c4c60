"""PDFs whose text layer does not say what one sees: each comes out as a reader of the page would say it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import ReadDocument
from desktop_rag.ingest.chunks import chunk
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.ocr_rapid import RapidRecogniser
from desktop_rag.ingest.ocr_stage import OcrEntry
from desktop_rag.ingest.readers import find_reader
from desktop_rag.ingest.tables import find_tables

PROSE = "The keeper of the northern lighthouse writes the height of the water into the green book at noon."


def html(path: Path, *pages: str, fontsize: int = 14) -> Path:
    """Write pages whose fonts are embedded, as office programs do."""
    with pymupdf.open() as document:
        for content in pages:
            page = document.new_page()
            page.insert_htmlbox((60, 60, 540, 780), f'<div style="font-size:{fontsize}px">{content}</div>')
        document.save(path)
    return path


def drawn(path: Path, draw: Callable[[Any], None]) -> Path:
    with pymupdf.open() as document:
        draw(document.new_page())
        document.save(path)
    return path


def read(path: Path) -> ReadDocument:
    return find_reader(path).read(path, None)


def said(path: Path) -> str:
    """Return what the elements of a file quote."""
    return "\n".join(element.text for element in chunk("d", read(path), 200))


def change_fonts(path: Path, change: Callable[[Any, int], None]) -> Path:
    """Change each composite font of a file, which alone knows the letters of its glyphs."""
    changed = path.with_name(f"changed-{path.name}")
    with pymupdf.open(path) as document:
        document.subset_fonts()
        fonts = [
            xref for xref in range(1, document.xref_length()) if document.xref_get_key(xref, "Subtype")[1] == "/Type0"
        ]
        assert fonts
        for xref in fonts:
            change(document, xref)
        document.save(changed)
    return changed


def without_map(document: Any, xref: int) -> None:
    """Take away what says which letter a glyph is."""
    document.xref_set_key(xref, "ToUnicode", "null")


def to_private_use(document: Any, xref: int) -> None:
    """Say of each glyph that it is a sign of the private-use area, which means nothing to anyone."""
    stream = int(document.xref_get_key(xref, "ToUnicode")[1].split()[0])
    document.update_stream(
        stream,
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        b"1 begincodespacerange <0000> <ffff> endcodespacerange\n1 beginbfrange <0000> <0fff> <e000> endbfrange\n"
        b"endcmap end end\n",
    )


@pytest.fixture(scope="module")
def entry() -> OcrEntry:
    return OcrEntry(RapidRecogniser(threads=2))


@pytest.mark.slow
@pytest.mark.parametrize("change", [without_map, to_private_use])
def test_text_without_letters_is_recognised_from_its_picture(
    change: Callable[[Any, int], None], entry: OcrEntry, tmp_path: Path
) -> None:
    path = change_fonts(html(tmp_path / "a.pdf", f"<p>{PROSE}</p>", fontsize=18), change)
    document = read(path)
    assert document.blocks == ()
    assert document.waiting == {Stage.OCR}
    found = entry("d", path, None, 200, lambda _: None, Part("A", 1, 1))
    assert isinstance(found, PartRead)
    assert " ".join(" ".join(element.text for element in found.elements).split()) == PROSE


def test_ligatures_soft_hyphens_and_accents_beside_their_letter_have_one_form(tmp_path: Path) -> None:
    path = html(tmp_path / "a.pdf", "<p>The o\ufb03ce \ufb01les the cafe\u0301 rules in co\xadoperation with us.</p>")
    assert said(path) == "The office files the café rules in cooperation with us."


def test_a_word_parted_at_the_end_of_a_line_is_one_word(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for n, line in enumerate(
            ["The harbour master counts the ship-", "ments of the week, and the co-", "owner signs."]
        ):
            page.insert_text((60, 80 + 14 * n), line, fontsize=11)
        page.insert_text((60, 200), "Every co-owner is told of it.", fontsize=11)

    assert "counts the shipments of the week, and the co-owner signs." in said(drawn(tmp_path / "a.pdf", draw))


def test_what_a_clip_hides_is_not_said_and_makes_no_row_of_a_table(tmp_path: Path) -> None:
    """Boxes of slides and forms hide what does not fit into them."""

    def draw(page: Any) -> None:
        page.insert_text((60, 80), PROSE[:60], fontsize=11)
        page.insert_text((60, 120), "Table 2. Pumps of the depots", fontsize=10)
        rows = (("Pump", "Depot", "Price"), ("Harbour", "North", "1,250"), ("Meadow", "South", "980"))
        for n, row in enumerate((*rows, ("Secret", "Cellar", "7,777"))):
            for x, cell in zip((60, 180, 300), row, strict=True):
                page.insert_text((x, 140 + 18 * n), cell, fontsize=10)
            page.draw_line((60, 145 + 18 * n), (380, 145 + 18 * n), width=0.5)
        clip_below(page, 185)

    path = drawn(tmp_path / "a.pdf", draw)
    with pymupdf.open(path) as document:
        assert "Secret" in document[0].get_text(flags=pymupdf.TEXT_PRESERVE_WHITESPACE), "it is in the file"
    assert "Meadow" in said(path)
    assert "Secret" not in said(path)
    assert [row[0] for table in find_tables(path) for row in table.rows] == ["Pump", "Harbour", "Meadow"]


def clip_below(page: Any, y: float) -> None:
    """Let the page show nothing below the height ``y``."""
    page.clean_contents()
    document, (contents,) = page.parent, page.get_contents()
    height = page.rect.height
    clip = f"q 0 {height - y} {page.rect.width} {y} re W n\n".encode()
    document.update_stream(contents, clip + document.xref_stream(contents) + b"\nQ\n")


@pytest.mark.parametrize(
    "line",
    [
        "תיק מספר 4711 נסגר ביום שני",
        "שם הקובץ: RTL-5521, נסגר ביום שני",
        "تاريخ 14 مايو سنة 2023",
        "رقم RTL-5521، تاريخ ١٤ مايو ٢٠٢٣",
    ],
)
def test_lines_from_right_to_left_are_read_from_right_to_left(line: str, tmp_path: Path) -> None:
    """With numbers of both kinds and Latin words inside, which run to the right."""
    path = html(tmp_path / "a.pdf", f'<p style="direction:rtl">{line}</p>')
    assert "".join(said(path).split()) == "".join(line.split())


def test_headers_and_footers_of_every_page_are_in_no_element(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        for n in range(1, 6):
            page = document.new_page()
            page.insert_text((60, 30), "Yearbook of the lighthouse keepers", fontsize=9)
            page.insert_textbox((60, 90, 500, 400), f"Watch {n}. {PROSE}", fontsize=11)
            page.insert_text((290, 820), f"Page {n} of 5", fontsize=9)
        document.save(tmp_path / "a.pdf")
    text = said(tmp_path / "a.pdf")
    assert "Yearbook" not in text
    assert "of 5" not in text
    assert all(f"Watch {n}." in text for n in range(1, 6))
