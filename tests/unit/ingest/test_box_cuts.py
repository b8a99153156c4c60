"""The box of a part of a line against where the words really stand."""

from pathlib import Path

import pymupdf
import pytest

from desktop_rag.core.types import BBox
from desktop_rag.ingest.box_cuts import part_of_line

LINE = "The library opened in 1987. Its millionth visitor, Willemijn, came in May 2011."


@pytest.mark.parametrize("font", ["helv", "tiro", "cour"])
def test_a_sentence_in_the_middle_of_a_line_is_cut_where_its_words_stand(tmp_path: Path, font: str) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((40, 100), LINE, fontname=font, fontsize=9)
        words = page.get_text("words")
    line = BBox(words[0][0], words[0][1], words[-1][2], words[0][3])
    start = LINE.index("Its")

    first, second = part_of_line(line, LINE, 0, start - 1), part_of_line(line, LINE, start, len(LINE))

    its = next(word for word in words if word[4] == "Its")
    assert second.x0 == pytest.approx(its[0], abs=9)
    assert first.x1 < second.x0 + 9
    assert (first.x0, second.x1) == (line.x0, line.x1)


def test_the_whole_line_keeps_its_box() -> None:
    box = BBox(1, 2, 30, 12)

    assert part_of_line(box, "abc", 0, 3) == box


def test_a_line_written_from_the_right_is_cut_from_the_right() -> None:
    text = "שלום עולם"

    part = part_of_line(BBox(0, 0, 90, 10), text, 0, 4)

    assert part.x1 == 90
    assert part.x0 > 40


def test_a_column_of_characters_is_cut_from_the_top() -> None:
    part = part_of_line(BBox(0, 0, 10, 100), "縦書きの文章", 0, 3)

    assert (part.x0, part.x1, part.y0) == (0, 10, 0)
    assert part.y1 == pytest.approx(51)
