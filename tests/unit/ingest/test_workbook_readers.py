"""Workbooks: sheet n is page n; tables, captions, forms, merged cells, values and charts come out as shown."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from pathlib import Path

import msoffcrypto.format.ooxml
import openpyxl
import pymupdf
import pytest
import xlsxwriter
import xlwt

from desktop_rag.core.errors import NeedsPasswordError, ReadError
from desktop_rag.core.types import ReadDocument
from desktop_rag.ingest.readers import find_reader
from desktop_rag.ingest.readers.number_format import shown_value


def read(path: Path, password: str | None = None) -> ReadDocument:
    return find_reader(path).read(path, password)


def shown(document: ReadDocument, page: int = 1) -> list[tuple[str, int, str]]:
    return [(block.kind.value, block.level, block.text) for block in document.blocks if block.page == page]


def sheet_of(path: Path, *rows: tuple[object, ...]) -> ReadDocument:
    book = openpyxl.Workbook()
    book.active.title = "Plan"
    for row in rows:
        book.active.append(row)
    book.save(path)
    return read(path)


def test_sheets_are_pages_and_hidden_ones_say_so(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.properties.title = "Fees 2024"
    book.active.title = "Halls"
    book.active.append(("Hall", "Fee"))
    book.active.append(("A", 10))
    book.create_sheet("Empty")
    book.create_sheet("Old fees").append(("was", 7))
    book["Old fees"].sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    document = read(tmp_path / "a.xlsx")
    assert document.title == "Fees 2024"
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert shown(document, 1) == [("text", 1, "Halls"), ("table", 0, "Hall: A; Fee: 10")]
    assert shown(document, 2) == []
    assert shown(document, 3) == [("text", 1, "Old fees (hidden sheet)"), ("table", 0, "was; 7")]


def test_values_are_shown_as_their_cells_show_them(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Values")
        sheet.write_row(0, 0, ("What", "Value"))
        money, share = book.add_format({"num_format": "$#,##0.00"}), book.add_format({"num_format": "0.0%"})
        day, moment = book.add_format({"num_format": "dd/mm/yy"}), book.add_format({"num_format": "d mmm yyyy hh:mm"})
        sheet.write_row(1, 0, ("fee", 1234.5), money)
        sheet.write_row(2, 0, ("share", 0.075), share)
        sheet.write(3, 0, "day")
        sheet.write_datetime(3, 1, dt.date(2024, 3, 9), day)
        sheet.write(4, 0, "moment")
        sheet.write_datetime(4, 1, dt.datetime.fromisoformat("2024-03-09T17:30"), moment)
        sheet.write(5, 0, "sum")
        sheet.write_formula(5, 1, "=B2*2", None, 2469)
        sheet.write(6, 0, "true")
        sheet.write_boolean(6, 1, True)
    assert shown(read(path))[1][2].split("\n") == [
        "What: fee; Value: $1,234.50",
        "What: share; Value: 7.5%",
        "What: day; Value: 2024-03-09",
        "What: moment; Value: 2024-03-09 17:30",
        "What: sum; Value: 2469",
        "What: true; Value: TRUE",
    ]


def test_formulas_that_were_never_calculated_are_shown_themselves(tmp_path: Path) -> None:
    document = sheet_of(tmp_path / "a.xlsx", ("Item", "Amount"), ("Chairs", 3), ("All", "=SUM(B2:B2)"))
    assert shown(document)[1][2].split("\n") == ["Item: Chairs; Amount: 3", "Item: All; Amount: =SUM(B2:B2)"]


def test_captions_forms_and_several_tables(tmp_path: Path) -> None:
    document = sheet_of(
        tmp_path / "a.xlsx",
        ("Data sheet of the pump",),
        (),
        ("Part no.:", "Rev.:"),
        (4711, "B"),
        (),
        ("Electrical",),
        (1, "Voltage", "V", 230),
        (2, "Current", "A", 16),
        ("Mechanical",),
        (3, "Mass", "kg", 12),
        (),
        ("Loose remark, which ends in a full stop.",),
        ("Another one.",),
    )
    assert shown(document)[1:] == [
        ("text", 2, "Data sheet of the pump"),
        ("table", 0, "Part no.: 4711; Rev.: B"),
        ("text", 3, "Electrical"),
        ("table", 0, "1; Voltage; V; 230\n2; Current; A; 16"),
        ("text", 3, "Mechanical"),
        ("table", 0, "3; Mass; kg; 12"),
        ("text", 0, "Loose remark, which ends in a full stop."),
        ("text", 0, "Another one."),
    ]


def test_a_table_goes_on_below_a_blank_row(tmp_path: Path) -> None:
    document = sheet_of(tmp_path / "a.xlsx", ("Town", "People"), ("Aa", 1200), ("Bb", 30), (), ("Cc", 4))
    assert shown(document)[1:] == [("table", 0, "Town: Aa; People: 1200\nTown: Bb; People: 30\nTown: Cc; People: 4")]


def test_merged_cells_are_filled(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ("Visitors by year",),
        ("Region", 2023, None, 2024, None),
        (None, "men", "women", "men", "women"),
        ("North", 1, 2, 3, 4),
        (None, 5, 6, 7, 8),
    ):
        sheet.append(row)
    for area in ("A1:E1", "A2:A3", "B2:C2", "D2:E2", "A4:A5"):
        sheet.merge_cells(area)
    book.save(tmp_path / "a.xlsx")
    assert shown(read(tmp_path / "a.xlsx"))[1:] == [
        ("text", 3, "Visitors by year"),
        (
            "table",
            0,
            "Region: North; 2023 men: 1; 2023 women: 2; 2024 men: 3; 2024 women: 4\n"
            "Region: North; 2023 men: 5; 2023 women: 6; 2024 men: 7; 2024 women: 8",
        ),
    ]


def test_charts_notes_and_text_boxes(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Rain")
        for row in enumerate((("Month", "mm"), ("May", 61), ("June", 72))):
            sheet.write_row(row[0], 0, row[1])
        chart = book.add_chart({"type": "line"})
        chart.add_series({"name": "Rain", "categories": "=Rain!$A$2:$A$3", "values": "=Rain!$B$2:$B$3"})
        chart.set_title({"name": "Rain by month"})
        sheet.insert_chart("D2", chart)
        sheet.insert_textbox("D20", "Measured on the roof")
        sheet.write_comment("B3", "The gauge leaked.")
    blocks = shown(read(path))
    assert ("figure", 0, "Line chart: Rain by month\nMay; Rain: 61\nJune; Rain: 72") in blocks
    assert ("text", 0, "Measured on the roof") in blocks
    assert any(text.startswith("Note on B3:") and text.endswith("The gauge leaked.") for _, _, text in blocks)


def test_a_long_sheet_is_one_tall_page_and_keeps_every_row(tmp_path: Path) -> None:
    rows = [(f"R{number}", number, f"Town {number % 7}") for number in range(2000)]
    document = sheet_of(tmp_path / "a.xlsx", ("Id", "Count", "Town"), *rows)
    lines = [line for block in document.blocks if block.kind.value == "table" for line in block.text.split("\n")]
    assert lines == [f"Id: {one}; Count: {two}; Town: {three}" for one, two, three in rows]
    assert len(document.pages) == 1
    last = document.blocks[-1].spans[-1].bbox
    with pymupdf.open("pdf", document.print_view) as pdf:
        assert "R1999" in pdf[0].get_text(clip=(last.x0, last.y0 + 3, last.x1, last.y1 - 3))


def test_a_cell_far_away_costs_nothing(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "near"
    book.active["XFD1048576"] = "far"
    book.save(tmp_path / "a.xlsx")
    assert [text for _, _, text in shown(read(tmp_path / "a.xlsx"))[1:]] == ["near", "far"]


def test_locked_and_damaged_workbooks(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    sheet_of(path, ("Hall", "Fee"), ("A", 10))
    (tmp_path / "b.xlsx").write_bytes(path.read_bytes()[:3000])
    with pytest.raises(ReadError, match=r"b\.xlsx is damaged: no Excel workbook"):
        read(tmp_path / "b.xlsx")
    target = io.BytesIO()
    msoffcrypto.format.ooxml.OOXMLFile(io.BytesIO(path.read_bytes())).encrypt("key", target)
    path.write_bytes(target.getvalue())
    with pytest.raises(NeedsPasswordError, match=r"a\.xlsx is locked"):
        read(path)
    assert shown(read(path, "key"))[1:] == [("table", 0, "Hall: A; Fee: 10")]


def test_a_workbook_that_only_keeps_others_from_changing_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    sheet_of(path, ("Hall", "Fee"), ("A", 10))
    target = io.BytesIO()
    msoffcrypto.format.ooxml.OOXMLFile(io.BytesIO(path.read_bytes())).encrypt("VelvetSweatshop", target)
    path.write_bytes(target.getvalue())
    assert shown(read(path))[1:] == [("table", 0, "Hall: A; Fee: 10")]


def test_old_workbooks(tmp_path: Path) -> None:
    path = tmp_path / "old.xls"
    book = xlwt.Workbook()
    sheet = book.add_sheet("Fees")
    sheet.write_merge(0, 0, 0, 2, "Fees of the halls")
    for column, name in enumerate(("Hall", "Since", "Fee")):
        sheet.write(1, column, name)
    sheet.write_merge(2, 3, 0, 0, "A")
    for row, (day, fee) in enumerate(((dt.date(2001, 2, 3), 10.5), (dt.date(2004, 5, 6), 12)), start=2):
        sheet.write(row, 1, day, xlwt.easyxf(num_format_str="D-MMM-YY"))
        sheet.write(row, 2, fee, xlwt.easyxf(num_format_str="0.00"))
    book.add_sheet("Secret").write(0, 0, "Kept")
    book.get_sheet(1).visibility = 1
    book.save(str(path))
    document = read(path)
    assert shown(document)[1:] == [
        ("text", 3, "Fees of the halls"),
        ("table", 0, "Hall: A; Since: 2001-02-03; Fee: 10.50\nHall: A; Since: 2004-05-06; Fee: 12.00"),
    ]
    assert shown(document, 2)[0] == ("text", 1, "Secret (hidden sheet)")
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ReadError, match=r"old\.xls is damaged"):
        read(path)


def test_an_old_workbook_with_the_new_name_is_read(tmp_path: Path) -> None:
    book = xlwt.Workbook()
    book.add_sheet("One").write(0, 0, "Kept")
    book.save(str(tmp_path / "a.xlsx"))
    assert find_reader(tmp_path / "a.xlsx").name == "workbook-old"
    with zipfile.ZipFile(tmp_path / "b.xls", "w") as package:
        package.writestr("xl/workbook.xml", "<workbook/>")
    assert find_reader(tmp_path / "b.xls").name == "workbook"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (dt.time(9, 5), "09:05"),
        (dt.timedelta(hours=30, minutes=5, seconds=7), "30:05:07"),
        (dt.date(2020, 1, 2), "2020-01-02"),
        (float("inf"), "inf"),
        (" text ", "text"),
    ],
)
def test_other_values(value: object, text: str) -> None:
    assert shown_value(value) == text
