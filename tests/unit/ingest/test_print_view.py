"""The print view keeps everything, on pages, and says where each piece stands."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

import pymupdf
import pytest

from desktop_rag.core.types import BBox, Block, ElementKind, ReadDocument
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.print_view import lay_out

WORDS = [
    "office",
    "readers",
    "borrowed",
    "films",
    "while",
    "the",
    "library",
    "opened",
    "its",
    "new",
    "reading",
    "hall",
    "for",
    "evening",
    "lectures",
]


def prose(words: int, start: int = 0) -> str:
    return " ".join(WORDS[(start + n * 7) % len(WORDS)] for n in range(words)).capitalize() + "."


def text(content: str, level: int = 0) -> Block:
    return Block(ElementKind.TEXT, content, level=level)


def words_outside(document: ReadDocument) -> tuple[int, int]:
    """Count the words of all text blocks, and those that the PDF does not show inside the span that claims them."""
    total = outside = 0
    with pymupdf.open("pdf", document.print_view) as pdf:
        for block in document.blocks:
            page = pdf[block.page - 1]
            for span in block.spans:
                box = span.bbox
                clip = pymupdf.Rect(box.x0 - 0.5, box.y0 + 1.5, box.x1 + 0.5, box.y1 - 1.5)
                shown = set(unicodedata.normalize("NFKC", page.get_text(clip=clip)).split())
                claimed = unicodedata.normalize("NFKC", block.text[span.start : span.end]).split()
                total += len(claimed)
                outside += sum(word not in shown for word in claimed)
    return total, outside


def squeezed(blocks: Sequence[Block]) -> str:
    return "".join("".join(block.text.split()) for block in blocks)


def long_document() -> list[Block]:
    blocks = [text("A long report", level=1)]
    for section in range(12):
        blocks.append(text(f"Section {section}", level=2))
        blocks += [text(prose(30 + 17 * (n % 6), start=n + section)) for n in range(6)]
        blocks.append(Block(ElementKind.CODE, "def double(x):\n    return 2 * x"))
    blocks.append(text(prose(1800)))
    return blocks


def test_words_stand_inside_their_spans() -> None:
    document = lay_out("A long report", long_document())
    total, outside = words_outside(document)
    assert total > 4000
    assert outside <= 0.01 * total


def test_no_text_is_lost_and_each_block_is_on_one_page() -> None:
    blocks = long_document()
    document = lay_out("A long report", blocks)
    assert squeezed(document.blocks) == squeezed(blocks)
    assert len(document.pages) > 5
    pages = [block.page for block in document.blocks]
    assert pages == sorted(pages)
    assert set(pages) == {page.number for page in document.pages}


def test_spans_cover_the_text_in_order() -> None:
    for block in lay_out("A long report", long_document()).blocks:
        covered = [character for span in block.spans for character in block.text[span.start : span.end]]
        assert "".join("".join(covered).split()) == "".join(block.text.split())
        assert all(one.end <= two.start for one, two in pairwise(block.spans))


def test_short_paragraphs_are_not_torn_at_page_borders() -> None:
    blocks = [text(prose(60, start=n)) for n in range(60)]
    document = lay_out("Paragraphs", blocks)
    assert len(document.pages) > 3
    assert [block.text for block in document.blocks] == [block.text for block in blocks]


def test_headings_stay_with_what_follows_them() -> None:
    blocks = [block for n in range(40) for block in (text(f"Heading {n}", level=2), text(prose(55, start=n)))]
    placed = lay_out("Headings", blocks).blocks
    for heading, paragraph in pairwise(placed):
        if heading.level:
            assert heading.page == paragraph.page


def test_heading_stays_with_the_table_below_it() -> None:
    grid = Grid.of([("Year", "Visits"), *((str(1900 + n), str(n * 11)) for n in range(6))])
    for filler in range(20, 40):
        blocks = [*(text("One line.") for _ in range(filler)), text("Visits", level=2), grid.block()]
        placed = lay_out("Visits", blocks).blocks
        heading = next(block for block in placed if block.level)
        table = next(block for block in placed if block.kind is ElementKind.TABLE)
        assert heading.page == table.page


def test_every_table_row_is_kept_with_its_place_and_the_header() -> None:
    rows = [(f"R{n:04d}", f"Town {n % 13}", f"{n * 137:,}") for n in range(400)]
    document = lay_out("Towns", [text("Towns", level=1), Grid.of([("Id", "Town", "Amount"), *rows]).block()])
    tables = [block for block in document.blocks if block.kind is ElementKind.TABLE]
    lines = [line for block in tables for line in block.text.split("\n")]
    assert lines == [f"Id: {one}; Town: {two}; Amount: {three}" for one, two, three in rows]
    with pymupdf.open("pdf", document.print_view) as pdf:
        for block in tables:
            assert block.markdown.startswith("| Id | Town | Amount |")
            for span in block.spans:
                box = span.bbox
                shown = pdf[block.page - 1].get_text(clip=pymupdf.Rect(box.x0, box.y0 + 3, box.x1, box.y1 - 3))
                number = block.text[span.start : span.end].split(";")[0].removeprefix("Id: ")
                assert number in shown.split()
                assert sum(word.startswith("R0") for word in shown.split()) == 1
        headers = sum("Amount" in page.get_text() for page in pdf)
    assert headers == len(pdf_pages(document)) > 5


def pdf_pages(document: ReadDocument) -> tuple[int, ...]:
    return tuple(page.number for page in document.pages)


def test_wide_tables_get_a_wide_page_and_stay_on_it() -> None:
    header = [f"measurement {n}" for n in range(14)]
    grid = Grid.of([header, *([f"value-{n}-{row}" for n in range(14)] for row in range(5))])
    document = lay_out("Wide", [text("Before"), grid.block(), text("After")])
    assert [page.width > 600 for page in document.pages] == [False, True, False]
    with pymupdf.open("pdf", document.print_view) as pdf:
        right = max(word[2] for word in pdf[1].get_text("words"))
    assert right < document.pages[1].width


@pytest.mark.parametrize("columns", [90, 250])
def test_tables_too_wide_to_draw_become_one_paragraph_a_row(columns: int) -> None:
    grid = Grid.of([[f"name{n}" for n in range(columns)], [f"v{n}" for n in range(columns)]])
    document = lay_out("Very wide", [grid.block()])
    assert {block.kind for block in document.blocks} == {ElementKind.TABLE}
    assert f"name{columns - 1}: v{columns - 1}" in " ".join(block.text for block in document.blocks)
    assert words_outside(document)[1] == 0


def test_a_row_higher_than_a_page_is_kept() -> None:
    grid = Grid.of([("Id", "Story"), ("1", prose(2500)), ("2", "short")])
    document = lay_out("Tall", [grid.block()])
    assert squeezed(document.blocks) == squeezed([grid.block()])


SCRIPTS = {
    "Japanese": "図書館は二〇二四年に新しい本を買いました。",
    "Chinese": "图书馆在二〇二四年购买了新书。",
    "Korean": "도서관은 새 책을 샀습니다",
    "Arabic": "اشترت المكتبة كتبا جديدة في عام 2024",
    "Hebrew": "הספרייה קנתה ספרים חדשים",
    "Russian": "Библиотека купила новые книги",
    "Hindi": "पुस्तकालय ने नई किताबें खरीदीं",
    "Thai": "ห้องสมุดซื้อหนังสือใหม่",
    "emoji": "📄 😀 ✅ 🐝",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_is_drawn_and_placed(name: str) -> None:
    content = SCRIPTS[name]
    document = lay_out(name, [text("before"), text(" ".join([content] * 8)), text("after")])
    block = document.blocks[1]
    assert block.text == " ".join([content] * 8)
    assert "".join(block.text[s.start : s.end] for s in block.spans).replace(" ", "") == block.text.replace(" ", "")
    with pymupdf.open("pdf", document.print_view) as pdf:
        picture = pdf[0].get_pixmap(clip=pymupdf.Rect(*BBox.around(s.bbox for s in block.spans).as_list()), dpi=100)
        fonts = {font[3] for font in pdf[0].get_fonts()}
        missing = [c for c in pdf[0].get_text() if c == "\ufffd"]
    ink = sum(value < 128 for value in picture.samples) / len(picture.samples)
    assert ink > 0.02
    assert len(fonts) >= 2
    assert not missing


def test_odd_content_is_laid_out_without_harm() -> None:
    blocks = [
        text("x" * 3000),
        text("Tags <b>& entities</b> &amp; \x00\x07 control"),
        text("   \n\t "),
        text("\u200b"),
        Block(ElementKind.CODE, "\tif a < b:\n\t\treturn '&'" + "\n" * 3),
        Grid.of([("a|b", "c\\|d"), ("1\n2", "<td>")]).block(),
    ]
    document = lay_out("Odd <title> & more" * 20, blocks)
    assert [block.kind for block in document.blocks] == [ElementKind.TEXT] * 2 + [ElementKind.CODE, ElementKind.TABLE]
    assert document.blocks[1].text == "Tags <b>& entities</b> &amp;  control"
    assert document.blocks[3].text == "a|b: 1 2; c\\|d: <td>"
    assert words_outside(lay_out("x", blocks[1:2]))[1] == 0


def test_nothing_to_lay_out_is_one_empty_page() -> None:
    document = lay_out("Nothing", [])
    assert len(document.pages) == 1
    assert document.blocks == ()


def test_a_table_block_without_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="Markdown table"):
        lay_out("Broken", [Block(ElementKind.TABLE, "no table")])
