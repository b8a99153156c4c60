"""Plain text, CSV and Markdown files as people have them: odd encodings, separators, wraps and nestings."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import ElementKind, ReadDocument
from desktop_rag.ingest.readers import find_reader
from desktop_rag.ingest.readers.decoding import decode, is_text


def read(path: Path, content: bytes | str) -> ReadDocument:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return find_reader(path).read(path, None)


def texts(document: ReadDocument) -> list[str]:
    return [block.text for block in document.blocks]


GERMAN = "Die Fähre fährt alle 40 Minuten über die Mühlache; der Fahrpreis beträgt 7 Euro für Erwachsene."
JAPANESE = "図書館は新しい本を買いました。\n開館時間は十時から十九時までです。\n"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "latin-1"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-32"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "utf-16"),
        ("Библиотека купила новые книги и фильмы в прошлом году.", "cp1251"),
        ("图书馆在去年购买了很多新书。开放时间为十点至十九点。", "gb18030"),
    ],
)
def test_text_is_read_in_its_encoding(tmp_path: Path, content: str, encoding: str) -> None:
    assert decode(content.encode(encoding)) == content
    document = read(tmp_path / "file.txt", content.encode(encoding))
    assert "".join(texts(document)).replace("\n", "") == content.replace("\n", "")


def test_one_late_character_in_a_large_latin_1_file_is_read() -> None:
    assert decode(b"plain words\n" * 60_000 + "Die Fähre fährt.\n".encode("latin-1")).endswith("Die Fähre fährt.\n")


@pytest.mark.parametrize("head", [b"%PDF-1.7\n...", b"PK\x03\x04" + b"a" * 90, b"\x00\x01\x02" * 60, b"{\\rtf1 hello"])
def test_other_formats_are_no_text(head: bytes) -> None:
    assert not is_text(head)


def test_a_name_does_not_make_a_text_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "minutes.pdf"
    document = read(path, "The canteen opens at 11.\n")
    assert find_reader(path).name == "text"
    assert texts(document) == ["The canteen opens at 11."]


def test_a_pdf_named_as_text_goes_to_the_pdf_reader(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_bytes(b"%PDF-1.7\nwhatever")
    assert find_reader(path).name == "pdf"


@pytest.mark.parametrize("name", ["blank.txt", "blank.md", "blank.html", "blank.csv"])
def test_a_blank_file_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ReadError, match=name):
        read(tmp_path / name, " \n\t\n ")


def test_wrapped_lines_are_joined_and_short_lines_are_not(tmp_path: Path) -> None:
    wrapped = "The library was opened in nineteen hundred and\nhas since been rebuilt twice, the last time after\n1987."
    document = read(tmp_path / "a.txt", f"{wrapped}\n\nMill Lane 4\nLindenbrook\n")
    assert texts(document) == [wrapped.replace("\n", " "), "Mill Lane 4\nLindenbrook"]


def test_headings_and_list_items_of_plain_text(tmp_path: Path) -> None:
    prose = "This is a long line of running text that goes on for quite a while, as prose does. " * 3
    content = f"Annual notes\n\n{prose}\n\nSAFETY\n\nMoney\n-----\n{prose}\n\n- first point\n- second point\n"
    document = read(tmp_path / "a.txt", content)
    headings = [(block.text, block.level) for block in document.blocks if block.level]
    assert headings == [("Annual notes", 2), ("SAFETY", 2), ("Money", 2)]
    assert document.title == "Annual notes"
    assert texts(document)[-2:] == ["- first point", "- second point"]


def test_program_code_becomes_listings(tmp_path: Path) -> None:
    code = "def double(x)\n    2 * x\nend\n"
    document = read(tmp_path / "double.rb", code)
    assert [(block.kind, block.text) for block in document.blocks] == [(ElementKind.CODE, code.rstrip())]
    assert document.title == "double.rb"


CSV = 'Article;Store;Amount;Price\n"Screw M4; galvanised";Hall 2;1.250;0,08\n"Valve ""Type K""";Hall 3;18;47,90\n'


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found(tmp_path: Path, separator: str) -> None:
    rows = [["id", "town", "visits"], ["1", "Lindenbrook", "148"], ["2", "Oakham", "97"]]
    document = read(tmp_path / "a.csv", "\r\n".join(separator.join(row) for row in rows))
    assert texts(document) == ["id: 1; town: Lindenbrook; visits: 148\nid: 2; town: Oakham; visits: 97"]


def test_quoted_cells_and_decimal_commas(tmp_path: Path) -> None:
    block = read(tmp_path / "stock.csv", CSV).blocks[0]
    assert block.kind is ElementKind.TABLE
    assert block.text.split("\n") == [
        "Article: Screw M4; galvanised; Store: Hall 2; Amount: 1.250; Price: 0,08",
        'Article: Valve "Type K"; Store: Hall 3; Amount: 18; Price: 47,90',
    ]
    assert block.markdown.startswith("| Article | Store | Amount | Price |\n| --- |")


def test_a_table_in_shift_jis(tmp_path: Path) -> None:
    document = read(tmp_path / "a.csv", "名前,年齢,住所\r\n佐藤太郎,30,東京\r\n三木英子,25,大阪\r\n".encode("cp932"))
    assert texts(document) == ["名前: 佐藤太郎; 年齢: 30; 住所: 東京\n名前: 三木英子; 年齢: 25; 住所: 大阪"]


def test_no_row_of_a_long_table_is_lost_and_each_block_has_the_header(tmp_path: Path) -> None:
    rows = "".join(f"{n},Town {n % 7},{n * 3}\n" for n in range(1500))
    document = read(tmp_path / "a.csv", "number,town,visits\n" + rows)
    lines = [line for block in document.blocks for line in block.text.split("\n")]
    assert lines == [f"number: {n}; town: Town {n % 7}; visits: {n * 3}" for n in range(1500)]
    assert all(block.markdown.startswith("| number | town | visits |") for block in document.blocks)


def test_a_table_without_names_and_one_below_a_title(tmp_path: Path) -> None:
    assert texts(read(tmp_path / "a.csv", "1,2.5\n2,3.5\n3,4.5\n")) == ["1; 2.5\n2; 3.5\n3; 4.5"]
    titled = texts(read(tmp_path / "b.csv", "Visits by year\n\nyear,visits\n2023,139\n2024,148\n"))
    assert titled == ["Visits by year", "year: 2023; visits: 139\nyear: 2024; visits: 148"]


def test_prose_named_as_a_table_is_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "letter.csv"
    read(path, "Dear friends,\nthis is a letter, not a table, and it has, well, commas.\nYours\n")
    assert find_reader(path).name == "text"


def test_a_table_without_its_suffix_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "export.txt"
    read(path, "id\ttown\tvisits\n" + "".join(f"{n}\tTown\t{n}\n" for n in range(6)))
    assert find_reader(path).name == "csv"


MARKDOWN = """---
title: "House rules"
---
# Rules of the house

Some *important* text with `code`, a [link](https://example.org) and a picture ![of a cat](cat.png).
Second line.

- one
  - two
    1. three

> | Pump | Oil |
> |---|---|
> | P-101 | ISO 46 |

| Area | Detail |
|---|:---:|
| Hall A | <table><tr><td>Fan</td><td>6204-2RS</td></tr></table> |
| Hall B | a \\| b |

```python
print("hello")
```

<p>Raw <b>HTML</b></p><script>alert(1)</script>

Second level
------------
"""


def test_markdown(tmp_path: Path) -> None:
    document = read(tmp_path / "rules.md", MARKDOWN)
    assert document.title == "House rules"
    assert [(block.kind.value, block.level, block.text) for block in document.blocks] == [
        ("text", 1, "Rules of the house"),
        ("text", 0, "Some important text with code, a link and a picture of a cat. Second line."),
        ("text", 0, "• one"),
        ("text", 0, "• two"),
        ("text", 0, "1. three"),
        ("table", 0, "Pump: P-101; Oil: ISO 46"),
        ("table", 0, "Area: Hall A; Detail: Fan 6204-2RS\nArea: Hall B; Detail: a | b"),
        ("code", 0, 'print("hello")'),
        ("text", 0, "Raw HTML"),
        ("text", 2, "Second level"),
    ]


def test_deeply_nested_markdown_does_not_overflow(tmp_path: Path) -> None:
    document = read(tmp_path / "deep.md", "> " * 3000 + "quoted\n\n" + "".join("  " * n + "- x\n" for n in range(300)))
    assert any("quoted" in text for text in texts(document))
    assert sum("x" in text for text in texts(document)) == 300
