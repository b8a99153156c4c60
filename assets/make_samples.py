"""Make the sample documents: ``python assets/make_samples.py`` writes the same files each time.

Everything in them is invented and dedicated to the public domain (CC0); see assets/samples-licence.txt.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
from PIL import Image, ImageFilter

SAMPLES = Path(__file__).parent / "samples"
DATE = "D:20250117090000Z"
WIDTH, HEIGHT = 595.0, 842.0
LEFT, RIGHT = 62.0, 533.0
INK, ACCENT, PALE, GREY = (0.11, 0.12, 0.13), (0.10, 0.36, 0.38), (0.91, 0.95, 0.94), (0.42, 0.45, 0.5)
VISITS = ((2019, 151.2), (2020, 62.4), (2021, 78.9), (2022, 121.6), (2023, 139.7), (2024, 148.3))

CSS = """
body { font-family: serif; font-size: 10.8px; line-height: 1.45; color: #1c1e21; margin: 0; }
h1 { font-family: sans-serif; font-size: 17px; color: #1a5c61; margin: 0 0 8px 0; }
h2 { font-family: sans-serif; font-size: 12.5px; color: #1a5c61; margin: 12px 0 4px 0; }
p { margin: 0 0 7px 0; }
li { margin: 0 0 3px 0; }
"""

LETTER = """
<h1>A year of open doors</h1>
<p>Dear readers, neighbours and friends,</p>
<p>In 2024 the Lindenbrook Public Library welcomed 148,320 visits, the highest number since 2019, and lent 312,450
items. Behind these numbers stand school classes on their first visit, job seekers at the study desks, and the many
people who simply come to read the newspaper in company.</p>
<p>Two things made the year special. In April we opened the <b>Library of Things</b>, from which members borrow
drills, sewing machines and a telescope. In September the children's floor reopened after five months of building
work; it now has a reading cave, step-free access and twice as many seats as before.</p>
<p>We thank the town council, our 86 volunteers and the Friends of the Library, whose gifts paid for the telescope
and for the summer reading club.</p>
<p>Marta Oyelaran<br/>Director of the library</p>
"""

READERS = """
<h1>Readers and services</h1>
<p>The library had 9,640 active members at the end of 2024, 7 percent more than a year before. Four in ten are
younger than eighteen. Visits have grown each year since the closures of 2020 and are now within two percent of the
level of 2019, as figure 1 shows.</p>
"""

READERS_BELOW = """
<h2>Library of Things</h2>
<p>Since 13 April 2024 members borrow household objects as they borrow books: free of charge, for two weeks. In the
first eight months 1,126 loans were made. The cordless drill was out most often (94 loans), followed by the sewing
machine (81) and the carpet cleaner (77). Only three objects came back damaged.</p>
<h2>Learning together</h2>
<p>The language café met 46 times and had 38 guests on an average evening. Homework help moved to Tuesdays and
Thursdays; it is run by retired teachers and reached 212 pupils. The digital help desk answered 1,870 questions,
most of them about passwords, printing and the tax portal.</p>
<h2>Digital lending</h2>
<p>Electronic books and audiobooks made up 23 percent of all loans, up from 19 percent in 2023. Waiting times remain
the most frequent complaint: a popular electronic book was available after 31 days on average.</p>
"""

MONEY = """
<h1>Money</h1>
<p>The library spent 1,284,600 euros in 2024 and took in 1,291,200 euros, so that 6,600 euros were added to the
reserve. The town paid 81 percent of the income. Table 1 compares the two years.</p>
<p style="font-family: sans-serif; font-size: 9px; color: #6b7280">Table 1. Income and spending in euros</p>
"""

ACCOUNTS = (
    ("", "2023", "2024", "Change"),
    ("Income", "", "", ""),
    ("Grant of the town", "1,010,000", "1,046,000", "+3.6 %"),
    ("Grant of the county", "118,500", "121,700", "+2.7 %"),
    ("Fees and fines", "49,800", "38,200", "-23.3 %"),
    ("Gifts and room hire", "71,400", "85,300", "+19.5 %"),
    ("Total income", "1,249,700", "1,291,200", "+3.3 %"),
    ("Spending", "", "", ""),
    ("Staff", "801,300", "829,500", "+3.5 %"),
    ("New books", "58,900", "64,300", "+9.2 %"),
    ("Digital licences", "71,200", "83,900", "+17.8 %"),
    ("Building and energy", "231,600", "214,400", "-7.4 %"),
    ("Events and courses", "44,700", "47,100", "+5.4 %"),
    ("Equipment", "38,400", "45,400", "+18.2 %"),
    ("Total spending", "1,246,100", "1,284,600", "+3.1 %"),
)
SECTIONS, TOTALS = {"Income", "Spending"}, {"Total income", "Total spending"}

MONEY_BELOW = """
<h2>What changed</h2>
<p>Energy cost less although the building was open for longer: the heat pump that replaced the gas boiler in
November 2023 cut the heating bill from 61,900 to 37,500 euros. Fees fell because the council abolished fines for
children's books on 1 July 2024. Digital licences are the item that grows fastest among the larger ones; publishers
raised their prices by eleven percent on average.</p>
<h2>Outlook</h2>
<p>For 2025 the council has approved a grant of 1,072,000 euros. The budget foresees 70,000 euros for new books.</p>
"""

PEOPLE = """
<h1>People and plans</h1>
<h2>Staff and volunteers</h2>
<p>Nineteen people work at the library, eleven of them part-time; together they fill 14.5 posts. Jonas Petrov
succeeded Edith Lang as head of the children's department on 1 March 2024. The 86 volunteers gave 5,310 hours, above
all for homework help, the home delivery service and the repair evenings.</p>
<h2>Opening hours</h2>
<p>Since September 2024 the library is open on Sundays from 13:00 to 17:00, without staff at the desk. On weekdays
it is open from 10:00 to 19:00, on Saturdays from 10:00 to 16:00. It is closed on public holidays.</p>
<h2>Plans for 2025</h2>
<ul>
<li>Solar panels on the roof of the reading hall, with a peak output of 48 kilowatts, are to be installed by
June.</li>
<li>A book bus will serve the three villages without a branch from 5 May 2025, every second Wednesday.</li>
<li>The local history collection, 2,400 photographs from 1890 to 1960, will be scanned and put online.</li>
<li>Borrowing periods for electronic books are to be shortened to 14 days, so that waiting times fall.</li>
</ul>
<h2>How to reach us</h2>
<p>Lindenbrook Public Library, 4 Mill Lane, Lindenbrook. Reading hall and renewals: extension 210. Friends of the
Library: they meet on the first Monday of the month at 18:30 in room 2.</p>
"""

MINUTES = """
<p style="text-align: right">Repair Workshop Lindenbrook<br/>c/o Public Library, room 2</p>
<h2 style="font-family: monospace; font-size: 15px; color: #000">Minutes of the workshop meeting</h2>
<p><b>Date:</b> 11 February 2025, 18:30 to 19:50<br/><b>Present:</b> A. Brandt (chair), L. Okafor, P. Simonsen, R.
Haddad, T. Weiss (minutes)<br/><b>Excused:</b> M. Oyelaran</p>
<h3>1. Band saw</h3>
<p>The guard of the band saw is cracked. The saw must not be used until it is replaced. R. Haddad orders the part
and fits it by 14 March. Cost: about 85 euros.</p>
<h3>2. Repair evenings</h3>
<p>In January 41 objects were brought, 29 of them could be repaired. Coffee machines remain the most frequent
guests. From April the evenings take place on Thursdays instead of Tuesdays.</p>
<h3>3. Cash</h3>
<p>The cash box holds 412.60 euros. The meeting agrees to buy a second soldering station for at most 160 euros. In
favour: 5, against: 0.</p>
<h3>4. Next meeting</h3>
<p>8 April 2025, 18:30, same room. L. Okafor brings the key for the tool cabinet.</p>
"""

NOTES = """# Heat pump: notes from the first winter

Notes for the building committee of the Lindenbrook Public Library, kept by the caretaker, winter 2023/24.
The brine heat pump replaced the gas boiler on 20 November 2023.

## What was installed

- Heat pump with 42 kW of heating power, model GeoTherm 42-B
- Four boreholes, each 120 m deep, behind the bicycle shed
- Buffer tank of 800 litres in the former oil cellar
- The old radiators were kept; only those in the reading hall were replaced by larger ones

## Settings that work

1. The flow temperature is 38 °C at an outdoor temperature of 0 °C. Above 45 °C the pump loses its advantage.
2. Night setback is off. With it the building was cold until noon, and the pump ran at full power all morning.
3. Hot water is heated once a day, at 13:00, when the future solar panels will deliver most.

## Measurements

| Month | Electricity (kWh) | Heat delivered (kWh) | Performance factor |
|---|---:|---:|---:|
| December 2023 | 5,480 | 20,820 | 3.8 |
| January 2024 | 6,310 | 22,720 | 3.6 |
| February 2024 | 4,590 | 18,360 | 4.0 |
| March 2024 | 3,240 | 13,930 | 4.3 |

The performance factor is the heat delivered divided by the electricity used.

## Faults

On 9 January 2024 the pump stopped with the code **E-17** (brine pressure too low). A valve at borehole 3 leaked; the
installer refilled 25 litres of brine and changed the seal. Since then the pressure has stayed at 1.6 bar.

> If E-17 comes up again: read the pressure first, then call the installer. Do not reset more than twice.

## Still to do

- Insulate the pipes in the corridor to the archive
- Ask for an offer for a second heat meter
- Check the brine pressure each month before the heating season
"""

MEMBERS = """number,name,joined,class,fee_eur,pays_by,skills
1001,Ada Brandt,2016,full,48,debit,electronics; chair since 2022
1002,Lewis Okafor,2018,full,48,debit,bicycles
1003,Pia Simonsen,2019,reduced,24,transfer,sewing
1004,Rami Haddad,2020,full,48,debit,wood; machines
1005,Tilda Weiss,2021,full,48,transfer,minutes; radio sets
1006,Oskar Lindqvist,2021,family,72,debit,clocks
1007,Noor Aziz,2022,reduced,24,cash,computers
1008,Greta Moser,2023,full,48,debit,ceramics
1009,Henrik Dahl,2023,family,72,transfer,coffee machines
1010,Ines Carvalho,2024,reduced,24,debit,sewing; translations
1011,Yuki Tanaka,2024,full,48,transfer,cameras
1012,Bruno Keller,2024,full,48,cash,lamps
"""

LICENCE = """The documents in the folder "samples" were written for Desktop RAG by its developers. People, places and
numbers in them are invented. To the extent possible under law, the developers have waived all copyright and related or
neighbouring rights to them: CC0 1.0 Universal, https://creativecommons.org/publicdomain/zero/1.0/

They are made by make_samples.py. The fonts embedded in the PDF files keep their own free licences.
samples-questions.jsonl holds questions about the documents, with the answers and the pages where these stand.
"""

REPORT, SCAN = "annual-report-2024.pdf", "workshop-minutes-scan.pdf"
NOTES_FILE, MEMBERS_FILE = "notes-heat-pump.md", "members.csv"
QUESTIONS: tuple[tuple[str, str, list[str], str | None, list[int], str | None, str], ...] = (
    ("How much did the library spend on new books in 2024?", "64,300 euros", ["64,300"], REPORT, [3],
     "table", "lookup"),
    ("How many visits did the library have in 2021?", "78,900", ["78.9 thousand", "78.9"], REPORT, [2],
     "figure", "lookup"),
    ("Which object of the Library of Things was borrowed most often?", "The cordless drill (94 loans)",
     ["cordless drill"], REPORT, [2], "text", "lookup"),
    ("When is the library open on Sundays?", "From 13:00 to 17:00, without staff", ["13:00 to 17:00"], REPORT, [4],
     "text", "lookup"),
    ("Who became head of the children's department?", "Jonas Petrov, on 1 March 2024", ["Jonas Petrov"], REPORT, [4],
     "text", "lookup"),
    ("Why did heating cost less although the building was open for longer?",
     "A heat pump replaced the gas boiler; the bill fell from 61,900 to 37,500 euros", ["heat pump"], REPORT, [3],
     "text", "conceptual"),
    ("Who replaces the cracked guard of the band saw, and by when?", "R. Haddad, by 14 March", ["Haddad"], SCAN, [1],
     "scan", "lookup"),
    ("What was the performance factor of the heat pump in February 2024?", "4.0", ["4"], NOTES_FILE, [],
     "table", "lookup"),
    ("What does the fault code E-17 mean?", "The brine pressure is too low", ["brine pressure too low"],
     NOTES_FILE, [], "text", "exact-identifier"),
    ("In which year did Henrik Dahl become a member?", "2023", [], MEMBERS_FILE, [], "table", "lookup"),
    ("What did the library pay for its telescope?", "Not in the documents", [], None, [], None, "unanswerable"),
    ("How many visitors did the Lindenbrook swimming pool have in 2024?", "Not in the documents", [], None, [], None,
     "unanswerable"),
)  # fmt: skip


def main() -> None:
    """Write all samples."""
    SAMPLES.mkdir(exist_ok=True)
    (SAMPLES / REPORT).write_bytes(report())
    (SAMPLES / SCAN).write_bytes(scan())
    texts = {
        SAMPLES / NOTES_FILE: NOTES,
        SAMPLES / MEMBERS_FILE: MEMBERS,
        SAMPLES.parent / "samples-licence.txt": LICENCE,  # beside the folder: what is in it gets indexed
        SAMPLES.parent / "samples-questions.jsonl": questions(),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")


def questions() -> str:
    """Return the questions, one JSON object a line."""
    keys = ("id", "question", "answer", "answer_aliases", "file", "pages", "evidence", "kind")
    lines = []
    for n, row in enumerate(QUESTIONS, start=1):
        values = dict(zip(keys, (f"s{n:02d}", *row), strict=True))
        values["file"] = values["file"] and f"{SAMPLES.name}/{values['file']}"
        lines.append(json.dumps(values, ensure_ascii=False) + "\n")
    return "".join(lines)


def report() -> bytes:
    """Return the annual report: four pages with prose, a chart of vector graphics and a table."""
    document = pymupdf.open()
    _cover(_page(document))
    page = _page(document)
    y = _flow(page, READERS, 70)
    _chart(page, y + 6)
    _flow(page, READERS_BELOW, y + 236)
    page = _page(document)
    y = _flow(page, MONEY, 70)
    _flow(page, MONEY_BELOW, _accounts(page, y) + 12)
    _flow(_page(document), PEOPLE, 70)
    for page in document:
        if page.number:
            _footer(page)
    document.set_toc([[1, "A year of open doors", 1], [1, "Readers and services", 2], [1, "Money", 3],
                      [1, "People and plans", 4]])  # fmt: skip
    return _saved(document, "Lindenbrook Public Library: Annual Report 2024")


def scan() -> bytes:
    """Return one page that is only a picture: typed minutes as a scanner with a dusty glass sees them."""
    typed = pymupdf.open()
    _flow(_page(typed), f'<div style="font-family: monospace; font-size: 11.5px">{MINUTES}</div>', 84)
    pixels = typed[0].get_pixmap(dpi=150, colorspace=pymupdf.csGRAY)
    sheet = Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)
    sheet = sheet.rotate(-0.9, resample=Image.Resampling.BICUBIC, fillcolor=250).filter(ImageFilter.GaussianBlur(0.6))
    random = np.random.default_rng(2025)
    light = np.linspace(0.94, 1.0, pixels.width)[None, :] * np.linspace(1.0, 0.965, pixels.height)[:, None]
    noisy = np.asarray(sheet, dtype=np.float64) * light + random.normal(0.0, 7.0, (pixels.height, pixels.width))
    for x, y in zip(random.integers(0, pixels.width, 90), random.integers(0, pixels.height, 90), strict=True):
        noisy[y : y + 2, x : x + 2] -= 110
    buffer = io.BytesIO()
    Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(buffer, "JPEG", quality=62, dpi=(150, 150))
    document = pymupdf.open()
    page = document.new_page(width=WIDTH, height=HEIGHT)
    page.insert_image(page.rect, stream=buffer.getvalue())
    return _saved(document, "Minutes of the workshop meeting")


def _page(document: Any) -> Any:
    return document.new_page(width=WIDTH, height=HEIGHT)


def _flow(page: Any, html: str, top: float) -> float:
    """Set HTML into the text column from ``top`` on and return where it ends."""
    room = HEIGHT - 70 - top
    left, scale = page.insert_htmlbox(pymupdf.Rect(LEFT, top, RIGHT, top + room), html, css=CSS, scale_low=1)
    if left < 0 or scale < 1:
        raise ValueError(f"the text of page {page.number + 1} does not fit")
    return float(top + room - left)


def _cover(page: Any) -> None:
    page.draw_rect(pymupdf.Rect(0, 0, WIDTH, 236), color=None, fill=ACCENT)
    for n in range(9):  # book spines
        height = (92, 118, 104, 126, 98, 112, 88, 121, 107)[n]
        box = pymupdf.Rect(402 + n * 16, 206 - height, 415 + n * 16, 206)
        colour = (0.93, 0.86, 0.66) if n % 3 == 0 else (0.80, 0.90, 0.88)
        page.draw_rect(box, color=None, fill=colour, fill_opacity=0.85)
    page.draw_line((392, 207), (556, 207), color=(1, 1, 1), width=2)
    look = "font-family: sans-serif; color: #ffffff"
    title = (
        f'<p style="{look}; font-size: 13px; margin: 0 0 8px 0">Lindenbrook Public Library</p>'
        f'<p style="{look}; font-size: 31px; line-height: 1.1; margin: 0"><b>Annual Report<br/>2024</b></p>'
    )
    page.insert_htmlbox(pymupdf.Rect(LEFT, 88, 390, 210), title)
    tiles = (("148,320", "visits"), ("312,450", "loans"), ("4,870", "new books"), ("86", "volunteers"))
    for n, (number, label) in enumerate(tiles):
        box = pymupdf.Rect(LEFT + n * 120, 262, LEFT + n * 120 + 111, 330)
        page.draw_rect(box, color=None, fill=PALE, radius=0.08)
        look = "font-family: sans-serif; text-align: center; margin: 0"
        html = (
            f'<p style="{look}; font-size: 20px; color: #1a5c61"><b>{number}</b></p>'
            f'<p style="{look}; font-size: 9.5px">{label}</p>'
        )
        page.insert_htmlbox(pymupdf.Rect(box.x0, box.y0 + 13, box.x1, box.y1), html)
    _flow(page, LETTER, 362)


def _chart(page: Any, top: float) -> None:
    """Draw the bars of figure 1 with their values, an axis and a caption."""
    base, height, step = top + 176, 140.0, 74.0
    for value in (0, 40, 80, 120, 160):
        y = base - height * value / 160
        page.draw_line((LEFT + 26, y), (RIGHT, y), color=(0.85, 0.87, 0.89), width=0.6)
        _label(page, str(value), LEFT, y + 3, LEFT + 20, "right")
    for n, (year, visits) in enumerate(VISITS):
        x = LEFT + 42 + n * step
        bar = pymupdf.Rect(x, base - height * visits / 160, x + 40, base)
        page.draw_rect(bar, color=None, fill=ACCENT if year == 2024 else (0.55, 0.74, 0.74))
        _label(page, f"{visits}", x - 10, bar.y0 - 4, x + 50, "center")
        _label(page, str(year), x - 10, base + 13, x + 50, "center")
    _label(page, "Figure 1. Visits in thousands, 2019 to 2024", LEFT, base + 34, RIGHT, "left")


def _label(page: Any, text: str, x0: float, base: float, x1: float, align: str) -> None:
    width = pymupdf.get_text_length(text, fontname="helv", fontsize=9)
    x = {"left": x0, "right": x1 - width, "center": (x0 + x1 - width) / 2}[align]
    page.insert_text((x, base), text, fontname="helv", fontsize=9, color=GREY if align == "left" else INK)


def _accounts(page: Any, top: float) -> float:
    """Draw table 1 with rules between its rows and return where it ends."""
    edges, row_height = (LEFT, 330.0, 400.0, 470.0, RIGHT), 19.0
    for n, row in enumerate(ACCOUNTS):
        y = top + n * row_height
        if n == 0 or row[0] in TOTALS:
            page.draw_rect(pymupdf.Rect(LEFT, y, RIGHT, y + row_height), color=None, fill=PALE)
        page.draw_line((LEFT, y + row_height), (RIGHT, y + row_height), color=(0.75, 0.79, 0.8), width=0.5)
        font = "hebo" if n == 0 or row[0] in SECTIONS | TOTALS else "helv"
        for cell, x0, x1 in zip(row, edges, edges[1:], strict=False):
            width = pymupdf.get_text_length(cell, fontname=font, fontsize=9.5)
            x = x0 + 6 if x0 == LEFT else x1 - 6 - width
            page.insert_text((x, y + 13), cell, fontname=font, fontsize=9.5, color=INK)
    return top + len(ACCOUNTS) * row_height


def _footer(page: Any) -> None:
    page.draw_line((LEFT, HEIGHT - 52), (RIGHT, HEIGHT - 52), color=(0.8, 0.83, 0.85), width=0.5)
    _label(page, "Lindenbrook Public Library · Annual Report 2024", LEFT, HEIGHT - 38, RIGHT, "left")
    _label(page, str(page.number + 1), LEFT, HEIGHT - 38, RIGHT, "right")


def _saved(document: Any, title: str) -> bytes:
    document.set_metadata({"title": title, "author": "Desktop RAG samples", "creationDate": DATE, "modDate": DATE})
    document.subset_fonts()
    return bytes(document.tobytes(garbage=4, deflate=True, no_new_id=True))


if __name__ == "__main__":
    main()
