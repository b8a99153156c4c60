"""OpenDocument texts, spreadsheets and presentations, read from files that odfpy writes."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from odf import chart, dc, draw, presentation, style, table, text
from odf.opendocument import OpenDocumentChart, OpenDocumentPresentation, OpenDocumentSpreadsheet, OpenDocumentText

from desktop_rag.core.errors import NeedsPasswordError, ReadError
from desktop_rag.core.types import ReadDocument
from desktop_rag.ingest.readers import find_reader


def read(document: Any, path: Path) -> ReadDocument:
    document.save(str(path))
    return find_reader(path).read(path, None)


def shown(document: ReadDocument, page: int = 1) -> list[tuple[str, int, str]]:
    return [(block.kind.value, block.level, block.text) for block in document.blocks if block.page == page]


def paragraph(content: str, **attributes: Any) -> Any:
    return text.P(text=content, **attributes)


def row_of(*cells: Any, repeated: int = 1) -> Any:
    row = table.TableRow(numberrowsrepeated=repeated)
    for cell in cells:
        node = cell if not isinstance(cell, str) else table.TableCell(valuetype="string")
        if isinstance(cell, str) and cell:
            node.addElement(paragraph(cell))
        row.addElement(node)
    return row


def table_of(name: str, *rows: Any) -> Any:
    made = table.Table(name=name)
    for row in rows:
        made.addElement(row)
    return made


def cell_of(content: str, **attributes: Any) -> Any:
    cell = table.TableCell(**attributes)
    cell.addElement(paragraph(content))
    return cell


def test_texts_have_headings_lists_tables_and_notes_in_order(tmp_path: Path) -> None:
    document = OpenDocumentText()
    document.meta.addElement(dc.Title(text="House rules"))
    document.text.addElement(text.H(outlinelevel=1, text="Opening hours"))
    first = paragraph("The hall opens")
    first.addElement(text.S(c=2))
    first.addText("at nine.")
    note = text.Note(noteclass="footnote")
    note.addElement(text.NoteCitation(text="1"))
    body = text.NoteBody()
    body.addElement(paragraph("Not on Mondays."))
    note.addElement(body)
    first.addElement(note)
    document.text.addElement(first)
    items = text.List()
    for content in ("towels", "soap"):
        item = text.ListItem()
        item.addElement(paragraph(content))
        items.addElement(item)
    document.text.addElement(items)
    rows = (row_of("Day", "Hours"), row_of("Monday", "10 to 19"), row_of("Sunday", "13 to 17"))
    document.text.addElement(table_of("T", *rows))
    document.text.addElement(text.H(outlinelevel=2, text="Details"))
    result = read(document, tmp_path / "a.odt")
    assert result.title == "House rules"
    assert shown(result) == [
        ("text", 1, "Opening hours"),
        ("text", 0, "The hall opens at nine."),
        ("text", 0, "Footnote: Not on Mondays."),
        ("text", 0, "• towels"),
        ("text", 0, "• soap"),
        ("table", 0, "Day: Monday; Hours: 10 to 19\nDay: Sunday; Hours: 13 to 17"),
        ("text", 2, "Details"),
    ]


def test_sheets_keep_their_numbers_merged_cells_and_dates(tmp_path: Path) -> None:
    document = OpenDocumentSpreadsheet()
    rows = (
        row_of("Hall", "Since", "Fee"),
        row_of(
            cell_of("A", valuetype="string", numberrowsspanned=2),
            cell_of("03.02.01", valuetype="date", datevalue="2001-02-03"),
            cell_of("10,50 €", valuetype="float", value="10.5"),
        ),
        row_of(
            table.CoveredTableCell(), cell_of("06.05.04", valuetype="date", datevalue="2004-05-06T00:00:00"), "12 €"
        ),
        row_of(table.TableCell(numbercolumnsrepeated=16000), repeated=1_000_000),
    )
    document.spreadsheet.addElement(table_of("Fees", *rows))
    hidden = style.Style(name="ta2", family="table")
    hidden.addElement(style.TableProperties(display="false"))
    document.automaticstyles.addElement(hidden)
    secret = table.Table(name="Secret", stylename=hidden)
    secret.addElement(row_of("Kept"))
    document.spreadsheet.addElement(secret)
    result = read(document, tmp_path / "a.ods")
    assert shown(result) == [
        ("text", 1, "Fees"),
        ("table", 0, "Hall: A; Since: 2001-02-03; Fee: 10,50 €\nHall: A; Since: 2004-05-06; Fee: 12 €"),
    ]
    assert shown(result, 2)[0] == ("text", 1, "Secret (hidden sheet)")


def slide_of(document: Any, title: str, content: str, notes: str = "") -> None:
    layout = style.PageLayout(name=f"L{title}")
    layout.addElement(style.PageLayoutProperties(pagewidth="28cm", pageheight="15.75cm"))
    document.automaticstyles.addElement(layout)
    master = style.MasterPage(name=f"M{title}", pagelayoutname=layout)
    document.masterstyles.addElement(master)
    page = draw.Page(masterpagename=master)
    for kind, words in (("title", title), ("outline", content)):
        if words:
            frame = draw.Frame(width="20cm", height="2cm", x="1cm", y="1cm")
            frame.setAttrNS(presentation.Notes().qname[0], "class", kind)
            box = draw.TextBox()
            box.addElement(paragraph(words))
            frame.addElement(box)
            page.addElement(frame)
    if notes:
        holder = presentation.Notes()
        frame = draw.Frame(width="20cm", height="2cm", x="1cm", y="1cm")
        frame.setAttrNS(presentation.Notes().qname[0], "class", "notes")
        box = draw.TextBox()
        box.addElement(paragraph(notes))
        frame.addElement(box)
        holder.addElement(frame)
        page.addElement(holder)
    document.presentation.addElement(page)


def test_slides_keep_their_numbers_and_shape(tmp_path: Path) -> None:
    document = OpenDocumentPresentation()
    slide_of(document, "Opening", "Welcome to the hall", notes="Smile first.")
    slide_of(document, "", "Just words")
    result = read(document, tmp_path / "a.odp")
    assert shown(result) == [
        ("text", 1, "Opening"),
        ("text", 0, "Welcome to the hall"),
        ("text", 2, "Notes"),
        ("text", 0, "Smile first."),
    ]
    assert shown(result, 2) == [("text", 1, "Slide 2"), ("text", 0, "Just words")]
    assert [(page.number, page.width, page.height) for page in result.pages] == [(1, 720, 405), (2, 720, 405)]


def test_locked_and_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "a.odt"
    document = OpenDocumentText()
    document.text.addElement(paragraph("Words"))
    document.save(str(path))
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    with pytest.raises(ReadError, match=r"a\.odt is damaged"):
        find_reader(path).read(path, None)
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        package.writestr("META-INF/manifest.xml", "<m><manifest:encryption-data/></m>")
    with pytest.raises(
        NeedsPasswordError, match=r"a\.odt is locked with a password, and .* save a copy without a password"
    ):
        find_reader(path).read(path, None)


def test_charts_are_read_from_their_numbers(tmp_path: Path) -> None:
    drawn = OpenDocumentChart()
    made = chart.Chart(attributes={"class": "chart:bar"})
    title = chart.Title()
    title.addElement(paragraph("Rain by month"))
    made.addElement(title)
    made.addElement(chart.PlotArea())
    made.addElement(table_of("local-table", row_of("Month", "mm"), row_of("May", "61"), row_of("June", "72")))
    drawn.chart.addElement(made)
    document = OpenDocumentText()
    holder = paragraph("See the chart.")
    frame = draw.Frame(width="5cm", height="5cm")
    frame.addElement(draw.Object(href=document.addObject(drawn)))
    holder.addElement(frame)
    document.text.addElement(holder)
    assert shown(read(document, tmp_path / "a.odt")) == [
        ("text", 0, "See the chart."),
        ("figure", 0, "Bar chart: Rain by month\nMonth: May; mm: 61\nMonth: June; mm: 72"),
    ]
