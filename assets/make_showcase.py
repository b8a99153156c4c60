"""Make documents for the pictures in docs/screenshots: ``python assets/make_showcase.py FOLDER``.

A Word file, a slide show and a workbook with a sheet of 900 rows, all of the invented library of the samples. They do
not come with the program.
"""

from __future__ import annotations

import sys
from pathlib import Path

import docx
from openpyxl import Workbook
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

ROWS = 900
OBJECTS = (
    "cordless drill",
    "sewing machine",
    "carpet cleaner",
    "telescope",
    "projector",
    "pasta maker",
    "label printer",
)


def write_all(folder: Path) -> None:
    """Write the documents into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    _agreement(folder / "loan-agreement.docx")
    _slides(folder / "plans-2025.pptx")
    _loans(folder / "loans-of-things.xlsx")


def _agreement(path: Path) -> None:
    document = docx.Document()
    document.core_properties.title = "Loan agreement for the Library of Things"
    document.add_heading("Loan agreement for the Library of Things", 1)
    document.add_paragraph(
        "Members borrow household objects free of charge for two weeks. A loan is renewed once if nobody else waits "
        "for the object."
    )
    document.add_heading("Care and damage", 2)
    document.add_paragraph(
        "Borrowers return an object clean and complete. Whoever loses a part pays for it, up to 40 euros; wear from "
        "proper use is borne by the library."
    )
    table = document.add_table(rows=1, cols=3, style="Light Grid Accent 1")
    for cell, text in zip(table.rows[0].cells, ("Object", "Deposit in euros", "Days"), strict=True):
        cell.text = text
    for row in (("Cordless drill", "30", "14"), ("Sewing machine", "50", "21"), ("Telescope", "120", "7")):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_heading("Late returns", 2)
    document.add_paragraph("A reminder is sent after three days. From the tenth day on, one euro a day is charged.")
    document.save(str(path))


def _slides(path: Path) -> None:
    show = Presentation()
    show.slide_width, show.slide_height = Inches(13.333), Inches(7.5)
    first = show.slides.add_slide(show.slide_layouts[0])
    first.shapes.title.text = "Plans for 2025"
    first.placeholders[1].text = "Lindenbrook Public Library"
    second = show.slides.add_slide(show.slide_layouts[1])
    second.shapes.title.text = "A book bus for the villages"
    second.placeholders[1].text = (
        "The bus stops in six villages, each every second week\n"
        "It carries 2,400 books and a reading corner for children\n"
        "The county pays 62,000 euros of the 95,000 that it costs"
    )
    third = show.slides.add_slide(show.slide_layouts[5])
    third.shapes.title.text = "Power from the roof"
    data = CategoryChartData()
    data.categories = ["Spring", "Summer", "Autumn", "Winter"]
    data.add_series("Expected megawatt hours", (14.2, 19.8, 9.1, 3.4))
    chart = third.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1.5), Inches(1.8), Inches(10), Inches(5), data
    ).chart
    chart.font.size = Pt(16)
    show.core_properties.title = "Plans for 2025"
    show.save(str(path))


def _loans(path: Path) -> None:
    book = Workbook()
    sheet = book.active
    sheet.title = "Loans"
    sheet.append(["Loan", "Object", "Out", "Back", "Condition"])
    for n in range(1, ROWS + 1):
        condition = "lens cap missing" if n == 741 else "good"
        object_ = "telescope" if n == 741 else OBJECTS[n * 5 % len(OBJECTS)]
        sheet.append(
            [f"T-{n:04}", object_, f"2024-{n % 12 + 1:02}-{n % 13 + 1:02}", f"2024-{n % 12 + 1:02}-27", condition]
        )
    book.properties.title = "Loans of things"
    book.save(path)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
