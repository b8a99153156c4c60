"""PDF files as people have them, made here with MuPDF: what is read, in which order, and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from desktop_rag.core.errors import NeedsPasswordError, ReadError
from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import ReadDocument
from desktop_rag.ingest.chunks import chunk
from desktop_rag.ingest.readers.pdf import PdfReader

PROSE = (
    "The northern depot keeps spare cartridges for every pump on the lower shelf of the second room. Nobody may take "
    "more than five of them without a signature, and the list is checked on the last working day of each month. "
)
Draw = Callable[[Any], None]


def read(path: Path, password: str | None = None) -> ReadDocument:
    return PdfReader().read(path, password)


def make(path: Path, *pages: Draw, size: tuple[float, float] = (595, 842), **options: Any) -> Path:
    document = pymupdf.open()
    for draw in pages:
        draw(document.new_page(width=size[0], height=size[1]))
    document.save(path, **options)
    document.close()
    return path


def texts(document: ReadDocument) -> list[str]:
    return [block.text for block in document.blocks]


def joined(document: ReadDocument) -> str:
    return "\n".join(texts(document))


def column(page: Any, left: float, top: float, width: float, mark: str, times: int = 3) -> None:
    box = pymupdf.Rect(left, top, left + width, top + 600)
    left_over = page.insert_textbox(box, f"{mark} begins. " + PROSE * times + f"{mark} ends.", fontsize=9)
    assert left_over > 0


def test_two_columns_under_a_heading_across_them_are_read_one_after_the_other(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 60), "A heading that runs across both of the columns", fontsize=18)
        column(page, 60, 90, 225, "Left")
        column(page, 310, 90, 225, "Right")
        page.insert_textbox(pymupdf.Rect(60, 700, 535, 760), "Below both columns. " + PROSE, fontsize=9)

    document = read(make(tmp_path / "a.pdf", draw))
    text = joined(document)
    places = [
        text.index(mark) for mark in ("A heading", "Left begins", "Left ends", "Right begins", "Right ends", "Below")
    ]
    assert places == sorted(places)
    assert document.blocks[0].level == 1


def test_three_columns_and_a_footnote(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for index, mark in enumerate(("First", "Second", "Third")):
            column(page, 50 + index * 170, 80, 155, mark, 2)
        page.insert_text((50, 780), "1 The footnote of the page stands below all of its columns.", fontsize=7)

    text = joined(read(make(tmp_path / "a.pdf", draw)))
    marks = (
        "First begins",
        "First ends",
        "Second begins",
        "Second ends",
        "Third begins",
        "Third ends",
        "1 The footnote",
    )
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def test_rows_of_a_table_stay_whole(tmp_path: Path) -> None:
    rows = [
        ("Gross Costs", "(7,772.2)", "(7,661.7)"),
        ("Loans Receivable, Net", "1,751.0", "1,695.1"),
        ("Other", "973.1", "1,143.8"),
    ]

    def draw(page: Any) -> None:
        for index, row in enumerate(rows):
            for left, cell in zip((60, 330, 450), row, strict=True):
                page.insert_text((left, 100 + 16 * index), cell, fontsize=10)

    (block,) = read(make(tmp_path / "a.pdf", draw)).blocks
    assert block.text.split("\n") == [" ".join(row) for row in rows]


def test_words_parted_at_a_line_end_are_healed_and_real_hyphens_kept(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines = ["The exam-", "ination used a paper-", "based form. Another paper-based form", "was used before."]
        for index, line in enumerate(lines):
            page.insert_text((60, 100 + 13 * index), line, fontsize=11)

    (block,) = read(make(tmp_path / "a.pdf", draw)).blocks
    assert block.text == "The examination used a paper-based form. Another paper-based form was used before."
    assert len(block.spans) == 4


def test_headings_come_from_type_size_and_the_outline(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 80), "Care of the pumps", fontsize=20)
    page.insert_text((60, 120), "Cleaning", fontsize=11)
    page.insert_textbox(pymupdf.Rect(60, 140, 500, 300), PROSE, fontsize=11)
    document.set_toc([[1, "Care of the pumps", 1], [2, "Cleaning", 1]])
    document.save(tmp_path / "a.pdf")
    result = read(tmp_path / "a.pdf")
    assert [(block.level, block.text[:17]) for block in result.blocks[:2]] == [
        (1, "Care of the pumps"),
        (2, "Cleaning"),
    ]
    assert result.title == "Care of the pumps"


def test_page_labels_and_sizes_are_kept(tmp_path: Path) -> None:
    document = pymupdf.open()
    for number in range(3):
        document.new_page(width=400, height=300).insert_text((50, 50), f"Page with the number {number}.")
    document.set_page_labels([{"startpage": 0, "style": "r", "firstpagenum": 4}])
    document.save(tmp_path / "a.pdf")
    pages = read(tmp_path / "a.pdf").pages
    assert [(page.number, page.label) for page in pages] == [(1, "iv"), (2, "v"), (3, "vi")]
    assert (pages[0].width, pages[0].height) == (400, 300)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_places_on_rotated_pages_are_those_of_the_page_as_shown(tmp_path: Path, rotation: int) -> None:
    def draw(page: Any) -> None:
        page.insert_text((100, 200), "Torque of bolt B7", fontsize=12)
        page.set_rotation(rotation)

    path = make(tmp_path / "a.pdf", draw)
    (block,) = read(path).blocks
    page = pymupdf.open(path)[0]
    box = block.spans[0].bbox
    shown = page.search_for("Torque of bolt B7")[0] * page.rotation_matrix
    assert abs(box.x0 - shown.x0) < 2
    assert abs(box.y1 - shown.y1) < 4
    assert read(path).pages[0].width == page.rect.width


def test_text_that_runs_up_the_page_is_read_in_its_own_direction(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for index, line in enumerate(["The first line of the turned note", "and the second line of it."]):
            page.insert_text((100 + 14 * index, 500), line, fontsize=11, rotate=90)

    (block,) = read(make(tmp_path / "a.pdf", draw)).blocks
    assert block.text == "The first line of the turned note and the second line of it."


def test_text_that_nobody_can_see_is_left_out_and_light_text_on_dark_kept(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 80), "Plain words for the reader.", fontsize=11)
        page.insert_text((60, 120), "white on white secret", fontsize=11, color=(1, 1, 1))
        page.insert_text((60, 160), "tiny secret", fontsize=0.4)
        page.insert_text((60, 200), "invisible secret", fontsize=11, render_mode=3)
        page.insert_text((900, 240), "outside secret", fontsize=11)
        page.draw_rect(pymupdf.Rect(50, 300, 300, 330), fill=(0, 0, 0.4))
        page.insert_text((60, 320), "White on dark blue.", fontsize=11, color=(1, 1, 1))

    text = joined(read(make(tmp_path / "a.pdf", draw)))
    assert "secret" not in text
    assert "Plain words" in text
    assert "White on dark blue." in text


def picture() -> bytes:
    pixmap = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 300, 400))
    pixmap.clear_with(200)
    return bytes(pixmap.tobytes("png"))


def test_scans_wait_for_text_recognition_and_their_pages_are_known(tmp_path: Path) -> None:
    def scan(page: Any) -> None:
        page.insert_image(page.rect, stream=picture())

    mixed = read(make(tmp_path / "mixed.pdf", lambda page: page.insert_text((60, 80), PROSE), scan))
    assert mixed.waiting == {Stage.TABLES, Stage.FIGURES, Stage.OCR}
    assert mixed.missing.startswith("1 of 2 pages (page 2) is a scan")
    only = read(make(tmp_path / "only.pdf", scan, scan))
    assert (len(only.pages), only.blocks, only.waiting) == (2, (), {Stage.OCR})
    assert only.missing.startswith("Both pages are scans")


def test_the_text_layer_over_a_scan_is_read(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_image(page.rect, stream=picture())
        page.insert_textbox(pymupdf.Rect(60, 60, 500, 400), "Recognised. " + PROSE, fontsize=11, render_mode=3)

    document = read(make(tmp_path / "a.pdf", draw))
    assert "Recognised." in joined(document)
    assert Stage.OCR not in document.waiting


def test_repeated_headers_and_page_numbers_are_left_out_but_not_what_is_on_one_page_only(tmp_path: Path) -> None:
    def page_with(number: int) -> Draw:
        def draw(page: Any) -> None:
            page.insert_text((60, 30), "Annual report of the depot", fontsize=9)
            page.insert_text((300, 30), f"Mark SD-{number * 37 % 11}", fontsize=9)
            page.insert_textbox(pymupdf.Rect(60, 90, 500, 400), f"Chapter of page {number}. " + PROSE, fontsize=11)
            page.insert_text((290, 820), f"- {number + 6} -", fontsize=9)

        return draw

    marked = joined(read(make(tmp_path / "a.pdf", *(page_with(n) for n in range(1, 9)))))
    assert "- 7 -" not in marked
    assert "Mark SD-4" in marked

    def repeated(page: Any) -> None:
        page.insert_text((60, 30), "Annual report of the depot", fontsize=9)
        page.insert_textbox(pymupdf.Rect(60, 90, 500, 400), PROSE, fontsize=11)

    assert "Annual report" not in joined(read(make(tmp_path / "b.pdf", *[repeated] * 4)))


def test_locked_and_restricted_files(tmp_path: Path) -> None:
    options = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "owner_pw": "owner"}
    path = make(
        tmp_path / "locked.pdf", lambda page: page.insert_text((60, 80), "Behind the lock."), user_pw="open", **options
    )
    with pytest.raises(NeedsPasswordError, match=r"locked\.pdf"):
        read(path)
    with pytest.raises(NeedsPasswordError, match="does not open"):
        read(path, "wrong")
    assert joined(read(path, "open")) == "Behind the lock."
    free = make(tmp_path / "free.pdf", lambda page: page.insert_text((60, 80), "Free."), permissions=0, **options)
    assert joined(read(free)) == "Free."


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = make(tmp_path / "a.pdf", *[lambda page: page.insert_textbox(page.rect, PROSE * 4)] * 2)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * 0.9)])
    document = read(path)
    assert "northern depot" in joined(document)
    assert "damaged" in document.problem
    (tmp_path / "garbage.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 20)
    with pytest.raises(ReadError, match=r"garbage\.pdf"):
        read(tmp_path / "garbage.pdf")
    assert capfd.readouterr().err == ""


def test_a_file_without_pages_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.pdf"
    path.write_bytes(
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        b"trailer<</Root 1 0 R/Size 3>>\n%%EOF"
    )
    with pytest.raises(ReadError, match="no pages"):
        read(path)


def test_a_page_of_two_hundred_inches(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((2000, 7000), "Survey marker SM-88", fontsize=300)
        page.insert_text((2000, 9000), "hidden", fontsize=300, color=(1, 1, 1))

    document = read(make(tmp_path / "a.pdf", draw, size=(14400, 14400)))
    assert texts(document) == ["Survey marker SM-88"]


def test_vertical_script_is_read_down_and_from_right_to_left(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for column_index, line in enumerate(["すべての人間は、", "平等である。"]):
            for row, sign in enumerate(line):
                page.insert_text((500 - 24 * column_index, 80 + 18 * row), sign, fontname="japan", fontsize=15)

    assert joined(read(make(tmp_path / "a.pdf", draw))) == "すべての人間は、平等である。"


def test_every_element_holds_its_words_in_its_box_and_every_span_too(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 60), "A heading that runs across both of the columns", fontsize=18)
        column(page, 60, 90, 225, "Left")
        column(page, 310, 90, 225, "Right")

    path = make(tmp_path / "a.pdf", draw)
    words = pymupdf.open(path)[0].get_text("words")
    elements = chunk("doc", read(path), 100)
    assert len(elements) > 2
    for element in elements:
        for span in element.spans:
            line = element.text[span.start : span.end].split()
            box = span.bbox
            inside = [
                w[4]
                for w in words
                if box.x0 - 1 < w[0] and w[2] < box.x1 + 1 and box.y0 - 1 < w[1] and w[3] < box.y1 + 1
            ]
            assert set(line) <= set(inside) | {line[0], line[-1]}
            assert element.bbox.x0 <= box.x0
            assert element.bbox.y1 >= box.y1
