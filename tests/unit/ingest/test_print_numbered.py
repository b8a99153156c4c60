"""Slides and sheets keep their numbers as pages, however much stands on them."""

from __future__ import annotations

import pymupdf
import pytest

from desktop_rag.core.types import Block, ElementKind
from desktop_rag.ingest.grids import Grid
from desktop_rag.ingest.print_numbered import Frame
from desktop_rag.ingest.print_view import lay_out_numbered

SLIDE = Frame(720.0, 405.0)


def text(content: str, page: int, level: int = 0) -> Block:
    return Block(ElementKind.TEXT, content, page, level=level)


def test_blocks_stand_on_the_page_that_they_name() -> None:
    blocks = [text("Third", 3, level=1), text("First", 1, level=1), text("Below the third.", 3)]
    document = lay_out_numbered("Slides", blocks, [SLIDE] * 4)
    assert [(block.text, block.page) for block in document.blocks] == [
        ("First", 1),
        ("Third", 3),
        ("Below the third.", 3),
    ]
    assert [(page.number, page.width, page.height) for page in document.pages] == [(n, 720, 405) for n in (1, 2, 3, 4)]
    with pymupdf.open("pdf", document.print_view) as pdf:
        assert [page.rect.height for page in pdf] == [405] * 4
        for block in document.blocks:
            box = block.spans[0].bbox
            assert pdf[block.page - 1].get_text(clip=(box.x0, box.y0, box.x1, box.y1)).strip() == block.text


def test_a_page_grows_with_what_stands_on_it() -> None:
    rows = [(f"R{n}", f"{n * 3}", "x" * 40, "y" * 40, "z" * 40, "w" * 40) for n in range(500)]
    table = Grid.of([("Id", "Amount", "a", "b", "c", "d"), *rows]).block()
    table = Block(table.kind, table.text, 1, markdown=table.markdown)
    document = lay_out_numbered("Book", [text("Sheet", 1, level=1), table, text("Second", 2)], [SLIDE, SLIDE])
    assert [page.number for page in document.pages] == [1, 2]
    assert document.pages[0].height > 5000
    assert document.pages[1].height == 405
    lines = [line for block in document.blocks if block.kind is ElementKind.TABLE for line in block.text.split("\n")]
    assert [line.split(";")[0] for line in lines] == [f"Id: R{n}" for n in range(500)]
    with pymupdf.open("pdf", document.print_view) as pdf:
        for block in document.blocks[1:-1:9]:
            assert block.markdown.startswith("| Id | Amount |")
            for span in block.spans:
                box = span.bbox
                shown = pdf[0].get_text(clip=(box.x0, box.y0 + 3, box.x1, box.y1 - 3)).split()
                assert block.text[span.start :].split(";")[0].removeprefix("Id: ") in shown
        assert max(word[2] for word in pdf[0].get_text("words")) < document.pages[0].width


def test_text_between_tables_keeps_its_place() -> None:
    table = Grid.of([("Id", "Amount"), ("A", "1")]).block()
    placed = Block(table.kind, table.text, 1, markdown=table.markdown)
    document = lay_out_numbered("Book", [text("Above", 1), placed, text("Below", 1), placed], [SLIDE])
    tops = [block.spans[0].bbox.y0 for block in document.blocks]
    assert tops == sorted(tops)
    assert [block.text for block in document.blocks] == ["Above", "Id: A; Amount: 1", "Below", "Id: A; Amount: 1"]


def test_a_block_must_name_a_page() -> None:
    with pytest.raises(ValueError, match="page 2 of 1"):
        lay_out_numbered("Slides", [text("Nowhere", 2)], [SLIDE])
