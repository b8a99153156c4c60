"""Tables of PDF files, drawn here with MuPDF: which are found, with which cells, and what is not taken for one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from desktop_rag.core.errors import NeedsPasswordError, ReadError
from desktop_rag.core.tables import TableData
from desktop_rag.core.types import BBox, ElementKind, ReadDocument
from desktop_rag.ingest.chunks import chunk, estimate_tokens
from desktop_rag.ingest.grids import parse_markdown
from desktop_rag.ingest.tables import FoundTable, find_tables, table_blocks, table_data

Draw = Callable[[Any], None]
PROSE = (
    "The northern depot keeps spare cartridges for every pump on the lower shelf of the second room. Nobody may take "
    "more than five of them without a signature, and the list is checked on the last working day of each month. "
)
PUMPS = [
    ["Pump", "Depot", "Pressure", "Price"],
    ["Harbour", "North", "4.2", "1,250"],
    ["Meadow", "South", "3.8", "980"],
    ["Quarry", "West", "6.1", "2,400"],
    ["Orchard", "East", "2.9", "760"],
]


def make(path: Path, *pages: Draw, size: tuple[float, float] = (595, 842), **options: Any) -> Path:
    document = pymupdf.open()
    for draw in pages:
        draw(document.new_page(width=size[0], height=size[1]))
    document.save(path, **options)
    document.close()
    return path


def put(page: Any, rows: Sequence[Sequence[str]], lefts: Sequence[float], top: float, step: float = 16) -> None:
    """Write cells at left edges, or so that they end there: a negative edge is a right one."""
    for index, row in enumerate(rows):
        for text, left in zip(row, lefts, strict=True):
            x = left if left >= 0 else -left - pymupdf.get_text_length(text, fontsize=10)
            page.insert_text((x, top + index * step), text, fontsize=10)


def ruled(page: Any, rows: Sequence[Sequence[str]], xs: Sequence[float], top: float, step: float = 18) -> None:
    for index in range(len(rows) + 1):
        page.draw_line((xs[0], top + index * step), (xs[-1], top + index * step))
    for x in xs:
        page.draw_line((x, top), (x, top + len(rows) * step))
    put(page, rows, [x + 4 for x in xs[:-1]], top + 13, step)


def only(path: Path, **options: Any) -> FoundTable:
    found = find_tables(path, **options)
    assert len(found) == 1
    return found[0]


def cells(table: FoundTable) -> list[list[str]]:
    return [list(row) for row in table.rows]


def words_in(path: Path, page: int, box: BBox) -> str:
    with pymupdf.open(path) as document:
        shown = document[page - 1]
        clip = pymupdf.Rect(box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1) * shown.derotation_matrix
        return " ".join(shown.get_text(clip=clip).split())


def test_a_ruled_table_has_its_cells_caption_and_unit(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 60, 535, 120), PROSE, fontsize=9)
        page.insert_text((60, 150), "Table 3. Pumps of the depots (prices in euros)", fontsize=10)
        ruled(page, PUMPS, [60, 160, 260, 360, 460], 160)

    table = only(make(tmp_path / "a.pdf", draw))
    assert cells(table) == PUMPS
    assert table.header_rows == 1
    assert table.caption == "Table 3. Pumps of the depots (prices in euros)"
    assert table.unit == "prices in euros"
    assert table.bbox.as_list() == [60.0, 160.0, 460.0, 250.0]


def test_every_cell_and_row_has_its_place(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", lambda page: ruled(page, PUMPS, [60, 160, 260, 360, 460], 160))
    table = only(path)
    for row, place in zip(table.rows, table.places, strict=True):
        assert words_in(path, place.page, place.bbox) == " ".join(row)
        assert [words_in(path, place.page, box) for box in place.cells if box] == list(row)


def test_a_table_without_rulings_is_found_by_its_columns(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 60, 535, 120), PROSE, fontsize=9)
        put(page, PUMPS, [60, 180, -330, -450], 160)
        page.insert_textbox(pymupdf.Rect(60, 260, 535, 320), PROSE, fontsize=9)

    table = only(make(tmp_path / "a.pdf", draw))
    assert cells(table) == PUMPS
    assert table.header_rows == 1


def test_merged_cells_are_filled_and_a_title_inside_is_the_caption(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for y in (100, 120, 140, 160, 180, 200):
            page.draw_line((60 if y != 180 else 160, y), (460, y))
        for x in (60, 460):
            page.draw_line((x, 100), (x, 200))
        page.draw_line((160, 120), (160, 200))
        for x in (260, 360):
            page.draw_line((x, 120 if x == 260 else 140), (x, 200))
        page.insert_text((190, 114), "Table 7: Loads by season", fontsize=10)
        put(page, [["Depot", "Spring", "Summer"]], [64, 164, 300], 134)
        put(page, [["", "kilograms", "tons", "hours"]], [64, 164, 264, 364], 154)
        put(page, [["North", "120", "4.1", "36"], ["", "135", "5.0", "41"]], [64, 164, 264, 364], 174, 20)

    table = only(make(tmp_path / "a.pdf", draw))
    assert table.caption == "Table 7: Loads by season"
    assert cells(table) == [
        ["Depot", "Spring", "Summer", "Summer"],
        ["", "kilograms", "tons", "hours"],
        ["North", "120", "4.1", "36"],
        ["North", "135", "5.0", "41"],
    ]
    assert table.header == ("Depot", "Spring kilograms", "Summer tons", "Summer hours")


def test_names_over_several_columns_and_wrapped_names(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.draw_line((60, 98), (480, 98))
        put(page, [["Weight shipped", "Price paid"]], [190, 350], 110)
        page.draw_line((180, 114), (290, 114))
        page.draw_line((340, 114), (450, 114))
        put(page, [["Year", "by rail", "by ship", "by rail", "by ship"]], [60, 180, 250, 340, 410], 127)
        page.draw_line((60, 132), (480, 132))
        body = [["Harbour", "12.5", "13.0", "40.1", "38.9"], ["Meadow", "9.7", "10.2", "35.0", "33.3"]]
        put(page, [*body, ["Quarry", "22.1", "20.8", "51.7", "50.2"]], [60, -210, -280, -370, -440], 146)
        page.draw_line((60, 184), (480, 184))

    table = only(make(tmp_path / "a.pdf", draw))
    assert table.header == (
        "Year",
        "Weight shipped by rail",
        "Weight shipped by ship",
        "Price paid by rail",
        "Price paid by ship",
    )
    assert cells(table)[2:] == [
        ["Harbour", "12.5", "13.0", "40.1", "38.9"],
        ["Meadow", "9.7", "10.2", "35.0", "33.3"],
        ["Quarry", "22.1", "20.8", "51.7", "50.2"],
    ]


def test_currency_signs_leaders_and_brackets_stay_with_their_numbers(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 80), "(In millions of dollars)", fontsize=10)
        put(page, [["", "2023", "2024"]], [60, -330, -440], 100)
        rows = [["Gross cost", "7,772.2", "7,661.7"], ["Less: revenue", "652.9", "539.5"]]
        rows += [["Net cost", "(7,119.3)", "(7,122.2)"], ["Share", "4.2%", "4.4%"]]
        put(page, rows, [60, -330, -440], 116)
        for y in (116, 148):
            page.insert_text((280, y), "$", fontsize=10)
            page.insert_text((390, y), "$", fontsize=10)
        for row, y in zip(rows, (116, 132, 148, 164), strict=True):
            start = 62 + pymupdf.get_text_length(row[0], fontsize=10)
            page.insert_text((start, y), "." * int((260 - start) / 2.8), fontsize=10)

    table = only(make(tmp_path / "a.pdf", draw))
    assert cells(table) == [
        ["", "2023", "2024"],
        ["Gross cost", "$7,772.2", "$7,661.7"],
        ["Less: revenue", "652.9", "539.5"],
        ["Net cost", "$(7,119.3)", "$(7,122.2)"],
        ["Share", "4.2%", "4.4%"],
    ]
    assert table.unit == "In millions of dollars"
    assert table.header_rows == 1


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_places_on_turned_pages_are_those_of_the_page_as_shown(tmp_path: Path, rotation: int) -> None:
    def draw(page: Any) -> None:
        ruled(page, PUMPS, [60, 160, 260, 360, 460], 160)
        page.set_cropbox(pymupdf.Rect(20, 30, 575, 800))
        page.set_rotation(rotation)

    path = make(tmp_path / "a.pdf", draw)
    table = only(path)
    assert cells(table) == PUMPS
    assert words_in(path, 1, table.places[3].bbox) == " ".join(PUMPS[3])


def test_a_table_that_runs_up_the_page(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for index, row in enumerate(PUMPS):
            for text, y in zip(row, (700, 560, 420, 280), strict=True):
                page.insert_text((150 + index * 16, y), text, fontsize=10, rotate=90)

    path = make(tmp_path / "a.pdf", draw)
    table = only(path)
    assert cells(table) == PUMPS
    assert table.bbox.x1 - table.bbox.x0 < 100 < table.bbox.y1 - table.bbox.y0


def test_a_table_goes_on_over_pages_with_its_header_repeated_or_not(tmp_path: Path) -> None:
    header, columns = PUMPS[0], [60, 180, -330, -450]
    body = [[f"Pump {n}", "North", f"{n}.5", f"{n * 10}"] for n in range(1, 100)]

    def page_of(rows: Sequence[Sequence[str]], caption: str) -> Draw:
        def draw(page: Any) -> None:
            page.insert_text((60, 60), caption, fontsize=10)
            put(page, rows, columns, 84)

        return draw

    pages = [
        page_of([header, *body[:40]], "Table 1. Pumps"),
        page_of([header, *body[40:80]], "Table 1. Pumps (continued)"),
        page_of(body[80:], ""),
    ]
    table = only(make(tmp_path / "a.pdf", *pages))
    assert cells(table) == [header, *body]
    assert table.pages == (1, 2, 3)
    assert [place.page for place in table.places].count(2) == 40
    assert [block.page for block in table_blocks(table, 10_000)] == [1, 2, 3]


def test_two_tables_of_one_form_are_not_joined(tmp_path: Path) -> None:
    def page_of(number: int) -> Draw:
        def draw(page: Any) -> None:
            page.insert_text((60, 60), f"Table {number}. Pumps of depot {number}", fontsize=10)
            put(page, PUMPS, [60, 180, -330, -450], 84)

        return draw

    found = find_tables(make(tmp_path / "a.pdf", page_of(1), page_of(2)))
    assert [table.caption for table in found] == ["Table 1. Pumps of depot 1", "Table 2. Pumps of depot 2"]


def test_labels_on_two_lines_and_headings_of_sections(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        put(page, [["Item", "2021", "2022"]], [60, -330, -430], 100)
        page.draw_line((60, 104), (430, 104))
        put(page, [["Machines:", "", ""], ["Pumps", "12.1", "13.4"]], [60, -330, -430], 118, 14)
        put(
            page,
            [["Hoses, couplings and all the", "", ""], ["other small parts", "3.9", "4.4"]],
            [60, -330, -430],
            146,
            14,
        )
        put(page, [["Buildings:", "", ""], ["Depots", "88.0", "90.5"]], [60, -330, -430], 174, 14)

    assert cells(only(make(tmp_path / "a.pdf", draw))) == [
        ["Item", "2021", "2022"],
        ["Machines:", "", ""],
        ["Pumps", "12.1", "13.4"],
        ["Hoses, couplings and all the other small parts", "3.9", "4.4"],
        ["Buildings:", "", ""],
        ["Depots", "88.0", "90.5"],
    ]


def two_columns(page: Any) -> None:
    for left in (60, 310):
        page.insert_textbox(pymupdf.Rect(left, 60, left + 225, 760), PROSE * 4, fontsize=9)


def three_columns(page: Any) -> None:
    page.draw_line((50, 50), (545, 50))
    for left in (50, 220, 390):
        page.insert_textbox(pymupdf.Rect(left, 60, left + 155, 760), PROSE * 4, fontsize=9)


def contents(page: Any) -> None:
    names = ["Introduction", "The depots and their keys", "Pumps in winter", "Loads", "Prices of spare parts", "Index"]
    for index, name in enumerate(names):
        start = 64 + pymupdf.get_text_length(name, fontsize=10)
        page.insert_text((60, 100 + 16 * index), name, fontsize=10)
        page.insert_text((start, 100 + 16 * index), "." * int((480 - start) / 2.8), fontsize=10)
        page.insert_text((500, 100 + 16 * index), str(3 + 7 * index), fontsize=10)


def bullets(page: Any) -> None:
    for index in range(6):
        page.insert_text((60, 100 + 16 * index), "•", fontsize=10)
        page.insert_text((90, 100 + 16 * index), f"Check the seal of pump number {index} before winter.", fontsize=10)


def boxed_text(page: Any) -> None:
    page.draw_rect(pymupdf.Rect(50, 50, 545, 200))
    page.insert_textbox(pymupdf.Rect(60, 60, 535, 190), PROSE * 2, fontsize=9)


def chart(page: Any) -> None:
    page.draw_line((100, 100), (100, 300))
    page.draw_line((100, 300), (400, 300))
    for index in range(6):
        page.insert_text((70, 300 - 36 * index), str(10 * index), fontsize=8)
        page.insert_text((410, 300 - 36 * index), f"0.{index}", fontsize=8)
        page.insert_text((110 + 50 * index, 315), str(2010 + index), fontsize=8)


@pytest.mark.parametrize("draw", [two_columns, three_columns, contents, bullets, boxed_text, chart])
def test_what_is_no_table_is_not_taken_for_one(tmp_path: Path, draw: Draw) -> None:
    assert find_tables(make(tmp_path / "a.pdf", draw)) == ()


def test_hidden_cells_are_left_out(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        put(page, PUMPS, [60, 180, -330, -450], 160)
        page.insert_text((62, 240), "Secret", fontsize=10, color=(1, 1, 1))
        page.insert_text((470, 176), "99", fontsize=10, render_mode=3)

    assert cells(only(make(tmp_path / "a.pdf", draw))) == PUMPS


def test_locked_files_need_their_password(tmp_path: Path) -> None:
    options = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": "open", "owner_pw": "own"}
    path = make(tmp_path / "a.pdf", lambda page: put(page, PUMPS, [60, 180, -330, -450], 160), **options)
    with pytest.raises(NeedsPasswordError, match=r"a\.pdf"):
        find_tables(path)
    assert cells(only(path, password="open")) == PUMPS


def test_damaged_files_give_the_tables_of_sound_ones(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = make(tmp_path / "a.pdf", lambda page: ruled(page, PUMPS, [60, 160, 260, 360, 460], 160))
    sound = only(path)
    raw = path.read_bytes()
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(raw[: raw.rindex(b"startxref")] + b"startxref\n99\n%%EOF")
    assert only(broken) == sound
    nothing = tmp_path / "nothing.pdf"
    nothing.write_bytes(b"no PDF at all")
    with pytest.raises(ReadError, match=r"nothing\.pdf"):
        find_tables(nothing)
    assert capfd.readouterr() == ("", "")


def test_only_the_pages_that_are_asked_for(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        put(page, PUMPS, [60, 180, -330, -450], 160)
        page.insert_textbox(pymupdf.Rect(60, 300, 535, 800), PROSE * 8, fontsize=9)

    path = make(tmp_path / "a.pdf", draw, draw, draw)
    assert [table.page for table in find_tables(path, pages=(2, 3))] == [2, 3]


def test_blocks_say_rows_with_their_headers_and_keep_their_places(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 150), "Table 3. Pumps (prices in euros)", fontsize=10)
        ruled(page, PUMPS, [60, 160, 260, 360, 460], 160)

    path = make(tmp_path / "a.pdf", draw)
    (block,) = table_blocks(only(path))
    assert (block.kind, block.page) == (ElementKind.TABLE, 1)
    assert block.text.splitlines()[:2] == [
        "Table 3. Pumps (prices in euros)",
        "Pump: Harbour; Depot: North; Pressure: 4.2; Price: 1,250",
    ]
    said = [block.text[span.start : span.end] for span in block.spans]
    assert said[:5] == [
        "Table 3. Pumps (prices in euros)",
        "Pump: Harbour",
        "Depot: North",
        "Pressure: 4.2",
        "Price: 1,250",
    ]
    assert [words_in(path, 1, span.bbox) for span in block.spans[5:9]] == PUMPS[2]
    grid = parse_markdown(block.markdown.split("\n\n", 1)[1])
    assert [list(grid.header), *map(list, grid.rows)] == PUMPS


def test_a_long_table_makes_elements_that_each_have_caption_and_header(tmp_path: Path) -> None:
    body = [[f"Pump {n}", "North", f"{n}.5", f"{n * 10}"] for n in range(1, 41)]

    def draw(page: Any) -> None:
        page.insert_text((60, 60), "Table 1. Pumps and their prices", fontsize=10)
        put(page, [PUMPS[0], *body], [60, 180, -330, -450], 84)

    table = only(make(tmp_path / "a.pdf", draw))
    elements = chunk("d", ReadDocument("Depots", (), table_blocks(table, 150)), 150)
    assert len(elements) > 3
    rows = []
    for element in elements:
        assert element.text.startswith("Table 1. Pumps and their prices\nPump: Pump ")
        assert estimate_tokens(element.text) <= 150
        grid = parse_markdown(element.markdown.split("\n\n", 1)[1])
        assert list(grid.header) == PUMPS[0]
        rows += [list(row) for row in grid.rows]
    assert rows == body


def test_the_whole_table_for_other_programs(tmp_path: Path) -> None:
    table = only(make(tmp_path / "a.pdf", lambda page: ruled(page, PUMPS, [60, 160, 260, 360, 460], 160)))
    told = table_data(table, "1.0")
    assert [list(row) for row in told.rows] == PUMPS
    assert (told.pages, told.header_rows, told.header) == ((1,), 1, tuple(PUMPS[0]))
    assert TableData.from_json("1.0", json.loads(json.dumps(told.as_json()))) == told
