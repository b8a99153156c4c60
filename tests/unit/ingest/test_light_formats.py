"""Rich text, books, JSON and subtitles."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import ReadDocument
from desktop_rag.ingest.readers import find_reader


def read(path: Path, content: str | bytes, reader: str) -> ReadDocument:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    found = find_reader(path)
    assert found.name == reader
    return found.read(path, None)


def shown(document: ReadDocument) -> list[tuple[str, int, str]]:
    return [(block.kind.value, block.level, block.text) for block in document.blocks]


RTF = r"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}}{\info{\title The halls}{\author Nobody}}
{\stylesheet{\s1\outlinelevel0 heading 1;}}
\pard\s1\outlinelevel0 Opening hours\par
\pard The caf\'e9 opens at \b nine\b0 , \u8364 ?3 a cup.\par
{\*\generator hidden;}{\pict\pngblip PICTURE}
\trowd\cellx100\cellx200 Hall\cell Fee\cell\row
\trowd\cellx100\cellx200 A\cell 10\cell\row
\trowd\cellx100\cellx200 B\cell 12\cell\row
\pard Last line.\par}"""


@pytest.mark.parametrize("name", ["a.rtf", "a.doc"])
def test_rich_text(tmp_path: Path, name: str) -> None:
    document = read(tmp_path / name, RTF.replace("PICTURE", "89504e47" * 5000), "rtf")
    assert document.title == "The halls"
    assert shown(document) == [
        ("text", 1, "Opening hours"),
        ("text", 0, "The café opens at nine, €3 a cup."),
        ("table", 0, "Hall: A; Fee: 10\nHall: B; Fee: 12"),
        ("text", 0, "Last line."),
    ]


def write_book(path: Path, *, locked: bool = False) -> None:
    container = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    book = """<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Lamp</dc:title></metadata>
      <manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
      <item id="b" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/>
      <item id="a" href="text/one.xhtml" media-type="application/xhtml+xml"/>
      <item id="i" href="a.png" media-type="image/png"/></manifest>
      <spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>"""
    page = '<?xml version="1.0"?><html><head><title>{}</title></head><body>{}</body></html>'
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("mimetype", "application/epub+zip")
        package.writestr("META-INF/container.xml", container)
        package.writestr("OPS/book.opf", book)
        package.writestr("OPS/nav.xhtml", page.format("Contents", "<p>Contents</p>"))
        package.writestr("OPS/text/one.xhtml", page.format("The Lamp", "<h1>Oil</h1><p>It burns &amp; smells.</p>"))
        package.writestr("OPS/text/two b.xhtml", page.format("Gas", "<p>It hisses.</p>"))
        if locked:
            lock = (
                '<encryption><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></encryption>'
            )
            package.writestr("META-INF/encryption.xml", lock)


def test_books_are_read_in_the_order_of_the_spine(tmp_path: Path) -> None:
    write_book(tmp_path / "book.zip")
    assert find_reader(tmp_path / "book.zip").name == "epub"
    document = find_reader(tmp_path / "book.zip").read(tmp_path / "book.zip", None)
    assert document.title == "The Lamp"
    assert shown(document) == [
        ("text", 1, "Oil"),
        ("text", 0, "It burns & smells."),
        ("text", 1, "Gas"),
        ("text", 0, "It hisses."),
    ]


def test_books_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    write_book(tmp_path / "a.epub", locked=True)
    with pytest.raises(ReadError, match="copy protection"):
        find_reader(tmp_path / "a.epub").read(tmp_path / "a.epub", None)
    write_book(tmp_path / "b.epub")
    (tmp_path / "b.epub").write_bytes((tmp_path / "b.epub").read_bytes()[:900])
    with pytest.raises(ReadError, match=r"b\.epub is damaged"):
        find_reader(tmp_path / "b.epub").read(tmp_path / "b.epub", None)


def test_json_objects_become_paths_and_lists_become_tables(tmp_path: Path) -> None:
    value = {
        "name": "Hall A",
        "open": True,
        "size": {"width": 4.5, "odd key": None},
        "tags": ["big", "old"],
        "fees": [{"day": day, "fee": fee} for day, fee in (("Mon", 10), ("Tue", 12), ("Wed", 12), ("Thu", 9))],
    }
    document = read(tmp_path / "a.json", json.dumps(value), "json")
    assert shown(document) == [
        (
            "text",
            0,
            'name: Hall A\nopen: true\nsize.width: 4.5\nsize."odd key": null\ntags[0]: big\ntags[1]: old',
        ),
        ("text", 1, "fees"),
        ("table", 0, "day: Mon; fee: 10\nday: Tue; fee: 12\nday: Wed; fee: 12\nday: Thu; fee: 9"),
    ]


def test_json_lines_and_broken_json(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps({"id": number, "word": f"w{number}"}) for number in range(3))
    assert shown(read(tmp_path / "a.jsonl", lines, "json")) == [
        ("table", 0, "id: 0; word: w0\nid: 1; word: w1\nid: 2; word: w2")
    ]
    assert shown(read(tmp_path / "b.json", '{"a": 1,\n oops', "json")) == [("code", 0, '{"a": 1,\n oops')]
    deep = read(tmp_path / "c.json", "[" * 50_000, "json")
    assert deep.blocks[0].kind.value == "code"


SRT = """1
00:00:01,000 --> 00:00:03,500
<i>Welcome</i> to the hall.

2
00:00:03,600 --> 00:00:05,000 X1:10
{\\an8}It is cold &amp; dark.

3
01:02:10,000 --> 01:02:12,000
- Who is there?
"""
VTT = """WEBVTT - made by hand

NOTE nothing

first
00:01.000 --> 00:03.000 align:start
<v Anna>Hello <b>you</b>.</v>

00:03.000 --> 00:05.000
<v Anna>Hello <b>you</b>.</v>
Good<00:04.000> evening.
"""


def test_subtitles_carry_their_times(tmp_path: Path) -> None:
    assert shown(read(tmp_path / "a.srt", SRT, "subtitles")) == [
        ("text", 0, "[0:00:01–0:00:05] Welcome to the hall. It is cold & dark."),
        ("text", 0, "[1:02:10–1:02:12] - Who is there?"),
    ]
    assert shown(read(tmp_path / "b.vtt", VTT, "subtitles")) == [
        ("text", 0, "[0:00:01–0:00:05] Anna: Hello you. Good evening.")
    ]
    with pytest.raises(ReadError, match="holds no text"):
        read(tmp_path / "c.vtt", "WEBVTT\n", "subtitles")
