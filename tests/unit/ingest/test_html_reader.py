"""HTML: what a person sees on the page is read, and nothing that is hidden from people."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_rag.core.types import ElementKind, ReadDocument
from desktop_rag.ingest.readers import find_reader
from desktop_rag.ingest.readers.html import html_blocks


def texts(html: str) -> list[str]:
    return [block.text for block in html_blocks(html)]


def read(path: Path, content: bytes) -> ReadDocument:
    path.write_bytes(content)
    return find_reader(path).read(path, None)


HIDDEN = [
    '<p style="display: none">trap</p>',
    '<p style="visibility:hidden">trap</p>',
    '<p style="color:white;font-size:1px">trap</p>',
    '<p style="font-size: 0">trap</p>',
    '<p style="opacity:0">trap</p>',
    '<span style="position:absolute; left:-9999px">trap</span>',
    '<span style="color: transparent">trap</span>',
    "<p hidden>trap</p>",
    '<p aria-hidden="true">trap</p>',
    '<div style="DISPLAY:NONE !important"><p>trap <b>within</b></p></div>',
    "<script>trap()</script>",
    "<style>.trap { }</style>",
    "<noscript>trap</noscript>",
    "<template><p>trap</p></template>",
    "<!-- trap -->",
    "<nav><a href='/'>trap</a></nav>",
    '<div role="navigation">trap</div>',
    "<select><option>trap</option></select>",
]


@pytest.mark.parametrize("trap", HIDDEN)
def test_hidden_text_is_left_out(trap: str) -> None:
    assert texts(f"<body><p>before</p>{trap}<p>after</p></body>") == ["before", "after"]


@pytest.mark.parametrize(
    "shown",
    ['<p style="font-size:12px">text</p>', '<p style="opacity:0.9">text</p>', '<p style="font-size:0.9em">text</p>'],
)
def test_ordinary_styles_hide_nothing(shown: str) -> None:
    assert texts(shown) == ["text"]


def test_hidden_cells_and_nodes_in_tables_are_left_out() -> None:
    table = "<tr><th>Item</th><th>Days</th></tr><tr><td>HX-300</td><td>14<i style='display:none'>trap</i></td></tr>"
    assert texts(f"<table>{table}</table>") == ["Item: HX-300; Days: 14"]


def test_headings_paragraphs_lists_and_listings() -> None:
    html = """<h1>Rules <em>of</em> the house</h1>intro<p>One<br>Two</p>
    <ol start=3><li>three<ul><li><p>inner</p></li></ul></li><li>four</li></ol>
    <pre>a = 1\n  b</pre><dl><dt>Term</dt><dd>Meaning</dd></dl>"""
    blocks = html_blocks(html)
    assert [(block.kind.value, block.level, block.text) for block in blocks] == [
        ("text", 1, "Rules of the house"),
        ("text", 0, "intro"),
        ("text", 0, "One\nTwo"),
        ("text", 0, "3. three"),
        ("text", 0, "• inner"),
        ("text", 0, "4. four"),
        ("code", 0, "a = 1\n  b"),
        ("text", 0, "Term"),
        ("text", 0, "Meaning"),
    ]


def test_table_cells_that_span_rows_and_columns() -> None:
    html = """<table><caption>Visits</caption>
    <thead><tr><th rowspan=2>Town</th><th colspan=2>Visits</th></tr><tr><th>2023</th><th>2024</th></tr></thead>
    <tr><td rowspan=2>Oakham</td><td>10</td><td>12</td></tr><tr><td>11</td><td>13</td></tr></table>"""
    caption, table = html_blocks(html)
    assert caption.text == "Visits"
    assert table.text.split("\n") == [
        "Town: Oakham; Visits 2023: 10; Visits 2024: 12",
        "Town: Oakham; Visits 2023: 11; Visits 2024: 13",
    ]


def test_fact_boxes_have_no_column_names() -> None:
    html = "<table><tr><th>Family</th><td>Anatidae</td></tr><tr><th>Order</th><td>Anseriformes</td></tr></table>"
    assert texts(html) == ["Family; Anatidae\nOrder; Anseriformes"]
    assert texts(html.replace("</th>", ":</th>")) == ["Family: Anatidae\nOrder: Anseriformes"]


def test_tables_that_arrange_the_page_are_read_as_text() -> None:
    inner = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    html = f"<table><tr><td><p>Left</p></td><td>{inner}</td></tr><tr><td>Bottom</td><td></td></tr></table>"
    blocks = html_blocks(html)
    assert [block.text for block in blocks] == ["Left", "a: 1; b: 2", "Bottom"]
    assert blocks[1].kind is ElementKind.TABLE


def test_the_main_part_is_taken_where_the_page_names_it(tmp_path: Path) -> None:
    prose = "A long enough paragraph of the article itself. " * 5
    html = f"<title>News</title><body><div>Menu</div><main><h1>Title</h1><p>{prose}</p></main><div>Imprint</div></body>"
    document = read(tmp_path / "a.html", html.encode())
    assert document.title == "News"
    assert [block.text for block in document.blocks] == ["Title", prose.strip()]


def test_links_to_other_languages_are_left_out() -> None:
    html = '<ul><li><a href="/de" hreflang="de">Deutsch</a></li><li>see <a href="/x" hreflang="fr">this</a></li></ul>'
    assert texts(html) == ["• see this"]


@pytest.mark.parametrize("tag", ["div", "span", "ul><li", "blockquote", "b"])
def test_deep_nesting_does_not_overflow(tmp_path: Path, tag: str) -> None:
    document = read(tmp_path / "deep.html", f"<!doctype html><p>top</p>{f'<{tag}>' * 6000}deep".encode())
    assert [block.text.removeprefix("• ") for block in document.blocks] == ["top", "deep"]


def test_deeply_nested_tables_do_not_overflow() -> None:
    assert "deep" in " ".join(texts("<table><tr><td>" * 1500 + "deep"))


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_the_encoding_is_the_declared_or_the_likely_one(tmp_path: Path, encoding: str) -> None:
    declared = '<meta charset="latin-1">' if encoding == "latin-1" else ""
    html = f"<!DOCTYPE html><html>{declared}<p>Die Fähre fährt über die Mühlache</p></html>"
    document = read(tmp_path / "a.html", html.encode(encoding))
    assert document.blocks[0].text == "Die Fähre fährt über die Mühlache"


def test_content_decides_before_the_name(tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    read(path, b"<!-- saved -->\n<html><body><p>Hello</p></body></html>")
    assert find_reader(path).name == "html"
